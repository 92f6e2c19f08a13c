#include <fmt/core.h>

#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace short_depth_convolution {

struct Own : Settings {
  SetMask convolutions = 0;
  int64_t max_depth = 0;  // input channels
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::convolutions>("convolutions"),
                                    F::Bind<&Own::max_depth>("max_depth")};

// A convolution over few input channels whose weights are asymmetric.
bool IsWrongAt(const GraphView& g, const Own& settings, int32_t op) {
  if (!g.Is(op, settings.convolutions) || g.info(op).weight < 0) return false;
  const Tensor* in = g.input(op, 0);
  const Tensor* weight = g.input(op, static_cast<size_t>(g.info(op).weight));
  return in != nullptr && weight != nullptr && !in->dims.empty() && in->dims.back() >= 1 &&
         in->dims.back() <= settings.max_depth && IsFixedPoint(weight->dtype) &&
         !weight->encoding->scales.empty() && !IsSymmetric(*weight);
}

// Apart from Visit(), which every convolution goes through.
[[gnu::noinline]] void Explain(const GraphView& g, int32_t op, GraphFindings& findings) {
  const auto port = static_cast<size_t>(g.info(op).weight);
  const Tensor* in = g.input(op, 0);
  const Tensor* weight = g.input(op, port);
  Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
  f.message =
      fmt::format("{} of {} input channels has asymmetric weights", f.op, in->dims.back());
  f.found = DescribeEncoding(*weight);
  f.allowed = ZeroPoint(MiddleOf(*weight));
  f.related = {"in[0]"};
  f.fixes.push_back(SymmetricFix(*weight));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (IsWrongAt(g, g.settings<Own>(), op) && !g.ReportedBefore(op)) Explain(g, op, findings);
}

constexpr RuleEntry kEntry = {
    .rule = About(kShortDepthConvolution,
                  {.summary = "a convolution with few input channels has asymmetric weights",
                   .explanation = R"(## What it checks
Convolutions of up to 4 input channels whose weights have a zero point other than the middle.

## Why
Convolutions of short depth run on the matrix unit in a form of its own, which is made for symmetric
weights; a graph option (short_depth_conv_on_hmx_off) exists for the others.

## Fix
Quantize the weights symmetric, or set the option if accuracy is off on the device.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace short_depth_convolution

const RuleEntry kShortDepthConvolutionEntry = short_depth_convolution::kEntry;

}  // namespace quantgate::rules
