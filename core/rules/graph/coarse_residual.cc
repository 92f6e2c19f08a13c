#include <fmt/core.h>

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
  int64_t min_norms = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::norms>("norms"), F::Bind<&Own::adds>("adds"),
                                    F::Bind<&Own::min_norms>("min_norms")};

// A norm of 8 bits that reads a sum of two activations.
bool ReadsCoarseSum(const GraphView& g, int32_t op) {
  const Own& own = g.settings<Own>();
  constexpr int kFewBits = 8;
  if (!g.Is(op, own.norms) || g.Refused(op) || !StepOf(g.input(op, 0)) || EffectiveBits(*g.input(op, 0)) > kFewBits) {
    return false;
  }
  const int32_t sum = g.Producer(g.op(op).inputs[0]);
  if (sum < 0 || !g.Is(sum, own.adds)) return false;
  const Tensor *a = g.input(sum, 0), *b = g.input(sum, 1);
  return a != nullptr && b != nullptr && !a->is_static && !b->is_static && StepOf(g.output(sum));
}

void Walk(const GraphView& g, GraphFindings& findings) {
  int64_t found = 0;
  int32_t coarsest = -1;
  for (int32_t op = 0; op < g.op_count(); ++op) {
    if (!ReadsCoarseSum(g, op)) continue;
    ++found;
    if (coarsest < 0 || *StepOf(g.input(op, 0)) > *StepOf(g.input(coarsest, 0))) coarsest = op;
  }
  if (found < g.settings<Own>().min_norms) return;
  Finding& f = findings.AddInput(coarsest, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "the sum that {} reads has 8 bits, steps of {}{}: in transformers a few outliers take the range of such sums, and "
      "what all layers add to them is lost",
      f.op, Number(*StepOf(g.input(coarsest, 0))),
      found == 1 ? "" : fmt::format(", the coarsest of {} like it", found));
  f.found = DescribeEncoding(*g.input(coarsest, 0));
  f.allowed = "16 bits";
  f.fixes.push_back(UnsafeFix("give the activations 16 bits (weights can stay in 8), at least the sums and norms"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kCoarseResidual,
                  {.summary = "the sums that run through a transformer have 8 bits",
                   .explanation = R"(## What it checks
LayerNorm and RmsNorm that read a sum of two activations in 8 bits. One finding for the model, at the norm
whose steps are the coarsest.

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
