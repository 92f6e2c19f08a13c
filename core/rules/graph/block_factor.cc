#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace block_factor {

struct Own : Settings {
  int64_t min_factor = 1;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::min_factor>("min_factor")};

// 4 bits say 1 to 16, not 0 to 15.
int64_t Most(const Encoding& e) { return int64_t{1} << e.block_scale_bitwidth; }

// The factor that is furthest beyond what it may be.
[[gnu::noinline]] std::optional<int64_t> WrongOf(const Encoding& e, const Own& settings) {
  if (e.block_scale_bitwidth < 1 || e.block_scale_bitwidth > 16) return std::nullopt;
  const auto [low, high] = std::minmax_element(e.block_scales.begin(), e.block_scales.end());
  if (*high > Most(e)) return *high;
  if (*low < settings.min_factor) return *low;
  return std::nullopt;
}

// Apart from Visit(), which every op goes through.
[[gnu::noinline]] void Explain(const GraphView& g, int32_t op, int64_t wrong,
                               GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  const auto port = static_cast<size_t>(g.info(op).weight);
  const Encoding& e = g.input(op, port)->encoding;
  const int64_t most = Most(e);
  const auto at = std::find(e.block_scales.begin(), e.block_scales.end(), wrong);
  Finding& f = findings.AddInput(op, port,
                                 wrong > most ? Consequence::kWrongValues : Consequence::kAdvice);
  f.message =
      fmt::format("{} of {} has a block factor of {}: {}", f.port, f.op, wrong,
                  wrong > most ? "it does not fit its bits, and the numbers come out wrong"
                               : "all weights of that block are 0");
  f.found = fmt::format("{}, block {}", wrong, at - e.block_scales.begin());
  f.allowed =
      fmt::format("{} to {} ({} bits)", settings.min_factor, most, e.block_scale_bitwidth);
  f.fixes.push_back(
      UnsafeFix("choose the channel's scale so that its largest factor is the most "
                "allowed, and quantize the factors again"));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (g.info(op).weight < 0) return;
  const Tensor* const weight = g.input(op, static_cast<size_t>(g.info(op).weight));
  if (weight == nullptr || weight->encoding->block_scales.empty()) return;
  const std::optional<int64_t> wrong = WrongOf(weight->encoding, g.settings<Own>());
  if (wrong) Explain(g, op, *wrong, findings);
}

constexpr RuleEntry kEntry = {
    .rule = About(kBlockFactor, {.summary = "a block factor of an LPBQ weight is out of range",
                                 .explanation = R"(## What it checks
The integer factors of an LPBQ encoding, one for each block of a channel: from 1 to 2 to the power of
their width, that is 1 to 16 for 4 bits.

## Why
The factor is stored in so many bits. A larger one is accepted by every call, and the numbers of the
whole channel are wrong.

## Fix
The channel's scale is its largest block scale divided by 16; the factors are the block scales in
steps of it, rounded, at least 1.

## References
The evidence and what the real library said are listed below.
)",
                                 .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace block_factor

const RuleEntry kBlockFactorEntry = block_factor::kEntry;

}  // namespace quantgate::rules
