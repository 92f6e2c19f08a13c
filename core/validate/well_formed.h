// Whether a Model made by hand is a graph at all.
#ifndef QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_
#define QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_

#include <algorithm>
#include <string>
#include <vector>

#include "quantgate/model.h"

namespace quantgate {

// Empty when every tensor id is in range and each tensor has one producer; else what is wrong,
// with the place. Cycles need no check: nothing here follows the graph without marking.
std::string FindMalformed(const Model& model);

// The same for a pass over the nodes that has more to do, without words.
class WellFormed {
 public:
  explicit WellFormed(const Model& model)
      : count_(static_cast<TensorId>(model.tensors.size())), produced_(model.tensors.size()) {}

  bool TakesEnds(const Model& model) const {
    const auto in_range = [&](TensorId id) { return id >= 0 && id < count_; };
    return std::all_of(model.inputs.begin(), model.inputs.end(), in_range) &&
           std::all_of(model.outputs.begin(), model.outputs.end(), in_range);
  }

  // False: the node is malformed. To be asked for every node in turn.
  bool Takes(const Node& node) {
    for (const TensorId id : node.inputs) {
      if (id != kNoTensor && (id < 0 || id >= count_)) return false;
    }
    for (const TensorId id : node.outputs) {
      if (id == kNoTensor) continue;
      if (id < 0 || id >= count_ || produced_[static_cast<size_t>(id)]) return false;
      produced_[static_cast<size_t>(id)] = true;
    }
    return true;
  }

 private:
  TensorId count_;
  std::vector<bool> produced_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_
