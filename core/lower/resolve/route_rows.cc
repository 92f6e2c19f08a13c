// What a route says of operators of the file (`operators` of its document).
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/database/conditions.h"
#include "core/lower/resolve/node_scope.h"
#include "core/lower/resolve/releases.h"
#include "core/lower/resolve/source_resolver.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {

// Outcomes that leave the node with the backend, and what is reported of it.
struct ReportedOutcome {
  std::string_view name;
  RuleId rule;
  Consequence consequence;
  std::string_view text;  // between the operator and the reason
};
constexpr ReportedOutcome kReportedOutcomes[] = {
    {"advice", rules::kBuiltOtherwise, Consequence::kAdvice, " computes other numbers for some values: "},
    {"slower", rules::kBuiltOtherwise, Consequence::kAdvice, " is slower than it could be: "},
    {"undocumented", rules::kRefusedByRoute, Consequence::kUndocumented,
     " is written as the tool does not document it: "},
    {"wrong_values", rules::kBuiltOtherwise, Consequence::kWrongValues, " computes other numbers: "},
    {"prepare_fails", rules::kRefusedByRoute, Consequence::kPrepareFails, " is not prepared: "}};

static const ReportedOutcome* FindReported(std::string_view outcome) {
  const auto* const it = std::find_if(std::begin(kReportedOutcomes), std::end(kReportedOutcomes),
                                      [&](const ReportedOutcome& row) { return row.name == outcome; });
  return it == std::end(kReportedOutcomes) ? nullptr : it;
}

struct SourceResolver::RouteRow {
  mapping::Condition when;  // empty = always
  std::string reason;
  std::string_view outcome;
  opdb::Tree archs;  // of an outcome that leaves the node with the backend; none = all
  bool of_some_releases = false;  // newer ones that the model may meet too do it right

  bool StaysWithBackend() const { return of_some_releases || FindReported(outcome) != nullptr; }
};

void SourceResolver::ApplyRow(int32_t index, const RouteRow& row, std::string_view source) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  const std::string& reason = row.reason;
  SourceNode& state = resolved_.sources[static_cast<size_t>(index)];
  if (row.of_some_releases) {
    Report(index, rules::kRefusedByRoute, Consequence::kAdvice,
           absl::StrCat(node.op.str(), " depends on the release: ", reason));
  } else if (const ReportedOutcome* reported = FindReported(row.outcome)) {
    Report(index, reported->rule, reported->consequence,
           absl::StrCat(node.op.str(), Absl(reported->text), reason));
  } else if (row.outcome == "fused") {
    state.state = SourceNode::State::kAbsorbed;
    state.reason = {};
    return;
  } else if (row.outcome == "unchecked") {
    Uncheck(index, absl::StrCat(node.op.str(), ": ", reason));
  } else if (row.outcome == "float") {
    const NodeState& unit = states_[static_cast<size_t>(index)];
    if (unit.half_quantized) return;  // it is in float, and that was said
    state.replaced = unit.quantized;
    Report(index, rules::kHalfQuantizedUnit, Consequence::kAltered,
           absl::StrCat(node.op.str(), " runs in float: ", reason));
  } else if (row.outcome == "lowering_fails") {
    state.state = SourceNode::State::kRefused;
    state.reason = {};
    Report(index, rules::kRefusedByRoute, Consequence::kPrepareFails,
           absl::StrCat(node.op.str(), " ends the lowering: ", reason));
  } else if (row.archs) {
    // What does not run there is no matter of one arch in the graph that all archs share.
    Report(index, rules::kRefusedByRoute, Consequence::kRejected,
           absl::StrCat(node.op.str(), " falls back to the CPU: ", reason));
  } else {
    state.state = SourceNode::State::kRefused;
    state.fatal = row.outcome == "unreadable";
    state.reason = {};
    Report(index, rules::kRefusedByRoute, Consequence::kRejected,
           absl::StrCat(node.op.str(),
                        state.fatal ? " keeps the file from being loaded: "
                                    : " falls back to the CPU: ",
                        reason));
  }
  resolved_.findings.back().note = std::string(source);
  if (!row.archs) return;
  resolved_.arch_findings.emplace_back(row.archs, std::move(resolved_.findings.back()));
  resolved_.findings.pop_back();
}

void SourceResolver::ApplyRoute(opdb::Tree route, std::string_view release, const Target& target) {
  const opdb::Tree rows = route["operators"];
  if (!rows) return;
  const std::string_view source = route["source"].str();
  const Releases releases(route["releases"], target.sdk_key(), release);
  absl::flat_hash_map<std::string, std::vector<RouteRow>> by_operator;
  for (size_t i = 0; i < rows.size(); ++i) {
    const opdb::Tree entry = rows.at(i);
    // Archs are of the findings: the graph is the same for all of a backend.
    const opdb::Tree backends = entry["backends"];
    if ((backends && !opdb::Lists(backends, target.backend())) ||
        !opdb::IsForSdk(entry, target.sdk_key())) {
      continue;
    }
    const std::string_view first = entry["from"].str(), end = entry["before"].str();
    const Releases::Share share = releases.In(first, end);
    if (share == Releases::Share::kNone) continue;
    const opdb::Tree names = entry["operators"];
    for (size_t k = 0; k < names.size(); ++k) {
      RouteRow& row = by_operator[std::string(names.at(k).str())].emplace_back();
      row.reason = entry["reason"].str();
      if (const std::string range = releases.Range(first, end); !range.empty()) {
        absl::StrAppend(&row.reason, "; so it is in ", Absl(route["client"].str()), " ", range);
      }
      row.of_some_releases = share == Releases::Share::kSome;
      row.outcome = entry["outcome"].str();
      row.archs = entry["archs"];
      row.when = mapping::Condition(entry["when"]);
    }
  }
  const size_t found_before = resolved_.findings.size();
  std::vector<bool> refused(file_.nodes.size());
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    const Node& node = file_.nodes[i];
    if (states_[i].kind == Kind::kFolded || states_[i].kind == Kind::kUnread) continue;
    const bool standard = node.domain.empty() || node.domain == "ai.onnx";
    const auto found = standard ? by_operator.find(Absl(node.op.view()))
                                : by_operator.find(absl::StrCat(node.domain.str(), ".", node.op.str()));
    if (found == by_operator.end()) continue;
    const auto index = static_cast<int32_t>(i);
    for (RouteRow& row : found->second) {
      if (!row.when.Holds(NodeScope(*this, index))) continue;
      ApplyRow(index, row, source);
      // Beside it another may hold, that says where it runs.
      if (row.archs || row.StaysWithBackend()) continue;
      refused[i] = row.outcome != "float";
      break;
    }
  }
  // Why a node is not known, or would not run as written, is pointless where it does not run there.
  auto& findings = resolved_.findings;
  const auto end = findings.begin() + static_cast<std::ptrdiff_t>(found_before);
  findings.erase(std::remove_if(findings.begin(), end,
                                [&](const Finding& f) {
                                  return f.node_index >= 0 && refused[static_cast<size_t>(f.node_index)];
                                }),
                 end);
}

}  // namespace quantgate
