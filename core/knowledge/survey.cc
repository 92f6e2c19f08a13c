#include "quantgate/survey.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace quantgate {

std::string_view FitName(Fit fit) {
  switch (fit) {
    case Fit::kFits:
      return "fits";
    case Fit::kFallsBack:
      return "falls_back";
    case Fit::kFails:
      return "fails";
    case Fit::kUnknown:
      return "unknown";
  }
  return "";
}

absl::StatusOr<Surveyor> Surveyor::Make(std::string_view backend, std::string_view sdk,
                                        const ValidatorOptions& options, const Database& database) {
  Surveyor surveyor;
  ValidatorOptions as_run = options;
  as_run.as_run = true;
  TargetSpec spec;
  spec.backend = std::string(backend);
  spec.sdk = std::string(sdk);
  // Also says what is wrong with backend or sdk.
  if (const auto target = Target::Parse(spec, database); !target.ok()) return target.status();
  const std::vector<std::string> archs = database.Archs(backend);
  if (archs.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no chips are known for backend ", spec.backend));
  }
  const std::vector<SocInfo> socs = database.Socs();
  for (const std::string& arch : archs) {
    // Chips that lack the same features: those that lack none first.
    std::map<uint8_t, std::vector<std::string>> alike = {{0, {}}};
    std::map<uint8_t, std::vector<std::string>> lacking;
    for (const SocInfo& soc : socs) {
      if (soc.arch != arch) continue;
      alike[soc.lacks_bits].push_back(soc.name);
      lacking[soc.lacks_bits] = soc.lacks;
    }
    for (auto& [lacks, names] : alike) {
      if (names.empty() && alike.size() > 1) continue;
      spec.arch = arch;
      spec.soc = lacks == 0 ? "" : names.front();
      absl::StatusOr<Target> target = Target::Parse(spec, database);
      if (!target.ok()) return target.status();
      surveyor.validators_.emplace_back(*std::move(target), as_run, database);
      surveyor.socs_.push_back(std::move(names));
      surveyor.lacks_.push_back(lacking[lacks]);
    }
  }
  for (const SocInfo& soc : socs) {
    if (std::find(archs.begin(), archs.end(), soc.arch) == archs.end()) {
      surveyor.others_.push_back(soc.name);
    }
  }
  for (auto& names : surveyor.socs_) std::sort(names.begin(), names.end());
  std::sort(surveyor.others_.begin(), surveyor.others_.end());
  return surveyor;
}

namespace {

Fit FitOf(const Report& report) {
  // A malformed model runs nowhere.
  if (!report.as_run) {
    return report.verdict == Consequence::kRejected ? Fit::kFails : Fit::kUnknown;
  }
  const AsRun& run = *report.as_run;
  const auto at = [&](Placement p) { return run.placements[static_cast<size_t>(p)]; };
  if (!run.session_fails.empty() || at(Placement::kRefused) > 0) return Fit::kFails;
  if (at(Placement::kCpu) > 0) return Fit::kFallsBack;
  return at(Placement::kUnknown) > 0 ? Fit::kUnknown : Fit::kFits;
}

ArchFit Summary(const Report& report) {
  ArchFit fit;
  fit.arch = report.arch;
  fit.fit = FitOf(report);
  fit.counts = report.counts;
  fit.failed = report.failed;
  if (!report.as_run) {
    for (const Finding& finding : report.findings) fit.reason = finding.message;
    return fit;
  }
  const AsRun& run = *report.as_run;
  fit.reason = run.session_fails;
  fit.partitions = static_cast<int64_t>(run.partitions.size());
  int32_t last = -1;
  for (const Change& change : run.changes) {
    if (change.node_index != last) ++fit.changed_nodes;
    last = change.node_index;
  }
  for (size_t i = 0; i < run.nodes.size(); ++i) {
    const Placement placement = run.nodes[i].placement;
    if (placement == Placement::kCpu) ++fit.cpu_nodes;
    const bool kills = std::binary_search(run.session_killers.begin(), run.session_killers.end(),
                                          static_cast<int32_t>(i));
    if (kills || placement == Placement::kCpu || placement == Placement::kRefused) {
      fit.blocked.push_back(report.nodes[i].name);
    }
  }
  if (fit.fit == Fit::kUnknown) {
    fit.reason = absl::StrCat(run.placements[static_cast<size_t>(Placement::kUnknown)],
                              " nodes are unchecked");
  }
  return fit;
}

}  // namespace

Survey Surveyor::Check(const Model& model) const {
  Survey survey;
  survey.backend = validators_.front().target().backend();
  survey.sdk = validators_.front().target().sdk();
  survey.nodes = static_cast<int64_t>(model.nodes.size());
  const std::vector<Report> reports = Validator::CheckEach(validators_, model);
  for (size_t i = 0; i < reports.size(); ++i) {
    survey.route = reports[i].route;
    ArchFit& fit = survey.archs.emplace_back(Summary(reports[i]));
    fit.socs = socs_[i];
    fit.lacks = lacks_[i];
  }
  if (!others_.empty()) {
    ArchFit& fit = survey.archs.emplace_back();
    fit.socs = others_;
    fit.reason = "the arch is unknown or older than the first that is known";
    fit.counts[static_cast<size_t>(Consequence::kUnchecked)] = survey.nodes;
  }
  return survey;
}

}  // namespace quantgate
