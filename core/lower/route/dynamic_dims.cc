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

Finding& AddDynamic(int32_t source, const std::string& op, const Port& port, Resolved& resolved) {
  resolved.sources[static_cast<size_t>(source)].state = SourceNode::State::kRefused;
  const std::string dims = rules::Dims(*port.tensor);
  Finding& f = resolved.findings.emplace_back(rules::Raise(
      rules::kDynamicShape, Consequence::kRejected,
      absl::StrCat(port.name, " of ", op, " has a dimension that is not fixed: ", dims)));
  f.node_index = source;
  f.op = op;
  f.port = port.name;
  f.tensor = port.tensor->name;
  f.found = dims;
  f.allowed = "fixed dimensions";
  f.fixes.push_back(rules::UnsafeFix("export the model with a static shape"));
  return f;
}

// What ends the graph became no op of it (a Dequantize before an output), and is a node of the file.
void RefuseDynamicEnds(const std::string& note, Resolved& resolved) {
  if (resolved.file == nullptr) return;
  for (size_t i = 0; i < resolved.sources.size(); ++i) {
    const SourceNode& source = resolved.sources[i];
    if (source.state != SourceNode::State::kAbsorbed || source.into >= 0) continue;
    const Node& node = resolved.file->nodes[i];
    if (const auto port = FirstDynamic(*resolved.file, node)) {
      AddDynamic(static_cast<int32_t>(i), node.op.str(), *port, resolved).note = note;
    }
  }
}

}  // namespace

void RefuseDynamicDims(opdb::Tree document, Resolved& resolved) {
  if (!document["fixed_dims_only"].flag().value_or(false)) return;
  const Model& graph = *resolved.owned;
  if (std::all_of(graph.tensors.begin(), graph.tensors.end(), IsFixed)) return;
  const std::string note(document["source"].str());
  int32_t last = -1;  // the ops of a node follow each other
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const int32_t source = resolved.op_source[i];
    if (source == last) continue;
    const Node& node = graph.nodes[i];
    const std::optional<Port> port = FirstDynamic(graph, node);
    if (!port) continue;
    last = source;
    AddDynamic(source, node.op.str(), *port, resolved).note = note;
  }
  RefuseDynamicEnds(note, resolved);
}

}  // namespace quantgate
