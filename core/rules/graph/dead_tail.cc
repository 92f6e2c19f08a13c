#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace dead_tail {

struct Own : Settings {
  SetMask gelus = 0;
  double dead = 0;       // below, the output is 0 in the steps that it can have
  double error = 0;      // of the result, as a part of the input's lowest value
  double min_steps = 0;  // of the output, that it is off by
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::gelus>("gelus"), F::Bind<&Own::dead>("dead"),
                                    F::Bind<&Own::error>("error"), F::Bind<&Own::min_steps>("min_steps")};

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (!g.Is(op, own.gelus) || g.Refused(op)) return;
  const Tensor *in = g.input(op, 0), *out = g.output(op);
  const std::optional<Interval> held = HeldRange(in);
  const std::optional<double> step = StepOf(out);
  // Eight bits are looked up in a table.
  constexpr int kTableBits = 8;
  if (!held || !step || EffectiveBits(*in) <= kTableBits || held->low >= own.dead) return;
  const double error = -held->low * own.error;
  if (error < own.min_steps * *step) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "the input goes down to {}, and {} is 0 below {}: in this tail, and near it, the result is off by up to {}, {} steps "
      "of the output, since the error grows with the range",
      Number(held->low), f.op, Number(own.dead), Number(error), Number(std::round(error / *step)));
  f.found = DescribeEncoding(*in);
  f.allowed = fmt::format("an input from {} on", Number(own.dead));
  f.lost_bits = std::log2(error / *step);
  f.fixes.push_back(UnsafeFix(
      fmt::format("clip the input at {} before, which changes nothing else, or calibrate it from there on", Number(own.dead))));
}

constexpr RuleEntry kEntry = {
    .rule = About(kDeadTail,
                  {.summary = "a 16-bit GELU loses accuracy to the part of its input where it is 0",
                   .explanation = R"(## What it checks
Gelu with more than 8 bits whose input has values far below -6, where the function is 0, in an encoding
that makes it off by 64 steps of the output or more.

## Why
The backend computes it with an error that is a fixed part of the input's range, about 1 / 4096 of the lowest
value. Where activations go down to -32, most values of the output should be 0 and are 0.008 instead; the next
layer adds them up. The smaller the largest value of the output, the more of its steps that is.

## Fix
A Clip at -6 before the op (or the calibration of its input from there on) keeps the function and makes the
steps finer. With 8 bits the op is a table, and exact.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace dead_tail

const RuleEntry kDeadTailEntry = dead_tail::kEntry;

}  // namespace quantgate::rules
