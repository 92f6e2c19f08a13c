#include "core/validate/well_formed.h"

#include <fmt/format.h>

#include <vector>

namespace quantgate {

std::string FindMalformed(const Model& model) {
  const auto count = static_cast<TensorId>(model.tensors.size());
  const auto in_range = [&](TensorId id) { return id >= 0 && id < count; };
  std::vector<bool> produced(model.tensors.size(), false);
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const Node& node = model.nodes[n];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != kNoTensor && !in_range(node.inputs[i])) {
        return fmt::format("node {} \"{}\", input {}: tensor id {} of {}", n, node.name, i,
                           node.inputs[i], count);
      }
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      if (id == kNoTensor) continue;
      if (!in_range(id)) {
        return fmt::format("node {} \"{}\", output {}: tensor id {} of {}", n, node.name, i, id,
                           count);
      }
      if (produced[static_cast<size_t>(id)]) {
        return fmt::format("node {} \"{}\", output {}: tensor \"{}\" has two producers", n,
                           node.name, i, model.tensors[static_cast<size_t>(id)].name);
      }
      produced[static_cast<size_t>(id)] = true;
    }
  }
  for (const auto& ends : {model.inputs, model.outputs}) {
    for (const TensorId id : ends) {
      if (!in_range(id)) return fmt::format("graph end: tensor id {} of {}", id, count);
    }
  }
  return {};
}

}  // namespace quantgate
