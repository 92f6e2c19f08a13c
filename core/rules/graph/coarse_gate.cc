#include <fmt/core.h>

#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace coarse_gate {

struct Own : Settings {
  SetMask products = 0, weighted = 0, views = 0;
  int64_t min_width = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::products>("products"), F::Bind<&Own::weighted>("weighted"),
                                    F::Bind<&Own::views>("views"), F::Bind<&Own::min_width>("min_width")};

bool IsActivation(const Tensor* t) { return t != nullptr && !t->is_static && StepOf(t); }

// Whether an op makes one of these tensors of the other: the two are one curve, such as a HardSwish.
bool IsMadeOf(const GraphView& g, TensorId made, TensorId from) {
  const int32_t maker = g.Producer(made);
  return maker >= 0 && g.input(maker, 0) != nullptr && g.Shown(g.op(maker).inputs[0]) == g.Shown(from);
}

// The width of a product of two activations in 8 bits that a linear layer reads; 0 = the op reads none.
int64_t Width(const GraphView& g, int32_t op) {
  const Own& own = g.settings<Own>();
  constexpr int kFewBits = 8;
  const Tensor *in = g.input(op, 0), *weight = g.input(op, 1);
  if (!g.Is(op, own.weighted) || g.Refused(op) || !IsActivation(in) || EffectiveBits(*in) > kFewBits) return 0;
  if (weight == nullptr || !weight->is_static || in->dims.empty() || in->dims.back() < own.min_width) return 0;
  const int32_t product = g.Producer(g.Behind(g.op(op).inputs[0], own.views));
  if (product < 0 || !g.Is(product, own.products)) return 0;
  const Tensor *a = g.input(product, 0), *b = g.input(product, 1);
  if (!IsActivation(a) || !IsActivation(b) || a->dims != b->dims) return 0;
  const auto& factors = g.op(product).inputs;
  return IsMadeOf(g, factors[0], factors[1]) || IsMadeOf(g, factors[1], factors[0]) ? 0 : in->dims.back();
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const Largest widest = LargestOf(g, [&](int32_t op) { return static_cast<double>(Width(g, op)); });
  if (widest.op < 0) return;
  const Tensor& in = *g.input(widest.op, 0);
  Finding& f = findings.AddInput(widest.op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "the product of two activations that {} reads has 8 bits, steps of {}{}: single products of a gate are far larger "
      "than the others and take the range",
      f.op, Number(*StepOf(&in)), widest.count == 1 ? "" : fmt::format(" (the widest of {} like it)", widest.count));
  f.found = DescribeEncoding(in);
  f.allowed = "16 bits";
  f.fixes.push_back(UnsafeFix("give the input of this layer 16 bits; the others of the block can stay in 8"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kCoarseGate,
                  {.summary = "the product of a gated layer has 8 bits",
                   .explanation = R"(## What it checks
Linear layers of 1,024 channels or more that read the product of two activations in 8 bits: the last projection
of a gated block (SwiGLU, GeGLU). One finding for the model.

## Why
Where both factors are large, their product is very large: a few channels take the range of the tensor, and
the rest share a handful of 256 steps. Of all linear layers of a language model these were reported to be the
only ones that 8-bit inputs harm much, however their range was found.

## Fix
16 bits for the input of this layer, by an override of the quantizer. Or move the factor of large channels
into the weights before and behind (SmoothQuant, cross-layer equalization).

## References
The evidence is listed below.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace coarse_gate

const RuleEntry kCoarseGateEntry = coarse_gate::kEntry;

}  // namespace quantgate::rules
