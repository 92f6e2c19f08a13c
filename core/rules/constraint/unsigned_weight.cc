#include <fmt/core.h>

#include <utility>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unsigned_weight {

bool Holds(const Subject& s) { return ClassOf(s.tensor->dtype) != DtypeClass::kUfixed; }

void Explain(const Subject& s, Finding& f) {
  const Dtype want = s.tensor->dtype == Dtype::kUfixedPoint16  ? Dtype::kSfixedPoint16
                     : s.tensor->dtype == Dtype::kUfixedPoint4 ? Dtype::kSfixedPoint4
                     : s.tensor->dtype == Dtype::kUfixedPoint8 ? Dtype::kSfixedPoint8
                                                               : Dtype::kSfixedPoint32;
  f.found =
      fmt::format("{} {}", DtypeName(s.tensor->dtype), EncodingKindName(s.tensor->encoding->kind));
  f.allowed = DtypeName(want);
  f.message = fmt::format("{} of {} must be signed when it is {}", f.port, f.op,
                          EncodingKindName(s.tensor->encoding->kind));
  const bool same_values = IsSymmetric(*s.tensor);
  Fix fix{fmt::format("store \"{}\" as {} with zero_point 0{}", s.tensor->name, DtypeName(want),
                      same_values ? ", every value minus the middle" : ""),
          same_values,
          {}};
  f.fixes.push_back(std::move(fix));
}

constexpr RuleEntry kEntry = {
    .rule = About(kUnsignedWeight, {.summary = "the tensor must be of a signed fixed-point type",
                                    .explanation = R"(## What it checks
Per-channel and LPBQ weights are stored as signed fixed-point numbers.

## Why
The kernels read the stored bytes as signed. Unsigned ones are refused, or computed wrong.

## Fix
Use the signed type. An unsigned weight with the middle as zero point keeps its values: subtract
the middle from every stored value and set the zero point to 0.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                    .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unsigned_weight

const RuleEntry kUnsignedWeightEntry = unsigned_weight::kEntry;

}  // namespace quantgate::rules
