#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace undocumented_row {

constexpr RuleEntry kEntry = {
    .rule = About(kUndocumentedRow, {.summary = "the datatypes are in no documented row",
                                     .explanation = R"(## What it checks
The documentation of the SDK has no such row, yet the library accepts it; either its numbers were
never executed, or the version lies between the documented and the first measured one.

## Why
What is not documented may change without notice, and numbers that nobody checked may be wrong.

## Fix
Prefer a documented row where accuracy allows; else compare the numbers on the device.

## References
Sources of the variant.
)",
                                     .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace undocumented_row

const RuleEntry kUndocumentedRowEntry = undocumented_row::kEntry;

}  // namespace quantgate::rules
