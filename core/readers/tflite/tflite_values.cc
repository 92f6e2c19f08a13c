#include "core/readers/tflite/tflite_values.h"

#include <cstddef>
#include <cstring>
#include <vector>

namespace quantgate::tflite {
namespace {

constexpr int64_t kMaxFewValues = 64;  // of types and ranks that are mostly large weights

template <typename T>
void AppendInts(std::string_view data, std::vector<int64_t>& out) {
  for (size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof(T));
    out.push_back(static_cast<int64_t>(value));
  }
}

template <typename T>
void AppendReals(std::string_view data, std::vector<double>& out) {
  for (size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof(T));
    out.push_back(static_cast<double>(value));
  }
}

}  // namespace

bool ShouldKeep(const Tensor& tensor, int64_t elements) {
  const bool is_float = ClassOf(tensor.dtype) == DtypeClass::kFloat;
  const bool is_short = tensor.dims.size() <= 1 || (!is_float && BitsOf(tensor.dtype) != 16);
  return elements <= (is_short ? kMaxKeptValues : kMaxFewValues);
}

std::shared_ptr<const TensorValues> ValuesOf(Dtype dtype, std::string_view data) {
  auto values = std::make_shared<TensorValues>();
  switch (dtype) {
    case Dtype::kInt8:
    case Dtype::kSfixedPoint8:
      AppendInts<int8_t>(data, values->ints);
      break;
    case Dtype::kUint8:
    case Dtype::kUfixedPoint8:
    case Dtype::kBool8:
      AppendInts<uint8_t>(data, values->ints);
      break;
    case Dtype::kInt16:
    case Dtype::kSfixedPoint16:
      AppendInts<int16_t>(data, values->ints);
      break;
    case Dtype::kUint16:
    case Dtype::kUfixedPoint16:
      AppendInts<uint16_t>(data, values->ints);
      break;
    case Dtype::kInt32:
    case Dtype::kSfixedPoint32:
      AppendInts<int32_t>(data, values->ints);
      break;
    case Dtype::kUint32:
    case Dtype::kUfixedPoint32:
      AppendInts<uint32_t>(data, values->ints);
      break;
    case Dtype::kInt64:
      AppendInts<int64_t>(data, values->ints);
      break;
    case Dtype::kFloat32:
      AppendReals<float>(data, values->reals);
      break;
    case Dtype::kFloat64:
      AppendReals<double>(data, values->reals);
      break;
    default:
      return nullptr;
  }
  return values;
}

}  // namespace quantgate::tflite
