#include "core/lower/encodings/tensor_roles.h"

#include "core/lower/resolve/file_scope.h"

namespace quantgate {

using mapping::OpMapping;
using mapping::Role;

TensorRoles::TensorRoles(const Model& model, mapping::Mapping& mapping)
    : model_(model), mapping_(mapping), roles_(model.tensors.size()) {
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const Node& node = model.nodes[n];
    const auto index = static_cast<int32_t>(n);
    // A QNN op needs no mapping, and its operands have no roles here.
    const OpMapping* op =
        model.DialectOf(node) == Dialect::kQnn ? nullptr : mapping.Find(node.domain, node.op);
    const bool quantizer =
        op != nullptr && (op->role == Role::kQuantize || op->role == Role::kDequantize);
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) roles_[static_cast<size_t>(id)].producer = index;
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoTensor) continue;
      FileTensorRole& role = roles_[static_cast<size_t>(node.inputs[i])];
      if (role.reader < 0) role.reader = index;
      if (op == nullptr) continue;
      if (static_cast<int>(i) == op->weight && role.weight_of < 0) role.weight_of = index;
      role.is_bias |= static_cast<int>(i) == op->bias;
    }
    if (!quantizer || node.inputs.empty() || node.outputs.empty() || node.inputs[0] == kNoTensor ||
        node.outputs[0] == kNoTensor) {
      continue;
    }
    const TensorId quantized = op->role == Role::kQuantize ? node.outputs[0] : node.inputs[0];
    for (const TensorId id : {node.inputs[0], node.outputs[0]}) {
      FileTensorRole& role = roles_[static_cast<size_t>(id)];
      role.quantizer = index;
      role.quantized_by = quantized;
    }
  }
}

std::optional<NodeEncoding> TensorRoles::EncodingAround(TensorId id) const {
  const FileTensorRole& role = of(id);
  if (role.quantizer < 0) return std::nullopt;
  const Node& node = model_.nodes[static_cast<size_t>(role.quantizer)];
  const auto values = [&](size_t i) -> const TensorValues* {
    if (i >= node.inputs.size() || node.inputs[i] == kNoTensor) return nullptr;
    return model_.tensors[static_cast<size_t>(node.inputs[i])].values.get();
  };
  NodeEncoding encoding = EncodingOf(
      model_, node, model_.tensors[static_cast<size_t>(role.quantized_by)], values(1), values(2));
  if (!encoding.problem.empty()) return std::nullopt;
  return encoding;
}

std::optional<int64_t> TensorRoles::Axis(TensorId id, bool block) const {
  const FileTensorRole& role = of(id);
  if (role.weight_of < 0) return std::nullopt;
  const Node& node = model_.nodes[static_cast<size_t>(role.weight_of)];
  const OpMapping* op = mapping_.Find(node.domain, node.op);
  const mapping::Expr& axis = block ? op->weight_block_axis : op->weight_channel_axis;
  if (axis.empty()) return std::nullopt;
  return axis.Eval(FileScope(model_, node, *op)).AsInt();
}

std::optional<int64_t> TensorRoles::ChannelAxis(TensorId id) const { return Axis(id, false); }
std::optional<int64_t> TensorRoles::BlockAxis(TensorId id) const { return Axis(id, true); }

}  // namespace quantgate
