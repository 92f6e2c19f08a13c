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
  SetMask softmaxes = 0, weighted = 0, views = 0;
  double min_step = 0;   // of the output, in average shares
  double min_error = 0;  // of a mean with fixed weights, of the largest of them
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::softmaxes>("softmaxes"), F::Bind<&Own::weighted>("weighted"),
                                    F::Bind<&Own::views>("views"), F::Bind<&Own::min_step>("min_step"),
                                    F::Bind<&Own::min_error>("min_error")};

// Along how many values the op shares out; 0 = not known.
int64_t Columns(const GraphView& g, int32_t op, const Tensor& in) {
  const Param* axis = g.op(op).FindParam("axis");
  return DimOf(in, axis == nullptr ? -1 : IntOf(axis->value).value_or(-1)).value_or(0);
}

// The mean that takes the shares of an op as weights of constants, one number for each row; -1 = there is none.
int32_t MeanOf(const GraphView& g, int32_t op, int64_t columns) {
  const Own& own = g.settings<Own>();
  TensorId shares = g.op(op).outputs[0];
  for (int step = 0; step < kMostLinks; ++step) {
    const int32_t reader = g.FirstReader(shares);
    if (reader < 0) return -1;
    const Tensor* weights = g.input(reader, 1);
    if (g.Is(reader, own.weighted) && weights != nullptr && weights->is_static) {
      return LeastElements(*weights) == static_cast<double>(columns) ? reader : -1;
    }
    if (!g.Is(reader, own.views) || g.output(reader) == nullptr) return -1;
    shares = g.op(reader).outputs[0];
  }
  return -1;
}

void VisitMean(const GraphView& g, int32_t op, int64_t columns, double step, GraphFindings& findings) {
  const double error = step / 2 * static_cast<double>(columns);
  const int32_t mean = error < g.settings<Own>().min_error ? -1 : MeanOf(g, op, columns);
  if (mean < 0) return;
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "{} gives {} shares in steps of {:.2g}, and \"{}\" takes a mean with them: each share is rounded by up to half a "
      "step, so that it is off by up to {:.2g} of the largest weight",
      f.op, columns, step, g.NameOf(mean), error);
  f.found = DescribeEncoding(*g.output(op));
  f.allowed = "16 bits";
  f.fixes.push_back(UnsafeFix("keep the probabilities in 16 bits, or leave the Softmax and the mean in float"));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (!g.Is(op, own.softmaxes) || g.Refused(op)) return;
  const Tensor *in = g.input(op, 0), *out = g.output(op);
  const std::optional<double> step = StepOf(out);
  if (in == nullptr || !step) return;
  const int64_t columns = Columns(g, op, *in);
  const double shares = *step * static_cast<double>(columns);
  if (columns < 2 || !std::isfinite(shares)) return;
  if (shares < own.min_step) return VisitMean(g, op, columns, *step, findings);
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
values or more. And one in 8 bits whose shares are the weights of a mean of constants, as a detector takes it
for the edges of its boxes (distribution focal loss).

## Why
The shares of a Softmax add up to 1, so along 1,536 values they are 0.00065 on average. Eight bits have steps
of 0.0039: whatever is below half of one becomes 0. Attention that is spread over many positions loses most of
its weight there, and the average that it should be comes out too small. A mean of 16 places moves by up to
half a place where each share is rounded: boxes jitter.

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
