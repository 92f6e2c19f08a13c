#include "core/oracle/graph_reduction.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "quantgate/extract.h"

namespace quantgate::verify {
namespace {

using Ops = std::vector<int32_t>;

// Zeller's ddmin.
Ops SmallestSet(Ops ops, const std::function<bool(const Ops&)>& fails) {
  size_t parts = 2;
  while (ops.size() > 1) {
    const size_t size = (ops.size() + parts - 1) / parts;
    bool smaller = false;
    // Each part alone, then all but each part.
    for (const bool alone : {true, false}) {
      if (!alone && parts == 2) break;  // the same sets again
      for (size_t at = 0; at < ops.size() && !smaller; at += size) {
        const size_t end = std::min(at + size, ops.size());
        Ops tried;
        for (size_t i = 0; i < ops.size(); ++i) {
          if ((i >= at && i < end) == alone) tried.push_back(ops[i]);
        }
        if (tried.empty() || !fails(tried)) continue;
        ops = std::move(tried);
        parts = alone ? 2 : std::max<size_t>(parts - 1, 2);
        smaller = true;
      }
      if (smaller) break;
    }
    if (smaller) continue;
    if (parts >= ops.size()) break;
    parts = std::min(ops.size(), parts * 2);
  }
  return ops;
}

// Every dimension of this size halved, with the scales of its channels.
Model Halved(Model graph, int64_t size) {
  const auto half = static_cast<size_t>(size / 2);
  for (Tensor& tensor : graph.tensors) {
    bool changed = false;
    for (size_t i = 0; i < tensor.dims.size(); ++i) {
      if (tensor.dims[i] != size) continue;
      tensor.dims[i] = size / 2;
      changed = true;
      const auto rank = static_cast<int>(tensor.dims.size());
      const int axis = tensor.encoding->axis < 0 ? tensor.encoding->axis + rank : tensor.encoding->axis;
      if (axis != static_cast<int>(i)) continue;
      Encoding& encoding = tensor.encoding.Edit();
      if (encoding.scales.size() > half) encoding.scales.resize(half);
      if (encoding.zero_points.size() > half) encoding.zero_points.resize(half);
    }
    if (changed) tensor.values = nullptr;
  }
  return graph;
}

std::set<int64_t> Sizes(const Model& graph) {
  std::set<int64_t> sizes;
  for (const Tensor& tensor : graph.tensors) {
    for (const int64_t dim : tensor.dims) {
      if (dim > 1) sizes.insert(dim);
    }
  }
  return sizes;
}

}  // namespace

Model SmallestThatFails(const Model& graph, const GraphFails& fails) {
  Ops all(graph.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  const Ops left = SmallestSet(all, [&](const Ops& ops) { return fails(Submodel(graph, ops)); });
  Model smallest = left.size() == all.size() ? graph : Submodel(graph, left);
  const std::set<int64_t> sizes = Sizes(smallest);
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    for (int64_t now = *size; now > 1; now /= 2) {
      Model halved = Halved(smallest, now);
      if (!fails(halved)) break;
      smallest = std::move(halved);
    }
  }
  return smallest;
}

}  // namespace quantgate::verify
