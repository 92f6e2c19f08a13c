#include "core/lower/route/unprepared_sequences.h"

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

// Whether one of these ops is among those that lead to a node.
bool IsBehind(opdb::Tree ops, size_t node, const Model& graph, EndsByName& ends) {
  for (int step = 0; step < kMostBefore; ++step) {
    int32_t before = -1;
    for (const TensorId id : graph.nodes[node].inputs) {
      if (id == kNoTensor) continue;
      const int32_t maker = ends.Of(graph.tensors[static_cast<size_t>(id)].name).maker;
      if (maker < 0 || maker == static_cast<int32_t>(node)) continue;
      if (opdb::Lists(ops, graph.nodes[static_cast<size_t>(maker)].op)) return true;
      before = before < 0 ? maker : before;
    }
    if (before < 0) return false;
    node = static_cast<size_t>(before);
  }
  return false;
}

// The last op of the sequence that begins at an op, if one does.
std::optional<size_t> EndOf(opdb::Tree row, size_t first, const Resolved& resolved, const Report& report,
                            EndsByName& ends) {
  const Model& graph = *resolved.graph;
  const opdb::Tree ops = row["ops"];
  size_t at = first;
  for (size_t k = 0; k < ops.size(); ++k) {
    const Node& node = graph.nodes[at];
    if (node.op != ops.at(k).str() || IsOutside(resolved, report, at)) return std::nullopt;
    if (k + 1 == ops.size()) break;
    if (node.outputs.empty() || node.outputs[0] == kNoTensor) return std::nullopt;
    const int32_t next = ends.OnlyReader(graph.tensors[static_cast<size_t>(node.outputs[0])].name);
    if (next < 0) return std::nullopt;
    at = static_cast<size_t>(next);
  }
  return IsBehind(row["behind"], first, graph, ends) ? std::optional(at) : std::nullopt;
}

void FindSequences(opdb::Tree document, opdb::Tree row, const Resolved& resolved, EndsByName& ends,
                   Report& report) {
  const Model& graph = *resolved.graph;
  const std::string_view first = row["ops"].at(0).str();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].op != first) continue;
    const std::optional<size_t> end = EndOf(row, i, resolved, report, ends);
    if (!end) continue;
    Finding& f = AddFailure(rules::Raise(rules::kBuiltOtherwise, Consequence::kPrepareFails,
                                         absl::StrCat(graph.nodes[*end].op.str(), ": ",
                                                      std::string(row["reason"].str()))),
                            *end, resolved, report);
    f.note = std::string(document["source"].str());
    f.fixes.push_back({std::string(row["fix"].str()), false, {}});
  }
}

}  // namespace

void AddUnpreparedSequences(opdb::Tree document, const Resolved& resolved, EndsByName& ends,
                            Report& report) {
  const opdb::Tree rows = document["unprepared_sequences"];
  for (size_t i = 0; i < rows.size(); ++i) FindSequences(document, rows.at(i), resolved, ends, report);
}

}  // namespace quantgate
