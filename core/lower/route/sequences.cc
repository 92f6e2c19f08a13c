#include "core/lower/route/sequences.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/database/conditions.h"
#include "core/lower/expression/expr.h"
#include "core/lower/resolve/plain_scope.h"
#include "core/lower/route/graph_scope.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

// How far before a sequence its `behind` is looked for: a block of a network.
constexpr int kMostBefore = 8;

// Whether one of these ops, with an output of these dtypes, is among those that lead to a node.
bool IsBehind(opdb::Tree ops, opdb::Tree dtypes, size_t node, const Model& graph, EndsByName& ends) {
  for (int step = 0; step < kMostBefore; ++step) {
    int32_t before = -1;
    for (const TensorId id : graph.nodes[node].inputs) {
      if (id == kNoTensor) continue;
      const int32_t maker = ends.Of(graph.tensors[static_cast<size_t>(id)].name).maker;
      if (maker < 0 || maker == static_cast<int32_t>(node)) continue;
      const Node& made = graph.nodes[static_cast<size_t>(maker)];
      if (opdb::Lists(ops, made.op) && HasDtype(dtypes, graph, made.outputs)) return true;
      before = before < 0 ? maker : before;
    }
    if (before < 0) return false;
    node = static_cast<size_t>(before);
  }
  return false;
}

// What a row asks of the first op, of the operator of the file that it is made of, of those that stand between, of the
// last and of the farthest op before them.
struct Conditions {
  explicit Conditions(opdb::Tree row)
      : first(row["first_when"]),
        source(row["source_when"]),
        between(row["through_when"]),
        last(row["when"]),
        after(row["after_when"]) {}

  mapping::Condition first, source, between, last, after;
};

// Whether ops of these lists, the last list nearest, lead to a node by any of its inputs, whoever else reads what
// is between, and the condition holds for the farthest. So many lists count.
bool ComesAfter(opdb::Tree lists, size_t count, mapping::Condition& condition, size_t node, const Model& graph,
                EndsByName& ends) {
  if (count == 0) return condition.Holds(GraphScope(graph, node));
  for (const TensorId id : graph.nodes[node].inputs) {
    if (id == kNoTensor) continue;
    const int32_t maker = ends.Of(graph.tensors[static_cast<size_t>(id)].name).maker;
    if (maker < 0 || maker == static_cast<int32_t>(node)) continue;
    const auto at = static_cast<size_t>(maker);
    if (opdb::Lists(lists.at(count - 1), graph.nodes[at].op) &&
        ComesAfter(lists, count - 1, condition, at, graph, ends)) {
      return true;
    }
  }
  return false;
}

// The operator of the file that an op is made of.
const Node& SourceNode(const Resolved& resolved, size_t op) {
  return resolved.file->nodes[static_cast<size_t>(SourceOf(resolved, op))];
}

// Whether the k-th op of a sequence is made of the operator that `written_as` has ("any": whichever), and reads the one
// before, whose output has this name, where `ports` says.
bool StandsAs(opdb::Tree row, size_t k, size_t at, std::string_view from, const Resolved& resolved) {
  if (const opdb::Tree written = row["written_as"]; written && resolved.file != nullptr) {
    const std::string_view op = written.at(k).str();
    if (op != "any" && SourceNode(resolved, at).op != op) return false;
  }
  const opdb::Tree ports = row["ports"];
  if (!ports || k == 0) return true;
  const Node& node = resolved.graph->nodes[at];
  const auto port = static_cast<size_t>(ports.at(k - 1).integer().value_or(0));
  return port < node.inputs.size() && node.inputs[port] != kNoTensor &&
         resolved.graph->tensors[static_cast<size_t>(node.inputs[port])].name == from;
}

// Whether what `source_when` asks holds for the operator that an op is made of: a scalar is a tensor of one dimension
// in the graph that the backend gets.
bool HasSource(mapping::Condition& condition, size_t op, const Resolved& resolved) {
  return resolved.file == nullptr || condition.Holds(PlainScope(*resolved.file, SourceNode(resolved, op)));
}

// The last op of the sequence that begins at an op, if one does.
std::optional<size_t> EndOf(opdb::Tree row, Conditions& conditions, size_t first, const Resolved& resolved,
                            const Report& report, EndsByName& ends) {
  const Model& graph = *resolved.graph;
  const opdb::Tree ops = row["ops"];
  if (!HasDtype(row["from_dtypes"], graph, graph.nodes[first].inputs)) return std::nullopt;
  if (!conditions.first.Holds(GraphScope(graph, first))) return std::nullopt;
  if (!HasSource(conditions.source, first, resolved)) return std::nullopt;
  size_t at = first;
  std::string_view from;
  for (size_t k = 0;;) {
    const Node& node = graph.nodes[at];
    if (IsOutside(resolved, report, at)) return std::nullopt;
    if (opdb::Lists(ops.at(k), node.op)) {
      if (!StandsAs(row, k, at, from, resolved)) return std::nullopt;
      if (++k == ops.size()) break;
    } else if (!opdb::Lists(row["through"], node.op) || !conditions.between.Holds(GraphScope(graph, at))) {
      return std::nullopt;
    }
    if (node.outputs.empty() || node.outputs[0] == kNoTensor) return std::nullopt;
    from = graph.tensors[static_cast<size_t>(node.outputs[0])].name;
    const int32_t next = ends.OnlyReader(from);
    if (next < 0) return std::nullopt;
    at = static_cast<size_t>(next);
  }
  if (!HasDtype(row["to_dtypes"], graph, graph.nodes[at].outputs)) return std::nullopt;
  if (!conditions.last.Holds(GraphScope(graph, at))) return std::nullopt;
  const opdb::Tree after = row["after"];
  if (after && !ComesAfter(after, after.size(), conditions.after, first, graph, ends)) return std::nullopt;
  const opdb::Tree not_after = row["not_after"];
  mapping::Condition whichever;
  if (not_after && ComesAfter(not_after, not_after.size(), whichever, first, graph, ends)) return std::nullopt;
  if (row["behind"] && !IsBehind(row["behind"], row["behind_dtypes"], first, graph, ends)) return std::nullopt;
  if (row["not_behind"] && IsBehind(row["not_behind"], {}, first, graph, ends)) return std::nullopt;
  return at;
}

void FindSequences(opdb::Tree document, opdb::Tree row, const Resolved& resolved, EndsByName& ends,
                   Report& report) {
  const Model& graph = *resolved.graph;
  const opdb::Tree listed = row["ops"].at(0);
  std::vector<std::string_view> first;
  for (size_t i = 0; i < listed.size(); ++i) first.push_back(listed.at(i).str());
  Conditions conditions(row);
  const Consequence breach = ConsequenceFromName(row["breach"].str()).value_or(Consequence::kPrepareFails);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (std::find(first.begin(), first.end(), graph.nodes[i].op) == first.end()) continue;
    const std::optional<size_t> end = EndOf(row, conditions, i, resolved, report, ends);
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

void AddSequences(opdb::Tree document, const Resolved& resolved, EndsByName& ends, Report& report) {
  const opdb::Tree rows = document["sequences"];
  for (size_t i = 0; i < rows.size(); ++i) {
    const opdb::Tree archs = rows.at(i)["archs"];
    if (!archs || opdb::Lists(archs, report.arch)) FindSequences(document, rows.at(i), resolved, ends, report);
  }
}

}  // namespace quantgate
