#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/dtype.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace constant_offset {

struct Own : Settings {
  SetMask weighted = 0;
  Archs archs;
  double least = 0, slope = 0;  // steps of the output, and more per ratio
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::weighted>("weighted"), F::Bind<&Own::archs>("archs"),
                                    F::Bind<&Own::least>("least"), F::Bind<&Own::slope>("slope")};

bool Has16Bits(const Tensor* t) { return t != nullptr && t->dtype == Dtype::kUfixedPoint16 && StepOf(t); }

// Whether a number lies in the stored values of a tensor as something other than 0.
bool IsShifted(const Tensor& t) { return !t.encoding->zero_points.empty() && t.encoding->zero_points[0] != 0; }

// The step of a product of 16-bit values with weights of fewer bits, in steps of its output; 0 = the op is none.
double Ratio(const GraphView& g, int32_t op) {
  const Tensor *in = g.input(op, 0), *weight = g.input(op, 1), *out = g.output(op);
  if (!g.Is(op, g.settings<Own>().weighted) || g.Refused(op) || !Has16Bits(in) || !Has16Bits(out)) return 0;
  if (weight == nullptr || !weight->is_static || !IsFixedPoint(weight->dtype) || BitsOf(weight->dtype) > 8) return 0;
  const auto& scales = weight->encoding->scales;
  if (scales.empty() || !(IsShifted(*in) || IsShifted(*out))) return 0;
  const double ratio = *StepOf(in) * *std::max_element(scales.begin(), scales.end()) / *StepOf(out);
  return std::isfinite(ratio) ? ratio : 0;
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (!own.archs.Lists(g.target().arch())) return;
  const Largest worst = LargestOf(g, [&](int32_t op) { return Ratio(g, op); });
  if (worst.op < 0) return;
  Finding& f = findings.AddOutput(worst.op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "products of 16-bit values with 8-bit weights have a constant offset for each channel on {}, even where the "
      "input is zero: here up to about {} of 65,536 steps{}",
      g.target().arch(), Number(std::round(own.least + own.slope * worst.amount)),
      worst.count == 1 ? "" : fmt::format(" (the largest of {} like it)", worst.count));
  f.found = fmt::format("input scale x weight scale / output scale = {}", Number(worst.amount));
  f.allowed = "8-bit activations, or a newer arch";
  f.fixes.push_back(UnsafeFix("measure what zeros give on the chip and take it off the bias, or quantize to 8 bits"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kConstantOffset,
                  {.summary = "products of 16-bit values have a constant offset on old archs",
                   .explanation = R"(## What it checks
Convolutions, linear layers and products of unsigned 16-bit activations with a constant of 8 bits, on archs
where they were measured to have an offset, unless both zero points are 0. One finding for the model, at the op
where it may be largest.

## Why
On v68 and v69 such an op gives a constant where zeros come in, another one for each weight scale: some ten of
the 65,536 steps of its output where the product of input and weight scale is a hundredth of the output scale or
less, some forty at a tenth, hundreds where they are alike. It is the same for every input, so that layers add
up what belongs to no input at all. From v73 on there is none.

## Fix
Run the layer with zeros on the chip, once for each channel, and take what comes out off the bias. With 8-bit
activations there is no such offset, but their steps are 256 times as coarse. Ranges set by outliers make it
worse, since it is counted in steps.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace constant_offset

const RuleEntry kConstantOffsetEntry = constant_offset::kEntry;

}  // namespace quantgate::rules
