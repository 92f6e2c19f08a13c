#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace idle_channel {

struct Own : Settings {
  // The scale that quantizers put in for a channel without values.
  double floor = 0;
  // The others must be this many times larger.
  double spread = 1000;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::floor>("floor"),
                                    F::Bind<&Own::spread>("spread")};

bool IsIdle(const Own& settings, float scale, float largest) {
  constexpr double kRounded = 0.01;  // as files write it
  return scale > 0 && std::abs(scale - settings.floor) <= kRounded * settings.floor &&
         largest > scale * settings.spread;
}

// Of more than one channel.
[[gnu::noinline]] int64_t CountIdle(const Own& settings, const Tensor& t) {
  if (!t.is_static || t.encoding->kind != EncodingKind::kPerChannel) return 0;
  const auto& scales = t.encoding->scales;
  const float largest = *std::max_element(scales.begin(), scales.end());
  return std::count_if(scales.begin(), scales.end(),
                       [&](float scale) { return IsIdle(settings, scale, largest); });
}

// Apart from Visit(), which every op goes through.
[[gnu::noinline]] void Explain(const GraphView& g, int32_t op, int64_t idle,
                               GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  const auto port = static_cast<size_t>(g.info(op).weight);
  const auto& scales = g.input(op, port)->encoding->scales;
  const float least = *std::min_element(scales.begin(), scales.end());
  const float most = *std::max_element(scales.begin(), scales.end());
  Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
  f.message = fmt::format(
      "{} of {} channels of {} have the smallest scale that quantizers give ({}): nothing but "
      "zeros was seen there",
      idle, scales.size(), f.port, Number(least));
  f.found = fmt::format("scales from {} to {}", Number(least), Number(most));
  f.allowed = fmt::format("a scale of its own, above {}", Number(settings.floor));
  f.lost_bits = std::min<double>(std::log2(most / least), EffectiveBits(*g.input(op, port)));
  f.fixes.push_back(UnsafeFix("look at the training: prune these channels, or calibrate again"));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (g.info(op).weight < 0) return;
  const Tensor* const weight = g.input(op, static_cast<size_t>(g.info(op).weight));
  if (weight == nullptr || weight->encoding->scales.size() < 2) return;
  const int64_t idle = CountIdle(g.settings<Own>(), *weight);
  if (idle > 0) Explain(g, op, idle, findings);
}

constexpr RuleEntry kEntry = {
    .rule = About(kIdleChannel, {.summary = "channels of a weight have the smallest scale there is",
                                 .explanation = R"(## What it checks
Per-channel scales of weights: one at the floor of quantizers (2^-23, where a range of zero is
replaced) next to others that are a thousand times larger.

## Why
Such a channel was all zero when its range was taken, or was never seen. If its values are not zero
after all, they clip to a range of 3e-5, and the channel is lost.

## Fix
Look at the weights of the channel: prune it where it is zero, else take its range again.

## References
The evidence is listed below.
)",
                                 .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace idle_channel

const RuleEntry kIdleChannelEntry = idle_channel::kEntry;

}  // namespace quantgate::rules
