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
namespace {

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

void Explain(const Subject& s, Finding& f) {
  std::array<int64_t, 16> bits;
  const Args args(s.node, s.constraint);
  f.found = fmt::format("{} bits in {}", EffectiveBits(*s.tensor), DtypeName(s.tensor->dtype));
  if (const auto count = args.numbers(ArgKey::kAllowed, bits)) {
    f.allowed = fmt::format("{} bits", NumberList(std::span(bits.data(), *count)));
  } else if (const auto denied = args.numbers(ArgKey::kDenied, bits)) {
    f.allowed = fmt::format("not {} bits", NumberList(std::span(bits.data(), *denied)));
  }
  f.message = fmt::format("{} of {} has {} bits, which is not supported here", f.port, f.op,
                          EffectiveBits(*s.tensor));
  f.fixes.push_back(UnsafeFix(fmt::format("quantize it to {}", f.allowed)));
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
    .kinds = {opdb::Kind::kBitWidth},
    .kind_count = 1,
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kBitWidthEntry = kEntry;

}  // namespace quantgate::rules
