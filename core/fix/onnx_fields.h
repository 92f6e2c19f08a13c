// Fields of ONNX files, as bytes: what is read of a file that is written again.
#ifndef QUANTGATE_CORE_FIX_ONNX_FIELDS_H_
#define QUANTGATE_CORE_FIX_ONNX_FIELDS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace quantgate::fix {

// Field numbers of onnx.proto.
namespace model_proto {
constexpr uint32_t kGraph = 7;
}  // namespace model_proto
namespace graph_proto {
constexpr uint32_t kNode = 1, kInitializer = 5, kValueInfo = 13, kAnnotation = 14;
}  // namespace graph_proto
namespace node_proto {
constexpr uint32_t kInput = 1, kOutput = 2, kName = 3, kOpType = 4, kAttribute = 5, kDomain = 7;
}  // namespace node_proto
namespace attribute_proto {
constexpr uint32_t kName = 1, kInt = 3, kTensor = 5, kType = 20;
constexpr int64_t kTypeInt = 2;
}  // namespace attribute_proto
namespace tensor_proto {
constexpr uint32_t kDims = 1, kDataType = 2, kFloatData = 4, kInt32Data = 5, kInt64Data = 7,
                   kName = 8, kRawData = 9, kDoubleData = 10, kUint64Data = 11, kExternalData = 13,
                   kDataLocation = 14;
}  // namespace tensor_proto

// The last field of this number that holds bytes; empty = none.
std::string_view FieldOf(std::string_view message, uint32_t number);
// Of a NodeProto.
std::string FirstOutput(std::string_view node);
// The tensor of a Constant node; empty = none.
std::string_view ConstantTensor(std::string_view node);

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_ONNX_FIELDS_H_
