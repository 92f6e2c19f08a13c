#include "core/lower/route/dynamic_dims.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/rules/raise.h"
#include "core/rules/support/format.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

bool IsFixed(const Tensor& t) {
  return std::find(t.dims.begin(), t.dims.end(), kDynamicDim) == t.dims.end();
}

struct Port {
  std::string name;
  const Tensor* tensor;
};

std::optional<Port> FirstDynamic(const Model& graph, const Node& node) {
  const std::pair<std::string_view, std::span<const TensorId>> sides[] = {{"in", node.inputs},
                                                                          {"out", node.outputs}};
  for (const auto& [side, ids] : sides) {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == kNoTensor) continue;
      const Tensor& t = graph.tensors[static_cast<size_t>(ids[i])];
      if (!IsFixed(t)) return Port{absl::StrFormat("%s[%d]", side, i), &t};
    }
  }
  return std::nullopt;
}

}  // namespace

void RefuseDynamicDims(opdb::Tree document, Resolved& resolved) {
  if (!document["fixed_dims_only"].flag().value_or(false)) return;
  const Model& graph = *resolved.owned;
  if (std::all_of(graph.tensors.begin(), graph.tensors.end(), IsFixed)) return;
  int32_t last = -1;  // the ops of a node follow each other
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const int32_t source = resolved.op_source[i];
    if (source == last) continue;
    const Node& node = graph.nodes[i];
    const std::optional<Port> port = FirstDynamic(graph, node);
    if (!port) continue;
    last = source;
    resolved.sources[static_cast<size_t>(source)].state = SourceNode::State::kRefused;
    const std::string dims = rules::Dims(*port->tensor);
    Finding& f = resolved.findings.emplace_back(rules::Raise(
        rules::kDynamicShape, Consequence::kRejected,
        absl::StrCat(port->name, " of ", node.op.str(), " has a dimension that is not fixed: ",
                     dims)));
    f.node_index = source;
    f.op = node.op;
    f.port = port->name;
    f.tensor = port->tensor->name;
    f.found = dims;
    f.allowed = "fixed dimensions";
    f.fixes.push_back(rules::UnsafeFix("export the model with a static shape"));
    f.note = std::string(document["source"].str());
  }
}

}  // namespace quantgate
