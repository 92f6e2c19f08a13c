#include "core/readers/graph_check.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/text.h"

namespace quantgate {
namespace {

constexpr int kCycleNodesNamed = 6;

// Follows producers backwards from an unordered node until a node comes again: a cycle.
std::string DescribeCycle(const Model& model, const std::vector<int32_t>& producer,
                          const std::vector<bool>& ordered, int32_t start) {
  std::vector<int32_t> path;
  std::vector<int32_t> place(model.nodes.size(), -1);
  int32_t node = start;
  while (place[node] < 0) {
    place[node] = static_cast<int32_t>(path.size());
    path.push_back(node);
    for (const TensorId input : model.nodes[node].inputs) {
      if (input != kNoTensor && producer[input] >= 0 && !ordered[producer[input]]) {
        node = producer[input];
        break;
      }
    }
  }
  path.erase(path.begin(), path.begin() + place[node]);
  std::reverse(path.begin(), path.end());
  std::string out = "the graph has a cycle: ";
  int named = 0;
  for (const int32_t member : path) {
    if (++named > kCycleNodesNamed) {
      absl::StrAppend(&out, "(", path.size() - kCycleNodesNamed, " more) -> ");
      break;
    }
    absl::StrAppend(&out, Quoted(model.nodes[member].name), " -> ");
  }
  absl::StrAppend(&out, Quoted(model.nodes[path.front()].name));
  return out;
}

}  // namespace

std::optional<GraphProblem> FindGraphProblem(const Model& model, std::vector<int32_t>* order) {
  const auto node_count = static_cast<int32_t>(model.nodes.size());
  std::vector<int32_t> producer(model.tensors.size(), -1);
  std::vector<bool> is_input(model.tensors.size(), false);
  for (const TensorId id : model.inputs) is_input[id] = true;
  for (int32_t n = 0; n < node_count; ++n) {
    const Node& node = model.nodes[n];
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const TensorId id = node.outputs[k];
      if (id == kNoTensor) continue;
      const auto problem = [&](std::string_view what) {
        return GraphProblem{n, static_cast<int32_t>(k), false,
                            absl::StrCat("tensor ", Quoted(model.tensors[id].name),
                                         absl::string_view(what.data(), what.size()))};
      };
      if (producer[id] >= 0) {
        return problem(
            absl::StrCat(" is already produced by node ", Quoted(model.nodes[producer[id]].name)));
      }
      if (is_input[id]) return problem(" is also an input of the graph");
      producer[id] = n;
    }
  }
  const auto provided = [&](TensorId id) {
    return producer[id] >= 0 || is_input[id] || model.tensors[id].is_static;
  };
  const auto never = [&](TensorId id) {
    return absl::StrCat("tensor ", Quoted(model.tensors[id].name), " is never produced");
  };
  // Consumers of each node's outputs, as one flat list.
  std::vector<int32_t> waiting(node_count, 0);
  std::vector<int32_t> first(node_count + 1, 0);
  for (int32_t n = 0; n < node_count; ++n) {
    const Node& node = model.nodes[n];
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const TensorId id = node.inputs[k];
      if (id == kNoTensor) continue;
      if (!provided(id)) {
        if (!node.unchecked_reason.empty()) continue;
        return GraphProblem{n, static_cast<int32_t>(k), true, never(id)};
      }
      if (producer[id] < 0) continue;
      ++waiting[n];
      ++first[producer[id] + 1];
    }
  }
  for (size_t k = 0; k < model.outputs.size(); ++k) {
    if (!provided(model.outputs[k])) {
      return GraphProblem{-1, static_cast<int32_t>(k), false, never(model.outputs[k])};
    }
  }
  for (int32_t n = 0; n < node_count; ++n) first[n + 1] += first[n];
  std::vector<int32_t> consumers(first[node_count]);
  std::vector<int32_t> fill(first.begin(), first.end() - 1);
  std::vector<int32_t> sorted;
  sorted.reserve(node_count);
  for (int32_t n = 0; n < node_count; ++n) {
    for (const TensorId id : model.nodes[n].inputs) {
      if (id != kNoTensor && producer[id] >= 0) consumers[fill[producer[id]]++] = n;
    }
    if (waiting[n] == 0) sorted.push_back(n);
  }
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (int32_t c = first[sorted[i]]; c < first[sorted[i] + 1]; ++c) {
      if (--waiting[consumers[c]] == 0) sorted.push_back(consumers[c]);
    }
  }
  if (static_cast<int32_t>(sorted.size()) != node_count) {
    std::vector<bool> ordered(node_count, false);
    for (const int32_t n : sorted) ordered[n] = true;
    const auto start =
        static_cast<int32_t>(std::find(ordered.begin(), ordered.end(), false) - ordered.begin());
    return GraphProblem{start, -1, true, DescribeCycle(model, producer, ordered, start)};
  }
  if (order != nullptr) *order = std::move(sorted);
  return std::nullopt;
}

std::optional<int64_t> ElementCount(const int64_t* dims, size_t rank) {
  // A zero anywhere makes the product 0, but the others must still be sane.
  int64_t count = 1;
  bool empty = false;
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] == 0) empty = true;
    if (dims[i] <= 0) continue;
    if (__builtin_mul_overflow(count, dims[i], &count)) return std::nullopt;
  }
  return empty ? 0 : count;
}

}  // namespace quantgate
