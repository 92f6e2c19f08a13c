#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace value_range {

using opdb::ArgKey;

struct Extremes {
  double min, max;
};

// The value at a place, counted from the end where it is negative; nothing where there is none.
std::optional<Extremes> ValueAt(const Tensor& t, int64_t index) {
  if (!t.values) return std::nullopt;
  const auto at = [&](const auto& values) -> std::optional<Extremes> {
    const auto count = static_cast<int64_t>(values.size());
    const int64_t place = index < 0 ? index + count : index;
    if (place < 0 || place >= count) return std::nullopt;
    const auto value = static_cast<double>(values[static_cast<size_t>(place)]);
    return Extremes{value, value};
  };
  return t.values->ints.empty() ? at(t.values->reals) : at(t.values->ints);
}

std::optional<Extremes> ExtremesOf(const Tensor& t, const Args& args) {
  if (const auto index = args.number(ArgKey::kIndex)) return ValueAt(t, *index);
  if (t.value_range) return Extremes{t.value_range->first, t.value_range->second};
  if (!t.values) return std::nullopt;
  const auto of = [](const auto& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return Extremes{static_cast<double>(*low), static_cast<double>(*high)};
  };
  if (!t.values->ints.empty()) return of(t.values->ints);
  if (!t.values->reals.empty()) return of(t.values->reals);
  return std::nullopt;
}

bool Holds(const Subject& s) {
  const Args args(s.node, s.constraint);
  const auto values = ExtremesOf(*s.tensor, args);
  if (!values) return !args.flag(ArgKey::kRequired, false);
  const auto min = args.number(ArgKey::kMin);
  const auto max = args.number(ArgKey::kMax);
  return (!min || values->min >= static_cast<double>(*min)) &&
         (!max || values->max <= static_cast<double>(*max));
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const auto values = ExtremesOf(*s.tensor, args);
  const auto min = args.number(ArgKey::kMin);
  const auto max = args.number(ArgKey::kMax);
  const auto index = args.number(ArgKey::kIndex);
  const std::string place = index ? fmt::format(" at index {}", *index) : "";
  if (!values) {
    f.found = "values that are not known";
  } else if (index) {
    f.found = Number(values->min) + place;
  } else {
    f.found = fmt::format("values from {} to {}", Number(values->min), Number(values->max));
  }
  f.allowed = fmt::format("{}{}{}", index ? "" : "values ", RangeText(min, max), place);
  f.message = fmt::format("{} of {} holds {}; supported: {}", f.port, f.op, f.found, f.allowed);
  f.fixes.push_back(UnsafeFix(
      index ? fmt::format("change \"{}\" to {}", s.tensor->name, f.allowed)
            : fmt::format("clamp \"{}\" to {}, or quantize it again", s.tensor->name, f.allowed)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kValueRange, {.summary = "stored values leave the range that the op supports",
                                .explanation = R"(## What it checks
The stored values of a constant (weights, indices) lie within limits.

## Why
Values beyond them are cut or read as other numbers by the kernels: 4-bit weights in an 8-bit
container must not exceed 4 bits, 16-bit weights 0x7F7F.

## Fix
Clamp or re-quantize the values.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace value_range

const RuleEntry kValueRangeEntry = value_range::kEntry;

}  // namespace quantgate::rules
