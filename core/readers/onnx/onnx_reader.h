// The ONNX reader for a caller that can let go of what was read, and says where external data may
// be.
#ifndef QUANTGATE_CORE_READERS_ONNX_ONNX_READER_H_
#define QUANTGATE_CORE_READERS_ONNX_ONNX_READER_H_

#include <functional>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/readers/onnx/external_data.h"
#include "quantgate/model.h"

namespace quantgate::onnx {

// ReadOnnx of quantgate/reader.h. `done` is called with the parts of `bytes` that were passed through once,
// for the range of their values, and will not be read again; may be empty.
absl::StatusOr<Model> Read(std::string_view bytes, std::string_view name, const ExternalData& data,
                           const std::function<void(std::string_view)>& done);

}  // namespace quantgate::onnx

#endif  // QUANTGATE_CORE_READERS_ONNX_ONNX_READER_H_
