#include "core/oracle/one_op.h"

#include <map>
#include <string>

namespace quantgate::verify {

OneOp CutOne(const Model& model, const Node& node) {
  OneOp one;
  one.model.dialect = model.dialect;
  one.model.opset = model.opset;
  Node alone;
  alone.name = "op";
  alone.op = node.op;
  alone.domain = node.domain;
  alone.params = node.params;
  alone.dialect = node.dialect;
  std::map<TensorId, TensorId> cut;
  const auto add = [&](TensorId id, const char* direction, size_t port) {
    if (id == kNoTensor) return kNoTensor;
    const auto [at, added] = cut.try_emplace(id, static_cast<TensorId>(one.source.size()));
    if (added) {
      Tensor& tensor = one.model.tensors.emplace_back(model.tensors[static_cast<size_t>(id)]);
      tensor.name = direction + std::to_string(port);
      one.source.push_back(id);
    }
    return at->second;
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    alone.inputs.push_back(add(node.inputs[i], "in", i));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    alone.outputs.push_back(add(node.outputs[i], "out", i));
  }
  one.model.nodes.push_back(std::move(alone));
  return one;
}

}  // namespace quantgate::verify
