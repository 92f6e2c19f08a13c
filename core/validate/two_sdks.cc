#include "core/validate/two_sdks.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/database/shape_arithmetic.h"
#include "core/database/view.h"
#include "core/rules/raise.h"
#include "core/validate/finish.h"

namespace quantgate {
namespace {

bool Refuses(Consequence consequence) {
  return consequence == Consequence::kRejected || consequence == Consequence::kPrepareFails;
}

// What a report says first against each of its nodes; null: nothing that refuses it.
std::vector<const Finding*> Refusals(const Report& report) {
  std::vector<const Finding*> first(report.nodes.size(), nullptr);
  for (const Finding& f : report.findings) {
    if (f.node_index < 0 || !Refuses(f.consequence)) continue;
    const Finding*& at = first[static_cast<size_t>(f.node_index)];
    if (at == nullptr) at = &f;
  }
  return first;
}

std::string InBrackets(const Finding* finding) {
  if (finding == nullptr) return "";
  return absl::StrCat(" (", std::string(finding->rule->code), ": ", finding->message.str(), ")");
}

class Sharing {
 public:
  Sharing(const Report& documented, Report& measured, const opdb::View& db)
      : documented_(documented), measured_(measured), db_(db), before_(Refusals(documented)),
        after_(Refusals(measured)), kept_(measured.nodes.size(), Consequence::kAccepted) {}

  void Run() {
    for (const Finding& f : measured_.findings) {
      if (f.node_index < 0 || !Refuses(f.consequence) || !HoldsAlways(f)) continue;
      Consequence& kept = kept_[static_cast<size_t>(f.node_index)];
      kept = Worse(kept, f.consequence);
    }
    std::vector<bool> changed(measured_.nodes.size());
    for (size_t i = 0; i < measured_.nodes.size(); ++i) changed[i] = Share(i);
    std::erase_if(measured_.findings, [&](const Finding& f) {
      return f.node_index >= 0 && Refuses(f.consequence) && changed[static_cast<size_t>(f.node_index)] && !HoldsAlways(f);
    });
    KeepReported();
    for (Finding& f : added_) measured_.findings.push_back(std::move(f));
    std::stable_sort(measured_.findings.begin(), measured_.findings.end(), EarlierNode);
  }

 private:
  bool HoldsAlways(const Finding& f) const {
    const opdb::ConstraintRow* constraint = db_.FindConstraint(f.constraint.view());
    return constraint != nullptr && opdb::IsShapeArithmetic(*constraint, db_);
  }

  // Whether the newer one's refusal doesn't count.
  bool Share(size_t i) {
    const Consequence before = documented_.nodes[i].verdict;
    NodeReport& node = measured_.nodes[i];
    node.basis = std::min(node.basis, Basis::kMeasuredElsewhere);
    if (node.verdict == Consequence::kUnchecked) return false;
    const bool both_refuse = Refuses(before) && Refuses(node.verdict);
    const bool both_take = !Refuses(before) && before != Consequence::kUnchecked && !Refuses(node.verdict);
    if (both_refuse || both_take) return false;
    if (kept_[i] != Consequence::kAccepted) {
      node.verdict = kept_[i];
      return true;
    }
    node.basis = Basis::kDocuments;
    if (!Refuses(node.verdict)) {
      node.verdict = Worse(node.verdict, Consequence::kUndocumented);
      const char* what = before == Consequence::kUnchecked ? " don't have it" : " refuse it";
      Add(i, Consequence::kUndocumented,
          absl::StrCat("the documents of SDK ", documented_.knowledge_sdk, what, InBrackets(before_[i]),
                       ", the library of ", measured_.knowledge_sdk, " takes it; in between nothing was measured"));
      return false;
    }
    node.verdict = Consequence::kUnchecked;
    const char* what = before == Consequence::kUnchecked ? " don't have it" : " allow it";
    node.reason = absl::StrCat("the documents of SDK ", documented_.knowledge_sdk, what, ", the library of ",
                               measured_.knowledge_sdk, " refuses it", InBrackets(after_[i]), "; in between nothing was measured");
    Add(i, Consequence::kUnchecked, node.reason.str());
    return true;
  }

  // What users reported of this very SDK.
  void KeepReported() {
    const auto is_reported = [](const Finding& f) { return rules::IsOf(f, rules::kReportedPreparation); };
    // Reports go on to the next SDKs, with the same words.
    const bool have = std::any_of(measured_.findings.begin(), measured_.findings.end(), is_reported);
    for (const Finding& f : documented_.findings) {
      if (have || f.node_index < 0 || !is_reported(f)) continue;
      Consequence& verdict = measured_.nodes[static_cast<size_t>(f.node_index)].verdict;
      verdict = Worse(verdict, f.consequence);
      added_.push_back(f);
    }
  }

  // What became part of another node is reported there.
  void Add(size_t i, Consequence consequence, std::string message) {
    const NodeReport& node = measured_.nodes[i];
    if (!node.into.empty()) return;
    Finding& f = added_.emplace_back(rules::Raise(rules::kBetweenSdks, consequence, std::move(message)));
    f.node_index = static_cast<int32_t>(i);
    f.node = node.name;
    f.op = node.resolved.empty() ? node.op : node.resolved.front();
    f.fixes.push_back({absl::StrCat("ask the library of ", documented_.sdk,
                                    " (verify --backend-lib), or use an SDK from ", measured_.knowledge_sdk, " on"),
                       false,
                       {}});
  }

  const Report& documented_;
  Report& measured_;
  const opdb::View& db_;
  const std::vector<const Finding*> before_, after_;
  // By node: the worst refusal of the newer one that holds for any version; `accepted` where there is none.
  std::vector<Consequence> kept_;
  std::vector<Finding> added_;
};

}  // namespace

std::optional<Target> NextMeasured(const Target& target, const Database& database) {
  const opdb::View& db = database.view();
  const opdb::BackendRow& backend = db.backends()[static_cast<size_t>(target.backend_index())];
  const auto sdks = db.get(backend.sdks);
  const auto next = std::upper_bound(sdks.begin(), sdks.end(), target.knowledge_key());
  if (target.measured() || target.sdk_key() == target.knowledge_key() || next == sdks.end() ||
      *next != backend.first_measured) {
    return std::nullopt;
  }
  absl::StatusOr<Target> measured = Target::Parse(
      TargetSpec{.backend = target.backend(), .sdk = SdkName(*next), .soc = target.soc(), .arch = target.arch()},
      database);
  if (!measured.ok()) return std::nullopt;
  return *std::move(measured);
}

Report SharedVerdicts(const Report& documented, Report measured, const ValidatorOptions& options,
                      const Database& database) {
  Sharing(documented, measured, database.view()).Run();
  measured.notes = documented.notes;
  measured.notes.push_back(absl::StrCat("where the measurements of ", measured.knowledge_sdk,
                                        " say otherwise, nodes are undocumented or unchecked"));
  measured.sdk = documented.sdk;
  measured.knowledge_sdk = documented.knowledge_sdk;
  measured.measured = documented.measured;
  Finish(options, measured);
  return measured;
}

}  // namespace quantgate
