#include "core/lower/route/unprepared_sequences.h"

#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/database/conditions.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

// How far before a sequence its `behind` is looked for: a block of a network.
constexpr int kMostBefore = 8;

// Who makes and who reads a tensor, by its name: a view in another layout has the same.
struct Ends {
  int32_t maker = -1, reader = -1, readers = 0;
};

class Sequences {
 public:
  Sequences(const Resolved& resolved, const Report& report) : resolved_(resolved), report_(report) {
    for (size_t i = 0; i < graph().nodes.size(); ++i) {
      const Node& node = graph().nodes[i];
      for (const TensorId id : node.inputs) {
        if (id == kNoTensor) continue;
        Ends& ends = ends_[NameOf(id)];
        ends.reader = static_cast<int32_t>(i);
        ++ends.readers;
      }
      for (const TensorId id : node.outputs) {
        if (id != kNoTensor) ends_[NameOf(id)].maker = static_cast<int32_t>(i);
      }
    }
  }

  // The last op of the sequence that begins at an op, if one does.
  std::optional<size_t> EndOf(opdb::Tree row, size_t first) const {
    const opdb::Tree ops = row["ops"];
    size_t at = first;
    for (size_t k = 0; k < ops.size(); ++k) {
      const Node& node = graph().nodes[at];
      if (node.op != ops.at(k).str() || IsOutside(at)) return std::nullopt;
      if (k + 1 == ops.size()) break;
      if (node.outputs.empty() || node.outputs[0] == kNoTensor) return std::nullopt;
      const auto next = ends_.find(NameOf(node.outputs[0]));
      if (next == ends_.end() || next->second.readers != 1) return std::nullopt;
      at = static_cast<size_t>(next->second.reader);
    }
    return IsBehind(row["behind"], first) ? std::optional(at) : std::nullopt;
  }

  int32_t SourceOf(size_t node) const {
    return resolved_.op_source.empty() ? static_cast<int32_t>(node) : resolved_.op_source[node];
  }

 private:
  const Model& graph() const { return *resolved_.graph; }
  std::string_view NameOf(TensorId id) const {
    return graph().tensors[static_cast<size_t>(id)].name;
  }
  bool IsOutside(size_t node) const {
    const Consequence verdict = report_.nodes[static_cast<size_t>(SourceOf(node))].verdict;
    return verdict == Consequence::kRejected || verdict == Consequence::kUnchecked;
  }

  // Whether one of these ops is among those that lead here.
  bool IsBehind(opdb::Tree ops, size_t node) const {
    for (int step = 0; step < kMostBefore; ++step) {
      int32_t before = -1;
      for (const TensorId id : graph().nodes[node].inputs) {
        if (id == kNoTensor) continue;
        const auto ends = ends_.find(NameOf(id));
        const int32_t maker = ends == ends_.end() ? -1 : ends->second.maker;
        if (maker < 0 || maker == static_cast<int32_t>(node)) continue;
        if (opdb::Lists(ops, graph().nodes[static_cast<size_t>(maker)].op)) return true;
        before = before < 0 ? maker : before;
      }
      if (before < 0) return false;
      node = static_cast<size_t>(before);
    }
    return false;
  }

  const Resolved& resolved_;
  const Report& report_;
  absl::flat_hash_map<std::string_view, Ends> ends_;
};

void FindSequences(opdb::Tree document, opdb::Tree row, const Sequences& sequences,
                   const Resolved& resolved, Report& report) {
  const std::string_view first = row["ops"].at(0).str();
  for (size_t i = 0; i < resolved.graph->nodes.size(); ++i) {
    if (resolved.graph->nodes[i].op != first) continue;
    const std::optional<size_t> end = sequences.EndOf(row, i);
    if (!end) continue;
    const Node& last = resolved.graph->nodes[*end];
    Finding& f = report.findings.emplace_back(
        rules::Raise(rules::kBuiltOtherwise, Consequence::kPrepareFails,
                     absl::StrCat(last.op.str(), ": ", std::string(row["reason"].str()))));
    f.node_index = sequences.SourceOf(*end);
    f.op = last.op;
    f.note = std::string(document["source"].str());
    f.fixes.push_back({std::string(row["fix"].str()), false, {}});
    NodeReport& reported = report.nodes[static_cast<size_t>(f.node_index)];
    f.node = reported.name;
    reported.verdict = Worse(reported.verdict, f.consequence);
  }
}

}  // namespace

void AddUnpreparedSequences(opdb::Tree document, const Resolved& resolved, Report& report) {
  const opdb::Tree rows = document["unprepared_sequences"];
  if (rows.size() == 0) return;
  const Sequences sequences(resolved, report);
  for (size_t i = 0; i < rows.size(); ++i) {
    FindSequences(document, rows.at(i), sequences, resolved, report);
  }
}

}  // namespace quantgate
