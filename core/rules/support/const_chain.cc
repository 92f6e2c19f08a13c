#include "core/rules/support/const_chain.h"

#include <vector>

namespace quantgate::rules {

bool ComputedFromConstants(const Model& graph, const Tensor& tensor) {
  const auto start = static_cast<TensorId>(&tensor - graph.tensors.data());
  std::vector<const Node*> producer(graph.tensors.size(), nullptr);
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) producer[static_cast<size_t>(id)] = &node;
    }
  }
  std::vector<bool> seen(graph.tensors.size(), false);
  std::vector<TensorId> open = {start};
  while (!open.empty()) {
    const auto id = static_cast<size_t>(open.back());
    open.pop_back();
    if (seen[id] || graph.tensors[id].is_static) continue;
    seen[id] = true;
    if (producer[id] == nullptr) return false;
    for (const TensorId in : producer[id]->inputs) {
      if (in != kNoTensor) open.push_back(in);
    }
  }
  return true;
}

}  // namespace quantgate::rules
