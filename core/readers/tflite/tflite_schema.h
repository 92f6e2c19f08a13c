// What the numbers of a .tflite file mean: operators, their options, types of tensors; and the
// numbers of the fields of its tables.
#ifndef QUANTGATE_CORE_READERS_TFLITE_TFLITE_SCHEMA_H_
#define QUANTGATE_CORE_READERS_TFLITE_TFLITE_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "quantgate/dtype.h"

namespace quantgate::tflite {

inline constexpr std::string_view kIdentifier = "TFL3";  // bytes 4 to 8 of a file
inline constexpr int32_t kSchemaVersion = 3;

namespace model {
enum Field { kVersion, kOperatorCodes, kSubgraphs, kDescription, kBuffers, kMetadataBuffer,
             kMetadata, kSignatures };
}  // namespace model
namespace operator_code {
enum Field { kByteCode, kCustomCode, kVersion, kCode };
}  // namespace operator_code
namespace subgraph {
enum Field { kTensors, kInputs, kOutputs, kOperators, kName };
}  // namespace subgraph
namespace tensor {
enum Field { kShape, kType, kBuffer, kName, kQuantization, kIsVariable, kSparsity,
             kShapeSignature, kHasRank };
}  // namespace tensor
namespace quantization {
enum Field { kMin, kMax, kScale, kZeroPoint, kDetailsType, kDetails, kDimension };
}  // namespace quantization
namespace node {
enum Field { kOpcodeIndex, kInputs, kOutputs, kOptionsType, kOptions, kCustomOptions,
             kCustomOptionsFormat, kMutatingInputs, kIntermediates, kLargeOptionsOffset };
}  // namespace node
namespace buffer {
enum Field { kData, kOffset, kSize };
}  // namespace buffer
namespace signature {
enum Field { kInputs, kOutputs, kKey, kUnused, kSubgraph };
}  // namespace signature

struct OperatorRow {
  std::string_view name;  // "CONV_2D"
  uint8_t options = 0;    // its table in the union of options
};
inline constexpr int32_t kCustom = 32;
// From here on codes stand in a field of their own.
inline constexpr int32_t kFirstLongCode = 127;
// Before the name of a custom operator: no builtin one may be mistaken for it.
inline constexpr std::string_view kCustomPrefix = "CUSTOM:";

// The operator that gives a quantized tensor another encoding, in the version that knows all types of
// 8 and 16 bits.
inline constexpr std::string_view kRequantize = "QUANTIZE";
inline constexpr int32_t kRequantizeVersion = 2;

const OperatorRow* FindOperator(int64_t code);  // null = unknown
std::optional<int32_t> OperatorCode(std::string_view name);

enum class Kind : uint8_t { kByte, kInt, kBool, kFloat, kLong, kInts };
struct OptionField {
  uint8_t table = 0, field = 0;
  Kind kind = Kind::kByte;
  int8_t fallback = 0;
  std::string_view name = {};
};
std::span<const OptionField> OptionsOf(uint8_t table);

// TensorType -> the QNN type of the same storage; integers with an encoding are fixed-point types.
Dtype DtypeOf(int64_t type, bool is_quantized);
std::optional<int8_t> TypeOf(Dtype dtype);
int BitsOfType(int64_t type);  // 0 = texts and unknown ones

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CORE_READERS_TFLITE_TFLITE_SCHEMA_H_
