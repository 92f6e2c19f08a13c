#include <fmt/core.h>

#include <cstdint>
#include <string>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace large_activation {

struct Own : Settings {
  SetMask whole = 0;  // ops that need many values of their input at once
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::whole>("whole")};

// Bytes of the input of such an op; 0 = it is another, or fits.
double TooLarge(const GraphView& g, const Own& settings, int32_t op, int64_t megabytes) {
  const Tensor* input = g.Is(op, settings.whole) ? g.input(op, 0) : nullptr;
  if (input == nullptr || input->is_static) return 0;
  const double bytes = BytesOf(*input);
  return bytes > static_cast<double>(megabytes) * 1024 * 1024 ? bytes : 0;
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const int64_t megabytes = VtcmMegabytes(g);
  if (megabytes == 0) return;
  const Largest largest =
      LargestOf(g, [&](int32_t op) { return TooLarge(g, g.settings<Own>(), op, megabytes); });
  if (largest.op < 0) return;
  Finding& f = findings.AddInput(largest.op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "{} reads {} at once, more than the {} MB of VTCM of {}{}: it may not be prepared",
      g.op(largest.op).op, Bytes(largest.amount), megabytes, g.target().soc(),
      largest.count == 1 ? ""
      : largest.count == 2 ? " (so does 1 more node)"
                           : fmt::format(" (so do {} more nodes)", largest.count - 1));
  f.found = Bytes(largest.amount);
  f.allowed = fmt::format("{} MB", megabytes);
  f.fixes.push_back(UnsafeFix("make the input smaller, or split it into tiles before this op"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kLargeActivation, {.summary = "an op has to hold more than the chip's fast memory",
                                     .explanation = R"(## What it checks
The input of ops that need many values at once (norms, Softmax) against the size of the VTCM of the
SoC that is asked for. One finding for the model, on the op with the largest.

## Why
Other ops are tiled: a part of the input gives a part of the output. These can be tiled along some
axes only, and where the parts still don't fit, preparation fails with a message about TCM, or the
op goes back and forth to the main memory.

## Fix
Make the image or the sequence smaller, split it before this op, or use fewer bits.

## References
The evidence is listed below. How an op is tiled is not documented, so this is advice.
)",
                                     .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace large_activation

const RuleEntry kLargeActivationEntry = large_activation::kEntry;

}  // namespace quantgate::rules
