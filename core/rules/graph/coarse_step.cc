#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace coarse_step {

struct Own : Settings {
  SetMask moves = 0, conversions = 0;
  SetMask softmaxes = 0;  // what they read has large numbers on purpose: masks
  double max_step = 16;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {
    F::Bind<&Own::moves>("moves"), F::Bind<&Own::conversions>("conversions"),
    F::Bind<&Own::softmaxes>("softmaxes"), F::Bind<&Own::max_step>("max_step")};

struct Coarse {
  int32_t op;
  double step;
};

// Nothing but 0 and what lies far below it: what is added to scores, or chosen among them.
bool IsMask(const Tensor& t, double step) { return HeldRange(&t)->high < step; }

bool FeedsSoftmax(const GraphView& g, int32_t op) {
  const auto readers = g.Readers(g.op(op).outputs[0]);
  return std::any_of(readers.begin(), readers.end(),
                     [&](int32_t reader) { return g.Is(reader, g.settings<Own>().softmaxes); });
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  std::vector<Coarse> found;
  for (int32_t op = 0; op < g.op_count(); ++op) {
    // What is moved or converted has its steps from before.
    if (g.Is(op, settings.moves | settings.conversions) || g.Refused(op) || g.ReportedBefore(op))
      continue;
    const auto step = StepOf(g.output(op));
    if (!step || *step < settings.max_step || !std::isfinite(*step)) continue;
    if (IsMask(*g.output(op), *step) || FeedsSoftmax(g, op)) continue;
    found.push_back({op, *step});
  }
  if (found.empty()) return;
  const auto worst = std::max_element(
      found.begin(), found.end(), [](const Coarse& a, const Coarse& b) { return a.step < b.step; });
  const Tensor& out = *g.output(worst->op);
  Finding& f = findings.AddOutput(worst->op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "the output of {} comes in steps of {}: what lies closer together is one number, and below "
      "{} it is 0",
      f.op, Number(worst->step), Number(worst->step / 2));
  const Interval held = *HeldRange(&out);
  f.found =
      fmt::format("{}, from {} to {}", DescribeEncoding(out), Number(held.low), Number(held.high));
  if (found.size() > 1) {
    f.found += fmt::format("; coarse as well: {}", Quoted(OtherNames(g, found, worst->op)));
  }
  f.allowed = fmt::format("a step below {}", Number(settings.max_step));
  f.fixes.push_back(
      UnsafeFix("look for the outlier that makes the range: bound it before calibration, or keep "
                "the tensor in 16 bits or in float"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kCoarseStep,
                  {.summary = "an activation's range is so wide that ordinary values become 0",
                   .explanation = R"(## What it checks
The step of each quantized activation that an op computes. From 16 on (a range of 4,096 in 8 bits, of a
million in 16) it is named, the coarsest of a model in one finding. What a Softmax reads and what
has numbers below 0 only is left out: masks are that large on purpose (QG609).

## Why
Activations of trained networks mostly lie within some tens. A single outlier, one channel of a gated layer
or one token, makes the range a thousand times as wide; calibration takes it, and everything else is
rounded to 0. Nothing fails.

## Fix
Bound the outlier before calibration (a Clip, another clipping scheme), divide its channel and multiply it
back in the next weight, or keep this tensor in 16 bits or in float. Where the numbers are that large by
nature, as positions or sums are, and the difference doesn't matter, waive the finding.

## References
The evidence is listed below; the rest is arithmetic.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace coarse_step

const RuleEntry kCoarseStepEntry = coarse_step::kEntry;

}  // namespace quantgate::rules
