#include "core/lower/route/sequences.h"

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/database/conditions.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

// How far before a sequence its `behind` is looked for: a block of a network.
constexpr int kMostBefore = 8;

// Whether one of the ops `behind` that a row may have, of its dtypes, is among those that lead to a node.
bool IsBehind(opdb::Tree row, size_t node, const Model& graph, EndsByName& ends) {
  const opdb::Tree ops = row["behind"];
  if (!ops) return true;
  for (int step = 0; step < kMostBefore; ++step) {
    int32_t before = -1;
    for (const TensorId id : graph.nodes[node].inputs) {
      if (id == kNoTensor) continue;
      const int32_t maker = ends.Of(graph.tensors[static_cast<size_t>(id)].name).maker;
      if (maker < 0 || maker == static_cast<int32_t>(node)) continue;
      const Node& made = graph.nodes[static_cast<size_t>(maker)];
      if (opdb::Lists(ops, made.op) && HasDtype(row["behind_dtypes"], graph, made.outputs)) return true;
      before = before < 0 ? maker : before;
    }
    if (before < 0) return false;
    node = static_cast<size_t>(before);
  }
  return false;
}

// Whether what a node reads has the dimensions that a row may have; 0 is any.
bool HasDims(opdb::Tree dims, const Model& graph, const Node& node) {
  if (!dims) return true;
  if (node.inputs.empty() || node.inputs[0] == kNoTensor) return false;
  const Tensor& tensor = graph.tensors[static_cast<size_t>(node.inputs[0])];
  if (tensor.rank() != static_cast<int>(dims.size())) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = dims.at(i).integer().value_or(0);
    if (dim != 0 && dim != tensor.dims[i]) return false;
  }
  return true;
}

// Whether a node works along the axes that a row may have.
bool HasAxes(opdb::Tree axes, const Node& node) {
  if (!axes) return true;
  const Param* param = node.FindParam("axes");
  const auto ints = param == nullptr ? std::nullopt : IntsOf(param->value);
  if (!ints || ints->size() != axes.size()) return false;
  for (const int64_t axis : *ints) {
    if (!opdb::Lists(axes, axis)) return false;
  }
  return true;
}

// The last op of the sequence that begins at an op, if one does.
std::optional<size_t> EndOf(opdb::Tree row, size_t first, const Resolved& resolved, const Report& report,
                            EndsByName& ends) {
  const Model& graph = *resolved.graph;
  const opdb::Tree ops = row["ops"];
  if (!HasDtype(row["from_dtypes"], graph, graph.nodes[first].inputs)) return std::nullopt;
  size_t at = first;
  for (size_t k = 0;;) {
    const Node& node = graph.nodes[at];
    if (IsOutside(resolved, report, at)) return std::nullopt;
    if (opdb::Lists(ops.at(k), node.op)) {
      if (++k == ops.size()) break;
    } else if (!opdb::Lists(row["through"], node.op)) {
      return std::nullopt;
    }
    if (node.outputs.empty() || node.outputs[0] == kNoTensor) return std::nullopt;
    const int32_t next = ends.OnlyReader(graph.tensors[static_cast<size_t>(node.outputs[0])].name);
    if (next < 0) return std::nullopt;
    at = static_cast<size_t>(next);
  }
  if (!HasDtype(row["to_dtypes"], graph, graph.nodes[at].outputs) ||
      !HasDims(row["last_dims"], graph, graph.nodes[at]) || !HasAxes(row["last_axes"], graph.nodes[at])) {
    return std::nullopt;
  }
  return IsBehind(row, first, graph, ends) ? std::optional(at) : std::nullopt;
}

void FindSequences(opdb::Tree document, opdb::Tree row, const Resolved& resolved, EndsByName& ends,
                   Report& report) {
  const Model& graph = *resolved.graph;
  const opdb::Tree first = row["ops"].at(0);
  const Consequence breach = ConsequenceFromName(row["breach"].str()).value_or(Consequence::kPrepareFails);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!opdb::Lists(first, graph.nodes[i].op)) continue;
    const std::optional<size_t> end = EndOf(row, i, resolved, report, ends);
    if (!end) continue;
    Finding& f = AddFailure(rules::Raise(rules::kBuiltOtherwise, breach,
                                         absl::StrCat(graph.nodes[*end].op.str(), ": ",
                                                      std::string(row["reason"].str()))),
                            *end, resolved, report);
    f.note = std::string(document["source"].str());
    f.fixes.push_back({std::string(row["fix"].str()), false, {}});
  }
}

}  // namespace

void AddSequences(opdb::Tree document, const Resolved& resolved, EndsByName& ends,
                            Report& report) {
  const opdb::Tree rows = document["sequences"];
  for (size_t i = 0; i < rows.size(); ++i) {
    const opdb::Tree archs = rows.at(i)["archs"];
    if (!archs || opdb::Lists(archs, report.arch)) FindSequences(document, rows.at(i), resolved, ends, report);
  }
}

}  // namespace quantgate
