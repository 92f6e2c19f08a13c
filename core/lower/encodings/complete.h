// What an entry leaves open follows from the tensor it is for: axes, blocks, the order of factors.
#ifndef QUANTGATE_CORE_LOWER_ENCODINGS_COMPLETE_H_
#define QUANTGATE_CORE_LOWER_ENCODINGS_COMPLETE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "quantgate/encodings_file.h"
#include "quantgate/model.h"

namespace quantgate {

struct Completed {
  Shared<Encoding> encoding;
  // Where the numbers do not fit the tensor; `encoding` then is per-tensor.
  std::string found, allowed;
};

// `channel` and `block`: axes by the tensor's operator, where they are known. `last_first`: of
// several dimensions that fit the number of scales, take the last (QNN's layouts) and not the
// first (ONNX's).
Completed Complete(const EncodingsEntry& entry, const Tensor& tensor,
                   std::optional<int64_t> channel, std::optional<int64_t> block, bool last_first);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ENCODINGS_COMPLETE_H_
