#include "core/fix/onnx_fields.h"

#include "core/base/pbf.h"
#include "core/base/wire.h"

namespace quantgate::fix {

using pbf::Bytes;

std::string_view FieldOf(std::string_view message, uint32_t number) {
  std::string_view found;
  ForEachWireField(message, [&](const Field& field) {
    if (field.tag_and_type == Bytes(number)) found = field.content;
  });
  return found;
}

std::string FirstOutput(std::string_view node) {
  std::string first;
  ForEachWireField(node, [&](const Field& field) {
    if (first.empty() && field.tag_and_type == Bytes(node_proto::kOutput)) {
      first = std::string(field.content);
    }
  });
  return first;
}

std::string_view ConstantTensor(std::string_view node) {
  std::string_view tensor;
  ForEachWireField(node, [&](const Field& field) {
    if (field.tag_and_type != Bytes(node_proto::kAttribute)) return;
    if (FieldOf(field.content, attribute_proto::kName) != "value") return;
    tensor = FieldOf(field.content, attribute_proto::kTensor);
  });
  return tensor;
}

}  // namespace quantgate::fix
