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

// What each tensor comes from.
struct Ends {
  explicit Ends(const Model& model) : producer(model.tensors.size(), -1), is_input(model.tensors.size()) {
    for (const TensorId id : model.inputs) is_input[id] = true;
  }
  std::vector<int32_t> producer;  // a node; -1 = none
  std::vector<bool> is_input;
};

// Fills in the producers; a problem where one tensor has two.
std::optional<GraphProblem> FindProducers(const Model& model, Ends& ends) {
  for (int32_t n = 0; n < static_cast<int32_t>(model.nodes.size()); ++n) {
    const Node& node = model.nodes[n];
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const TensorId id = node.outputs[k];
      if (id == kNoTensor) continue;
      const auto problem = [&](std::string_view what) {
        return GraphProblem{n, static_cast<int32_t>(k), false,
                            absl::StrCat("tensor ", Quoted(model.tensors[id].name),
                                         absl::string_view(what.data(), what.size()))};
      };
      if (ends.producer[id] >= 0) {
        return problem(absl::StrCat(" is already produced by node ",
                                    Quoted(model.nodes[ends.producer[id]].name)));
      }
      if (ends.is_input[id]) return problem(" is also an input of the graph");
      ends.producer[id] = n;
    }
  }
  return std::nullopt;
}

std::optional<GraphProblem> FindUnproduced(const Model& model, const Ends& ends) {
  const auto is_missing = [&](TensorId id) {
    return id != kNoTensor && ends.producer[id] < 0 && !ends.is_input[id] && !model.tensors[id].is_static;
  };
  const auto never = [&](TensorId id) {
    return absl::StrCat("tensor ", Quoted(model.tensors[id].name), " is never produced");
  };
  for (int32_t n = 0; n < static_cast<int32_t>(model.nodes.size()); ++n) {
    const Node& node = model.nodes[n];
    if (!node.unchecked_reason.empty()) continue;
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      if (is_missing(node.inputs[k])) {
        return GraphProblem{n, static_cast<int32_t>(k), true, never(node.inputs[k])};
      }
    }
  }
  for (size_t k = 0; k < model.outputs.size(); ++k) {
    if (is_missing(model.outputs[k])) {
      return GraphProblem{-1, static_cast<int32_t>(k), false, never(model.outputs[k])};
    }
  }
  return std::nullopt;
}

// Nodes in an order in which each comes after those it reads; fewer than all where there is a cycle.
std::vector<int32_t> InOrder(const Model& model, const std::vector<int32_t>& producer) {
  const auto node_count = static_cast<int32_t>(model.nodes.size());
  // Consumers of each node's outputs, as one flat list.
  std::vector<int32_t> waiting(node_count, 0);
  std::vector<int32_t> first(node_count + 1, 0);
  const auto for_each_producer = [&](int32_t n, auto&& use) {
    for (const TensorId id : model.nodes[n].inputs) {
      if (id != kNoTensor && producer[id] >= 0) use(producer[id]);
    }
  };
  for (int32_t n = 0; n < node_count; ++n) {
    for_each_producer(n, [&](int32_t from) {
      ++waiting[n];
      ++first[from + 1];
    });
  }
  for (int32_t n = 0; n < node_count; ++n) first[n + 1] += first[n];
  std::vector<int32_t> consumers(first[node_count]);
  std::vector<int32_t> fill(first.begin(), first.end() - 1);
  std::vector<int32_t> sorted;
  sorted.reserve(node_count);
  for (int32_t n = 0; n < node_count; ++n) {
    for_each_producer(n, [&](int32_t from) { consumers[fill[from]++] = n; });
    if (waiting[n] == 0) sorted.push_back(n);
  }
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (int32_t c = first[sorted[i]]; c < first[sorted[i] + 1]; ++c) {
      if (--waiting[consumers[c]] == 0) sorted.push_back(consumers[c]);
    }
  }
  return sorted;
}

}  // namespace

std::optional<GraphProblem> FindGraphProblem(const Model& model, std::vector<int32_t>* order) {
  Ends ends(model);
  if (auto problem = FindProducers(model, ends)) return problem;
  if (auto problem = FindUnproduced(model, ends)) return problem;
  std::vector<int32_t> sorted = InOrder(model, ends.producer);
  if (sorted.size() != model.nodes.size()) {
    std::vector<bool> ordered(model.nodes.size(), false);
    for (const int32_t n : sorted) ordered[n] = true;
    const auto start =
        static_cast<int32_t>(std::find(ordered.begin(), ordered.end(), false) - ordered.begin());
    return GraphProblem{start, -1, true, DescribeCycle(model, ends.producer, ordered, start)};
  }
  if (order != nullptr) *order = std::move(sorted);
  return std::nullopt;
}

}  // namespace quantgate
