#include "core/ir/graph_ends.h"

#include <cstdint>
#include <vector>

namespace quantgate {

void FillGraphEnds(Model& model) {
  if (!model.inputs.empty() && !model.outputs.empty()) return;
  std::vector<bool> produced(model.tensors.size(), false);
  std::vector<bool> consumed(model.tensors.size(), false);
  for (const Node& node : model.nodes) {
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) produced[id] = true;
    }
    for (const TensorId id : node.inputs) {
      if (id != kNoTensor) consumed[id] = true;
    }
  }
  const bool fill_inputs = model.inputs.empty();
  const bool fill_outputs = model.outputs.empty();
  for (TensorId id = 0; id < static_cast<TensorId>(model.tensors.size()); ++id) {
    if (fill_inputs && !produced[id] && !model.tensors[id].is_static) model.inputs.push_back(id);
    if (fill_outputs && produced[id] && !consumed[id]) model.outputs.push_back(id);
  }
}

}  // namespace quantgate
