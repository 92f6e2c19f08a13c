#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

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

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const int param = s.constraint.param;
  std::array<int64_t, 32> want;
  const auto names = [&](size_t count) {
    std::vector<std::string> items;
    for (size_t i = 0; i < count; ++i) items.push_back(ParamValueName(s.node, param, want[i]));
    return items;
  };
  const auto add = [&](std::string text) { f.allowed += f.allowed.empty() ? text : ", " + text; };
  if (const auto n = args.numbers(ArgKey::kEq, want)) {
    add(*n == 1 ? names(1)[0] : fmt::format("[{}]", Join(names(*n), ", ")));
  }
  if (const auto n = args.numbers(ArgKey::kAllowed, want)) add(Join(names(*n)));
  if (const auto n = args.numbers(ArgKey::kDenied, want))
    add(fmt::format("not {}", Join(names(*n))));
  if (const auto n = args.real(ArgKey::kMin)) add(fmt::format("at least {}", Number(*n)));
  if (const auto n = args.real(ArgKey::kMax)) add(fmt::format("at most {}", Number(*n)));
  if (const auto n = args.real(ArgKey::kMinExclusive)) add(fmt::format("above {}", Number(*n)));
  if (const auto n = args.real(ArgKey::kMaxExclusive)) add(fmt::format("below {}", Number(*n)));
  f.found = ParamText(s.node, param);
  f.message = fmt::format("param {} of {} is {}; supported: {}", f.port, f.op, f.found, f.allowed);
  f.fixes.push_back(UnsafeFix(fmt::format("set {} to {}", f.port, f.allowed)));
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
    .kinds = {opdb::Kind::kParamValue},
    .kind_count = 1,
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kParamValueEntry = kEntry;

}  // namespace quantgate::rules
