// Whether a Model made by hand is a graph at all.
#ifndef QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_
#define QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "quantgate/model.h"

namespace quantgate {

// Empty when every tensor id is in range and each tensor has one producer; else what is wrong,
// with the place. Cycles need no check: nothing here follows the graph without marking.
std::string FindMalformed(const Model& model);

// The same node by node, for a pass that has more to do.
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
  bool TakesEnds(const Model& model) const {
    const auto in_range = [&](TensorId id) { return InRange(id); };
    return std::all_of(model.inputs.begin(), model.inputs.end(), in_range) &&
           std::all_of(model.outputs.begin(), model.outputs.end(), in_range);
  }

  // The first port that is wrong. To be asked for every node in turn.
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

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_
