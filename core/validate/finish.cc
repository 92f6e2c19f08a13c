#include "core/validate/finish.h"

#include <cstdint>
#include <set>

namespace quantgate {
namespace {

// A consequence that fails strict mode. `unchecked` stands outside of the order: it fails only
// where it is wanted, together with the default line.
bool Fails(Consequence consequence, Consequence fail_on) {
  if (consequence == Consequence::kUnchecked) return fail_on == Consequence::kUnchecked;
  const Consequence line = fail_on == Consequence::kUnchecked ? Consequence::kWrongValues : fail_on;
  return consequence != Consequence::kAccepted && consequence >= line;
}

}  // namespace

Level LevelOf(Consequence consequence, const ValidatorOptions& options) {
  if (Fails(consequence, options.fail_on)) {
    return options.mode == Mode::kStrict ? Level::kError : Level::kWarning;
  }
  const bool serious =
      consequence >= Consequence::kAltered && consequence <= Consequence::kRejected;
  return serious ? Level::kWarning : Level::kNote;
}

void Finish(const ValidatorOptions& options, Report& report) {
  report.mode = options.mode;
  report.counts.fill(0);
  report.basis.fill(0);
  report.verdict = Consequence::kAccepted;
  bool failing = false;
  // Nodes whose every failing finding is waived.
  std::set<int32_t> waived, failed;
  for (Finding& finding : report.findings) {
    const bool fails = Fails(finding.consequence, options.fail_on);
    finding.level = finding.waived.empty() ? LevelOf(finding.consequence, options) : Level::kNote;
    if (fails) (finding.waived.empty() ? failed : waived).insert(finding.node_index);
    if (finding.node_index < 0) {
      report.verdict = Worse(report.verdict, finding.consequence);
      failing = failing || (fails && finding.waived.empty());
    }
  }
  for (size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport& node = report.nodes[i];
    ++report.counts[static_cast<size_t>(node.verdict)];
    ++report.basis[static_cast<size_t>(node.basis)];
    report.verdict = Worse(report.verdict, node.verdict);
    if (!Fails(node.verdict, options.fail_on)) continue;
    const auto index = static_cast<int32_t>(i);
    // One that is part of another has the verdict of its host, which decides.
    const bool accepted = waived.contains(index) || !node.into.empty();
    failing = failing || failed.contains(index) || !accepted;
  }
  // A model of which nothing at all could be checked must not pass for one that fits.
  const bool nothing_checked =
      !report.nodes.empty() && report.counts[static_cast<size_t>(Consequence::kUnchecked)] ==
                                   static_cast<int64_t>(report.nodes.size());
  report.failed = options.mode == Mode::kStrict && (failing || nothing_checked);
}

}  // namespace quantgate
