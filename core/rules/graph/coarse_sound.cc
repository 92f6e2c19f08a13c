#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace coarse_sound {

struct Own : Settings {
  SetMask makers = 0;  // that give samples, not scores
  SetMask views = 0;   // that hand on what they read
  int64_t min_samples = 0, max_channels = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::makers>("makers"), F::Bind<&Own::views>("views"),
                                    F::Bind<&Own::min_samples>("min_samples"), F::Bind<&Own::max_channels>("max_channels")};

// Samples of a tensor that is as long and as thin as sound; 0 = it is not.
int64_t Samples(const Tensor& t, const Own& own) {
  int64_t longest = 0;
  for (const int64_t dim : t.dims) longest = std::max(longest, dim);
  const bool thin = LeastElements(t) <= static_cast<double>(own.max_channels) * static_cast<double>(longest);
  return thin && longest >= own.min_samples ? longest : 0;
}

// The op that computes what comes out; -1 = it is none that gives samples.
int32_t MakerOf(const GraphView& g, TensorId output) {
  const Own& own = g.settings<Own>();
  const int32_t op = g.Producer(g.Behind(output, own.views));
  return op >= 0 && g.Is(op, own.makers) ? op : -1;
}

void Walk(const GraphView& g, GraphFindings& findings) {
  constexpr int kFewBits = 8;
  for (const TensorId output : g.graph().outputs) {
    const int32_t op = output == kNoTensor ? -1 : MakerOf(g, output);
    const Tensor* t = op < 0 ? nullptr : g.output(op);
    if (!StepOf(t) || EffectiveBits(*t) > kFewBits) continue;
    const int64_t samples = Samples(*t, g.settings<Own>());
    const std::optional<Interval> held = HeldRange(t);
    // Counts and marks have no values on both sides of 0.
    if (samples == 0 || !held || held->low >= 0 || held->high <= 0) continue;
    Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
    f.message = fmt::format(
        "\"{}\" has {} samples of 8 bits, steps of {}: as sound that is noise of about 50 dB below the loudest, which "
        "is heard in pauses",
        g.EndName(output), samples, Number(*StepOf(t)));
    f.found = DescribeEncoding(*t);
    f.allowed = "16 bits";
    f.fixes.push_back(UnsafeFix("give the last layers 16-bit activations (weights can stay in 8), or leave them in float"));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kCoarseSound,
                  {.summary = "sound comes out of the model in 8 bits",
                   .explanation = R"(## What it checks
Outputs of the model in 8 bits that are as long and thin as sound (8,000 values or more, in one or two
channels), come from a convolution or a Tanh, and have values on both sides of 0.

## Why
Eight bits of a signal leave noise 50 dB below its loudest sample. Speech has pauses, and the noise is heard
in them; 16 bits leave 98 dB.

## Fix
Quantize the activations of the last layers to 16 bits; the weights can stay in 8.

## References
The evidence is listed below; the rest is arithmetic.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace coarse_sound

const RuleEntry kCoarseSoundEntry = coarse_sound::kEntry;

}  // namespace quantgate::rules
