#include "core/validate/well_formed.h"

#include <fmt/core.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace quantgate {
namespace {

// Node by node.
class WellFormed {
 public:
  explicit WellFormed(const Model& model)
      : count_(static_cast<TensorId>(model.tensors.size())), produced_(model.tensors.size()) {}

  // A port of a node: of no tensor of the model, or an output that has a producer already.
  struct Port {
    bool output;
    size_t index;
  };

  bool InRange(TensorId id) const { return id >= 0 && id < count_; }

  // The first port that is wrong. To be called for every node in turn.
  std::optional<Port> WrongPort(const Node& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (id != kNoTensor && !InRange(id)) return Port{false, i};
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      if (id == kNoTensor) continue;
      if (!InRange(id) || produced_[static_cast<size_t>(id)]) return Port{true, i};
      produced_[static_cast<size_t>(id)] = true;
    }
    return std::nullopt;
  }

 private:
  TensorId count_;
  std::vector<bool> produced_;
};

}  // namespace

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
