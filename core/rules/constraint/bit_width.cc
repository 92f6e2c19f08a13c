#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace bit_width {

using opdb::ArgKey;

std::optional<bool> Listed(const Subject& s, ArgKey key) {
  std::array<int64_t, 16> bits;
  const auto count = Args(s.node, s.constraint).numbers(key, bits);
  if (!count) return std::nullopt;
  return std::find(bits.begin(), bits.begin() + *count, EffectiveBits(*s.tensor)) !=
         bits.begin() + *count;
}

bool Holds(const Subject& s) {
  if (!IsFixedPoint(s.tensor->dtype)) return true;
  return Listed(s, ArgKey::kAllowed).value_or(true) && !Listed(s, ArgKey::kDenied).value_or(false);
}

// The width to use: the next wider one that is supported, else the next narrower one; 0 = none.
int64_t NearestWidth(const Subject& s) {
  constexpr std::array<int64_t, 5> kWidths = {2, 4, 8, 16, 32};
  const Args args(s.node, s.constraint);
  const int64_t have = EffectiveBits(*s.tensor);
  std::array<int64_t, 16> listed;
  const auto lists = [&](ArgKey key, int64_t width) {
    const auto count = args.numbers(key, listed);
    return count && std::find(listed.begin(), listed.begin() + *count, width) !=
                        listed.begin() + *count;
  };
  int64_t best = 0;
  for (const int64_t width : kWidths) {
    if (width > BitsOf(s.tensor->dtype) || lists(ArgKey::kDenied, width)) continue;
    if (args.has(ArgKey::kAllowed) && !lists(ArgKey::kAllowed, width)) continue;
    if (best < have) best = width;
  }
  return best;
}

void Explain(const Subject& s, Finding& f) {
  std::array<int64_t, 16> bits;
  const Args args(s.node, s.constraint);
  f.found = fmt::format("{} bits in {}", EffectiveBits(*s.tensor), DtypeName(s.tensor->dtype));
  if (const auto count = args.numbers(ArgKey::kAllowed, bits)) {
    f.allowed = fmt::format("{} bits", NumberList(std::span(bits.data(), *count)));
  } else if (const auto denied = args.numbers(ArgKey::kDenied, bits)) {
    f.allowed = fmt::format("any width but {} bits", NumberList(std::span(bits.data(), *denied)));
  }
  f.message = fmt::format("{} of {} has {} bits; supported: {}", f.port, f.op,
                          EffectiveBits(*s.tensor), f.allowed);
  if (const int64_t width = NearestWidth(s)) {
    f.fixes.push_back(UnsafeFix(fmt::format("quantize \"{}\" to {} bits", s.tensor->name, width)));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kBitWidth, {.summary = "this number of bits is not supported",
                              .explanation = R"(## What it checks
The significant bits of a tensor (its encoding bitwidth, else the storage bits) must be among
the allowed ones.

## Why
Narrow weights need own kernels: 4 and 2 bits exist for some ops, archs and SDK versions, 3 and
5 for none.

## Fix
Use one of the widths the message lists.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                              .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace bit_width

const RuleEntry kBitWidthEntry = bit_width::kEntry;

}  // namespace quantgate::rules
