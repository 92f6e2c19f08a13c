#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace coarse_shares {

struct Own : Settings {
  SetMask softmaxes = 0;
  double min_step = 0;  // of the output, in average shares
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::softmaxes>("softmaxes"), F::Bind<&Own::min_step>("min_step")};

// Along how many values the op shares out; 0 = not known.
int64_t Columns(const GraphView& g, int32_t op, const Tensor& in) {
  const Param* axis = g.op(op).FindParam("axis");
  return DimOf(in, axis == nullptr ? -1 : IntOf(axis->value).value_or(-1)).value_or(0);
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (!g.Is(op, own.softmaxes) || g.Refused(op)) return;
  const Tensor *in = g.input(op, 0), *out = g.output(op);
  const std::optional<double> step = StepOf(out);
  if (in == nullptr || !step) return;
  const int64_t columns = Columns(g, op, *in);
  const double shares = *step * static_cast<double>(columns);
  if (columns < 2 || shares < own.min_step || !std::isfinite(shares)) return;
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "{} shares out 1 among {} values, {:.2g} on average, and its output comes in steps of {:.2g}: what is below half "
      "a step becomes 0",
      f.op, columns, 1 / static_cast<double>(columns), *step);
  f.found = DescribeEncoding(*out);
  f.allowed = "16 bits";
  f.lost_bits = std::log2(shares);
  f.fixes.push_back(UnsafeFix("keep the probabilities in 16 bits or in float"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kCoarseShares,
                  {.summary = "a Softmax over many values has steps that are coarser than its shares",
                   .explanation = R"(## What it checks
A quantized Softmax whose output has a step of twice the average share or more: with 8 bits, one along 512
values or more.

## Why
The shares of a Softmax add up to 1, so along 1,536 values they are 0.00065 on average. Eight bits have steps
of 0.0039: whatever is below half of one becomes 0. Attention that is spread over many positions loses most of
its weight there, and the average that it should be comes out too small.

## Fix
Keep the output of the Softmax in 16 bits (the product behind it takes 8-bit values beside them), or leave
attention in float. Where one value takes nearly all of the sum, as in a classifier, 8 bits are enough.

## References
The evidence is listed below; the rest is arithmetic.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace coarse_shares

const RuleEntry kCoarseSharesEntry = coarse_shares::kEntry;

}  // namespace quantgate::rules
