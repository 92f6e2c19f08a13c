// What a route says of operators of the file (`operators` of its document).
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/lower/resolve/node_scope.h"
#include "core/lower/resolve/source_resolver.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {

struct SourceResolver::RouteRow {
  mapping::Expr when;  // empty = always
  std::string_view reason, outcome;
};

namespace {

bool Covers(opdb::Tree row, SdkKey sdk) {
  const auto key = [&](std::string_view name, SdkKey none) -> SdkKey {
    const opdb::Tree value = row[name];
    return value ? ParseSdk(value.str()).value_or(none) : none;
  };
  return key("since", 0) <= sdk && sdk < key("until", kSdkOpen);
}

}  // namespace

void SourceResolver::ApplyRow(int32_t index, const RouteRow& row, std::string_view source) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  const std::string reason(row.reason);
  if (row.outcome == "float") {
    Report(index, rules::kHalfQuantizedUnit, Consequence::kAltered,
           absl::StrCat(node.op.str(), " runs in float: ", reason));
  } else {
    // Why it is not known, or would not run as written, is pointless where it does not run there.
    std::erase_if(resolved_.findings, [&](const Finding& f) { return f.node_index == index; });
    SourceNode& state = resolved_.sources[static_cast<size_t>(index)];
    state.state = SourceNode::State::kRefused;
    state.fatal = row.outcome == "unreadable";
    state.reason.clear();
    Report(index, rules::kRefusedByRoute, Consequence::kRejected,
           absl::StrCat(node.op.str(),
                        state.fatal ? " keeps the file from being loaded: "
                                    : " falls back to the CPU: ",
                        reason));
  }
  resolved_.findings.back().note = std::string(source);
}

void SourceResolver::ApplyRoute(opdb::Tree rows, std::string_view source, SdkKey sdk) {
  absl::flat_hash_map<std::string, std::vector<RouteRow>> by_operator;
  for (size_t i = 0; i < rows.size(); ++i) {
    const opdb::Tree entry = rows.at(i);
    if (!Covers(entry, sdk)) continue;
    const opdb::Tree names = entry["operators"];
    for (size_t k = 0; k < names.size(); ++k) {
      RouteRow& row = by_operator[std::string(names.at(k).str())].emplace_back();
      row.reason = entry["reason"].str();
      row.outcome = entry["outcome"].str();
      // A faulty one was refused when the database was compiled.
      if (const opdb::Tree when = entry["when"]) row.when = mapping::Expr::Compile(when).value();
    }
  }
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    const Node& node = file_.nodes[i];
    if (states_[i].kind == Kind::kFolded) continue;
    const bool standard = node.domain.empty() || node.domain == "ai.onnx";
    const auto found =
        by_operator.find(standard ? node.op.str() : absl::StrCat(node.domain.str(), ".", node.op.str()));
    if (found == by_operator.end()) continue;
    const auto index = static_cast<int32_t>(i);
    for (const RouteRow& row : found->second) {
      if (!row.when.empty() && !row.when.Eval(NodeScope(*this, index)).True()) continue;
      ApplyRow(index, row, source);
      break;
    }
  }
}

}  // namespace quantgate
