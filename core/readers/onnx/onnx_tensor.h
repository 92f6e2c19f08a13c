// TensorProto of ONNX (onnx/onnx.proto): what it is, and its values where they are wanted.
#ifndef QUANTGATE_CORE_READERS_ONNX_ONNX_TENSOR_H_
#define QUANTGATE_CORE_READERS_ONNX_ONNX_TENSOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/readers/onnx/external_data.h"
#include "quantgate/model.h"

namespace quantgate::onnx {

// A file that is well-formed protobuf and yet no model. Caught at the reader's border.
struct BadModel : std::runtime_error {
  BadModel(std::string where, const std::string& reason)
      : std::runtime_error(reason), place(std::move(where)) {}
  std::string place;
};

// TensorProto.DataType -> the QNN type of the same storage. Plain integers stay plain; int4 and
// uint4, which QNN has as fixed-point only, become that; what QNN lacks is kUndefined.
Dtype DtypeOf(int64_t data_type);
// Storage bits of a DataType; 0 = strings and unknown ones.
int BitsOf(int64_t data_type);

struct TensorProto {
  std::string_view name;
  int64_t data_type = 0;
  absl::InlinedVector<int64_t, 4> dims;
  int64_t elements = 0;      // product of dims
  std::string_view message;  // the whole, for Values()
  std::string_view raw_data;
  bool has_raw_data = false;
  bool is_external = false;
  std::string_view location;
  int64_t offset = 0;
  int64_t length = -1;
};

// Reads the description and passes over the values. `what` names the tensor in errors; empty =
// "initializer NAME". Throws BadModel, protozero::exception.
TensorProto ParseTensor(std::string_view message, std::string_view what, const ExternalData& data,
                        const char** place);
// Checked product of dims. Throws BadModel.
int64_t Elements(const absl::InlinedVector<int64_t, 4>& dims, const std::string& what);

// How much of a tensor to keep.
enum class Keep {
  kShort,  // a constant: shapes, axes, limits, tables
  kAll,    // a scale or zero point, whose values make an encoding
};
bool ShouldKeep(const TensorProto& tensor, Keep keep);

// All values; null when the type is none whose values are kept, or the file holds none. Reasons
// why an external file could not be read go to `*problem`. Throws as ParseTensor.
std::shared_ptr<const TensorValues> Values(const TensorProto& tensor, std::string_view what,
                                           const ExternalData& data, const char** place,
                                           std::string* problem);

// Smallest and largest stored value of a tensor of 16-bit integers, passed through without keeping
// any; nullopt for others and where the file holds no values. Of weights only 16-bit ones may hold
// what a backend stores and can't use. `done` as in onnx_reader.h. Throws protozero::exception.
std::optional<std::pair<double, double>> StoredRange(
    const TensorProto& tensor, const ExternalData& data, const char** place,
    const std::function<void(std::string_view)>& done);

}  // namespace quantgate::onnx

#endif  // QUANTGATE_CORE_READERS_ONNX_ONNX_TENSOR_H_
