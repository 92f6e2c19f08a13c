#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace param_value {

using opdb::ArgKey;

// Several values are compared one by one; a single allowed value stands for every element.
bool Holds(const Subject& s) {
  const int param = s.constraint.param;
  if (param < 0) return true;
  const Args args(s.node, s.constraint);
  // `unset: same_rule`: a param that isn't given follows the rule by itself.
  if (args.has(ArgKey::kUnset) && s.node.given(param) == nullptr) return true;
  std::array<int64_t, 32> want;
  std::array<int64_t, 8> index;
  const auto ints = s.node.param_ints(param);
  if (ints.empty()) {
    const auto real = s.node.param_real(param);
    if (!real) return true;
    const auto min = args.real(ArgKey::kMin);
    const auto max = args.real(ArgKey::kMax);
    const auto above = args.real(ArgKey::kMinExclusive);
    const auto below = args.real(ArgKey::kMaxExclusive);
    const auto eq = args.real(ArgKey::kEq);
    return (!min || *real >= *min) && (!max || *real <= *max) && (!above || *real > *above) &&
           (!below || *real < *below) && (!eq || SameScale(*real, *eq));
  }
  const auto indexes = args.numbers(ArgKey::kIndex, index);
  const auto meant = [&](size_t i) {
    return !indexes || std::find(index.begin(), index.begin() + *indexes,
                                 static_cast<int64_t>(i)) != index.begin() + *indexes;
  };
  if (const auto count = args.numbers(ArgKey::kEq, want)) {
    if (!indexes && *count > 1 && *count != ints.size()) return false;
    for (size_t i = 0; i < ints.size(); ++i) {
      if (meant(i) && ints[i] != want[*count == 1 ? 0 : std::min(i, *count - 1)]) return false;
    }
  }
  const auto min = args.number(ArgKey::kMin);
  const auto max = args.number(ArgKey::kMax);
  const auto above = args.number(ArgKey::kMinExclusive);
  const auto below = args.number(ArgKey::kMaxExclusive);
  for (size_t i = 0; i < ints.size(); ++i) {
    if (!meant(i)) continue;
    const int64_t v = ints[i];
    if ((min && v < *min) || (max && v > *max) || (above && v <= *above) ||
        (below && v >= *below)) {
      return false;
    }
    if (const auto count = args.numbers(ArgKey::kAllowed, want);
        count && std::find(want.begin(), want.begin() + *count, v) == want.begin() + *count) {
      return false;
    }
    if (const auto count = args.numbers(ArgKey::kDenied, want);
        count && std::find(want.begin(), want.begin() + *count, v) != want.begin() + *count) {
      return false;
    }
  }
  return true;
}

// The number nearest to `value` that the constraint supports; nothing = none.
std::optional<int64_t> NearestValue(const Args& args, int64_t value) {
  std::array<int64_t, 32> listed;
  if (const auto count = args.numbers(ArgKey::kAllowed, listed); count && *count > 0) {
    return *std::min_element(listed.begin(), listed.begin() + *count,
                             [&](int64_t a, int64_t b) {
                               return std::abs(a - value) < std::abs(b - value);
                             });
  }
  const auto min = args.number(ArgKey::kMin), max = args.number(ArgKey::kMax);
  // An index that counts from the end.
  if (min && *min == 0 && max && value < 0 && value + *max >= -1) return value + *max + 1;
  if (min) value = std::max(value, *min);
  if (const auto n = args.number(ArgKey::kMinExclusive)) value = std::max(value, *n + 1);
  if (max) value = std::min(value, *max);
  if (const auto n = args.number(ArgKey::kMaxExclusive)) value = std::min(value, *n - 1);
  const auto denied = args.numbers(ArgKey::kDenied, listed);
  if (denied &&
      std::find(listed.begin(), listed.begin() + *denied, value) != listed.begin() + *denied) {
    return std::nullopt;
  }
  return value;
}

// What to set the param to; empty: no other value does the same.
std::string NearestText(const Subject& s, const Args& args) {
  const int param = s.constraint.param;
  std::array<int64_t, 32> want;
  if (const auto count = args.numbers(ArgKey::kEq, want); count && !args.has(ArgKey::kIndex)) {
    if (*count == 1) return ParamValueName(s.node, param, want[0]);
    return fmt::format("[{}]", NumberList(std::span(want.data(), *count), ", "));
  }
  const auto ints = s.node.param_ints(param);
  if (ints.empty()) {
    // Ends that are not part of the range name no number.
    if (const auto eq = args.real(ArgKey::kEq)) return Number(*eq);
    const auto real = s.node.param_real(param);
    const auto min = args.real(ArgKey::kMin), max = args.real(ArgKey::kMax);
    if (real && min && *real < *min) return Number(*min);
    if (real && max && *real > *max) return Number(*max);
    return "";
  }
  std::array<int64_t, 8> index;
  const auto indexes = args.numbers(ArgKey::kIndex, index);
  const auto eq = args.numbers(ArgKey::kEq, want);
  std::vector<int64_t> values(ints.begin(), ints.end());
  for (size_t i = 0; i < values.size(); ++i) {
    if (indexes && std::find(index.begin(), index.begin() + *indexes, static_cast<int64_t>(i)) ==
                       index.begin() + *indexes) {
      continue;
    }
    const auto nearest = eq && *eq > 0 ? want[*eq == 1 ? 0 : std::min(i, *eq - 1)]
                                       : NearestValue(args, values[i]);
    if (!nearest) return "";
    values[i] = *nearest;
  }
  return values.size() == 1 ? ParamValueName(s.node, param, values[0])
                            : fmt::format("[{}]", NumberList(values, ", "));
}

// "3 to 5", "at least 3", "above 2, below 4"
std::string RangeText(const Args& args) {
  const auto min = args.real(ArgKey::kMin), max = args.real(ArgKey::kMax);
  if (min && max) return fmt::format("{} to {}", Number(*min), Number(*max));
  std::string text;
  const auto add = [&](ArgKey key, std::string_view words) {
    if (const auto n = args.real(key)) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", words, Number(*n));
    }
  };
  add(ArgKey::kMin, "at least");
  add(ArgKey::kMax, "at most");
  add(ArgKey::kMinExclusive, "above");
  add(ArgKey::kMaxExclusive, "below");
  return text;
}

std::string AllowedText(const Subject& s, const Args& args) {
  std::array<int64_t, 32> want;
  const auto names = [&](size_t count) {
    std::vector<std::string> items;
    for (size_t i = 0; i < count; ++i) {
      items.push_back(ParamValueName(s.node, s.constraint.param, want[i]));
    }
    return items;
  };
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += text.empty() ? part : ", " + part;
  };
  if (const auto n = args.numbers(ArgKey::kEq, want)) {
    add(*n == 1 ? names(1)[0] : fmt::format("[{}]", Join(names(*n), ", ")));
  } else if (const auto eq = args.real(ArgKey::kEq)) {
    add(Number(*eq));
  }
  if (const auto n = args.numbers(ArgKey::kAllowed, want)) add(Join(names(*n)));
  if (const auto n = args.numbers(ArgKey::kDenied, want)) {
    add(fmt::format("any value but {}", Join(names(*n))));
  }
  add(RangeText(args));
  return text;
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const int param = s.constraint.param;
  f.found = ParamText(s.node, param);
  f.allowed = AllowedText(s, args);
  f.message = fmt::format("param {} of {} is {}; supported: {}", f.port, f.op, f.found, f.allowed);
  // Another value of an enumeration is another function.
  const std::string nearest = ParamIsEnum(s.node, param) ? "" : NearestText(s, args);
  const bool in_range = !args.has(ArgKey::kDenied) && !ParamIsEnum(s.node, param);
  f.fixes.push_back(UnsafeFix(
      !nearest.empty() ? fmt::format("set {} to {}", f.port, nearest)
      : in_range       ? fmt::format("set {} to a value {}", f.port, f.allowed)
                       : fmt::format("replace the op: no other {} does the same", f.port)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kParamValue, {.summary = "the value of a param is not supported",
                                .explanation = R"(## What it checks
Params such as axis, stride or operation take some values only.

## Why
The op exists with fewer options on this backend than in the framework; the library refuses the
others.

## Fix
Use one of the values the message names.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace param_value

const RuleEntry kParamValueEntry = param_value::kEntry;

}  // namespace quantgate::rules
