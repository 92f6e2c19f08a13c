#include <fmt/core.h>

#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace folded_relu_range {

struct Own : Settings {
  SetMask relus = 0, fold_targets = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::relus>("relus"),
                                    F::Bind<&Own::fold_targets>("fold_targets")};

// Steps of a Relu's output that stand for what it cuts.
int64_t StepsBelow(const Tensor& out) {
  return ZeroPointAt(out.encoding, 0) - StoredMin(out.dtype, out.encoding->bitwidth);
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  if (!g.Is(op, settings.relus)) return;
  const Tensor* in = g.input(op, 0);
  const Tensor* out = g.output(op);
  if (in == nullptr || !HasOneScale(out)) return;
  const TensorId between = g.op(op).inputs[0];
  const int32_t host = g.Producer(between);
  if (host < 0 || !g.Is(host, settings.fold_targets) || g.Readers(between).size() != 1 ||
      g.IsGraphOutput(between)) {
    return;
  }
  const int64_t steps = StepsBelow(*out);
  if (steps <= 0) return;
  const int64_t zero = ZeroPointAt(out->encoding, 0), lowest = zero - steps;
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  const double below = static_cast<double>(steps) * double{out->encoding->scales[0]};
  f.message = fmt::format(
      "{} is folded into \"{}\" ({}), and its encoding reaches {} below 0: {} of "
      "its values are never used",
      f.op, g.NameOf(host), g.op(host).op, Number(below), steps);
  f.found = ZeroPoint(zero);
  f.allowed = ZeroPoint(lowest);
  f.fixes.push_back(UnsafeFix("calibrate the output of the Relu: its range begins at 0"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kFoldedReluRange,
                  {.summary = "a Relu is folded whose encoding is not the range after the Relu",
                   .explanation = R"(## What it checks
A Relu after a convolution or a fully connected layer is folded into it: the layer writes straight
into the Relu's output. That output's encoding then is what cuts at 0: its lowest value must be 0.

## Why
Where the encoding reaches below 0, half of its steps are for values that a Relu never gives.

## Fix
Calibrate the output of the Relu, not that of the layer: zero point at the lowest stored value (0
for unsigned types, -128 for SFIXED_POINT_8). The tensor between the two needs no encoding of its own.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace folded_relu_range

const RuleEntry kFoldedReluRangeEntry = folded_relu_range::kEntry;

}  // namespace quantgate::rules
