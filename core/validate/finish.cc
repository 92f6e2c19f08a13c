#include "core/validate/finish.h"

namespace quantgate {
namespace {

// A consequence that fails strict mode. `unchecked` stands outside of the order: it fails only
// where it was asked for, together with the default line.
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
  report.verdict = Consequence::kAccepted;
  bool failing = false;
  for (const NodeReport& node : report.nodes) {
    ++report.counts[static_cast<size_t>(node.verdict)];
    report.verdict = Worse(report.verdict, node.verdict);
    failing = failing || Fails(node.verdict, options.fail_on);
  }
  for (Finding& finding : report.findings) {
    finding.level = LevelOf(finding.consequence, options);
    if (finding.node_index < 0) {
      report.verdict = Worse(report.verdict, finding.consequence);
      failing = failing || Fails(finding.consequence, options.fail_on);
    }
  }
  report.failed = options.mode == Mode::kStrict && failing;
}

}  // namespace quantgate
