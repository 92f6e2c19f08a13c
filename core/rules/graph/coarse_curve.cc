#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace coarse_curve {

struct Own : Settings {
  SetMask tangents = 0, sigmoids = 0;
  SetMask bends = 0;                             // that are straight beyond
  double tangent_end = 2.65, sigmoid_end = 4.6;  // beyond it the curve is within 1 % of its ends
  double bend_end = 3;                           // beyond it the curve is straight
  double min_steps = 8;                          // of the input between both ends
  double min_bend_steps = 2;                     // the same of a bend, whose ends are no constants
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::tangents>("tangents"), F::Bind<&Own::sigmoids>("sigmoids"),
                                    F::Bind<&Own::bends>("bends"), F::Bind<&Own::bend_end>("bend_end"),
                                    F::Bind<&Own::min_bend_steps>("min_bend_steps"),
                                    F::Bind<&Own::tangent_end>("tangent_end"),
                                    F::Bind<&Own::sigmoid_end>("sigmoid_end"), F::Bind<&Own::min_steps>("min_steps")};

// Scores whose logits end at 0: a calibration without the few large ones, or with a percentile that cuts them off.
void ReportEnd(const GraphView& g, int32_t op, Interval held, GraphFindings& findings) {
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format("the range of {} ends at 0: no output of {} exceeds 0.5, whatever the model finds", f.port,
                          g.op(op).op);
  f.found = fmt::format("from {} to {}", Number(held.low), Number(held.high));
  f.allowed = "the whole range of the logits, positive ones too";
  f.fixes.push_back(UnsafeFix(
      "calibrate with inputs that have what is looked for, and keep the exact range here (min-max, no percentile)"));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  const bool tangent = g.Is(op, settings.tangents), bend = g.Is(op, settings.bends);
  if (!tangent && !bend && !g.Is(op, settings.sigmoids)) return;
  const Tensor* const in = g.input(op, 0);
  const std::optional<double> step = StepOf(in);
  if (!step || !std::isfinite(*step) || g.Refused(op)) return;
  const Interval held = *HeldRange(in);
  if (!tangent && !bend && held.low < 0 && held.high <= *step / 2) ReportEnd(g, op, held, findings);
  const double end = tangent ? settings.tangent_end : bend ? settings.bend_end : settings.sigmoid_end;
  const double min_steps = bend ? settings.min_bend_steps : settings.min_steps;
  // An encoding that lies on the flat part alone is no matter of its steps.
  if (2 * end / *step >= min_steps || held.low > -end || held.high < end) return;
  const int inside = 2 * static_cast<int>(end / *step) + 1;
  const int bits = EffectiveBits(*in);
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "{} {} between {} and {}, and its input comes in steps of {}: {} of {} stored values {} there, {}", g.op(op).op,
      bend ? "bends" : "rises", Number(-end), Number(end), Number(*step), inside, Number(std::exp2(bits)),
      inside == 1 ? "lies" : "lie",
      bend ? "where most inputs do: an outlier makes the range" : "at the others the output is at one of its ends");
  f.found = DescribeEncoding(*in);
  f.allowed = fmt::format("a step of at most {}", Number(2 * end / min_steps));
  f.lost_bits = std::max(0.0, bits - std::log2(inside));
  f.fixes.push_back(UnsafeFix("keep the input in 16 bits or in float, or clip it to that range before"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kCoarseCurve, {.summary = "the input's steps jump over the curve of an activation",
                                 .explanation = R"(## What it checks
Tanh and Sigmoid are within 1 % of their ends beyond 2.65 and 4.6. Between the ends the input must have
eight steps at least; of a Gelu, HardSwish or HardSigmoid, which bend between -3 and 3, two. What a Sigmoid reads must not end at 0, or none of its scores exceeds 0.5.

## Why
An input with a wide range and few bits has a step that is larger than the whole curve: the op becomes a
comparison with zero. So it is with the Tanh of a GELU that is written out: the cube in it makes the range a
hundred times as large as the input's, and of 256 steps one or two are left on the curve.

## Fix
Use the op that the activation is (Gelu is one), or keep the sum before the curve in 16 bits or in float. Where
the numbers beyond the curve don't matter, clip them before.

## References
The evidence is listed below; the rest is arithmetic.
)",
                                 .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace coarse_curve

const RuleEntry kCoarseCurveEntry = coarse_curve::kEntry;

}  // namespace quantgate::rules
