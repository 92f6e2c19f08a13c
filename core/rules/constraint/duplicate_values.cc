#include <fmt/core.h>

#include <optional>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace duplicate_values {

// Readers keep small constants only, so the quadratic search stays small.
std::optional<int64_t> Duplicate(const Tensor& t) {
  if (!t.values) return std::nullopt;
  const auto& v = t.values->ints;
  for (size_t i = 0; i < v.size() && v.size() <= 4096; ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (v[k] == v[i]) return v[i];
    }
  }
  return std::nullopt;
}

bool Holds(const Subject& s) { return !Duplicate(*s.tensor); }

void Explain(const Subject& s, Finding& f) {
  f.found = fmt::format("{} more than once", *Duplicate(*s.tensor));
  f.allowed = "each value once";
  f.message = fmt::format("{} of {} holds the value {}", f.port, f.op, f.found);
  f.fixes.push_back(
      UnsafeFix(fmt::format("keep {} once in \"{}\"", *Duplicate(*s.tensor), s.tensor->name)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kDuplicateValues, {.summary = "a constant holds the same value twice",
                                     .explanation = R"(## What it checks
Indices of some ops must be unique.

## Why
Which of two writes to the same place wins is not defined.

## Fix
Remove the duplicates, or use a reduction.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                     .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace duplicate_values

const RuleEntry kDuplicateValuesEntry = duplicate_values::kEntry;

}  // namespace quantgate::rules
