#include "core/validate/well_formed.h"

#include <fmt/core.h>

namespace quantgate {

std::string FindMalformed(const Model& model) {
  const size_t count = model.tensors.size();
  WellFormed well_formed(model);
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const Node& node = model.nodes[n];
    const std::optional<WellFormed::Port> wrong = well_formed.WrongPort(node);
    if (!wrong) continue;
    const TensorId id = wrong->output ? node.outputs[wrong->index] : node.inputs[wrong->index];
    const std::string place = fmt::format("node {} \"{}\", {} {}", n, node.name,
                                          wrong->output ? "output" : "input", wrong->index);
    if (!well_formed.InRange(id)) return fmt::format("{}: tensor id {} of {}", place, id, count);
    return fmt::format("{}: tensor \"{}\" has two producers", place,
                       model.tensors[static_cast<size_t>(id)].name);
  }
  for (const auto& ends : {model.inputs, model.outputs}) {
    for (const TensorId id : ends) {
      if (!well_formed.InRange(id)) return fmt::format("graph end: tensor id {} of {}", id, count);
    }
  }
  return {};
}

}  // namespace quantgate
