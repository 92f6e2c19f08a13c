#include "core/validate/well_formed.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/huge_pages.h"

namespace quantgate {
namespace {

// Node by node.
class WellFormed {
 public:
  WellFormed(const Model& model, Producers& producers)
      : count_(static_cast<TensorId>(model.tensors.size())), producers_(producers) {
    ReserveLarge(producers_, model.tensors.size());
    producers_.assign(model.tensors.size(), -1);
  }

  // A port of a node: of no tensor of the model, or an output that has a producer already.
  struct Port {
    bool output;
    size_t index;
  };

  bool InRange(TensorId id) const { return id >= 0 && id < count_; }

  // The first port that is wrong. To be called for every node in turn.
  std::optional<Port> WrongPort(const Node& node, size_t n) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (id != kNoTensor && !InRange(id)) return Port{false, i};
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      if (id == kNoTensor) continue;
      if (!InRange(id) || producers_[static_cast<size_t>(id)] >= 0) return Port{true, i};
      producers_[static_cast<size_t>(id)] = static_cast<int32_t>(n);
    }
    return std::nullopt;
  }

 private:
  TensorId count_;
  Producers& producers_;
};

}  // namespace

std::string FindMalformed(const Model& model, Producers& producers) {
  const size_t count = model.tensors.size();
  WellFormed well_formed(model, producers);
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const Node& node = model.nodes[n];
    const std::optional<WellFormed::Port> wrong = well_formed.WrongPort(node, n);
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
