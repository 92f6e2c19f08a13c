#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace coarse_residual {

struct Own : Settings {
  SetMask norms = 0, adds = 0;
  double min_ratio = 0;  // of the steps of the sum to those of what is added
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::norms>("norms"), F::Bind<&Own::adds>("adds"),
                                    F::Bind<&Own::min_ratio>("min_ratio")};

// How much coarser the sum of two activations that a norm reads is than the finer one of them, in 8 bits; 0 = the op
// reads none.
double Ratio(const GraphView& g, int32_t op) {
  const Own& own = g.settings<Own>();
  constexpr int kFewBits = 8;
  if (!g.Is(op, own.norms) || g.Refused(op) || !StepOf(g.input(op, 0)) || EffectiveBits(*g.input(op, 0)) > kFewBits) {
    return 0;
  }
  const int32_t sum = g.Producer(g.op(op).inputs[0]);
  if (sum < 0 || !g.Is(sum, own.adds)) return 0;
  const Tensor *a = g.input(sum, 0), *b = g.input(sum, 1);
  if (a == nullptr || b == nullptr || a->is_static || b->is_static || !StepOf(a) || !StepOf(b)) return 0;
  const double ratio = *StepOf(g.input(op, 0)) / std::min(*StepOf(a), *StepOf(b));
  return std::isfinite(ratio) ? ratio : 0;
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const Largest coarsest = LargestOf(g, [&](int32_t op) {
    const double ratio = Ratio(g, op);
    return ratio < g.settings<Own>().min_ratio ? 0 : ratio;
  });
  if (coarsest.op < 0) return;
  const Tensor& sum = *g.input(coarsest.op, 0);
  Finding& f = findings.AddInput(coarsest.op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "the sum that {} reads has 8 bits, steps of {}, {} times as coarse as what is added to it{}: a few outliers take the "
      "range of such sums, and what each layer adds is lost",
      f.op, Number(*StepOf(&sum)), Number(std::round(coarsest.amount)),
      coarsest.count == 1 ? "" : fmt::format(" (the coarsest of {} like it)", coarsest.count));
  f.found = DescribeEncoding(sum);
  f.allowed = "16 bits";
  f.lost_bits = std::log2(coarsest.amount);
  f.fixes.push_back(UnsafeFix("give the activations 16 bits (weights can stay in 8), at least the sums and norms"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kCoarseResidual,
                  {.summary = "the sums that run through a transformer have 8 bits",
                   .explanation = R"(## What it checks
LayerNorm and RmsNorm that read a sum of two activations in 8 bits whose steps are four times as coarse as
those of one of the two. One finding for the model, at the norm where the most is lost.

## Why
Every block of a transformer adds its result to the same tensor. A few of its channels grow far beyond the
others, and the range that they need leaves the rest a handful of the 256 steps; the norm behind divides by
the spread of all and shows it. With 8-bit activations whole models were reported to have next to nothing in
common with their float originals, and with 16 bits and the same weights to be right.

## Fix
Quantize activations to 16 bits and weights to 8 (w8a16). Where that is too slow, at least the sums, the norms
and the Softmax. Compare with the float model: small models without outliers are right in 8 bits too.

## References
The evidence is listed below.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace coarse_residual

const RuleEntry kCoarseResidualEntry = coarse_residual::kEntry;

}  // namespace quantgate::rules
