#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace sdk_gated_row {

constexpr RuleEntry kEntry = {
    .rule = About(kSdkGatedRow, {.summary = "the datatypes are supported, but not by this SDK version",
                                 .explanation = R"(## What it checks
A dtype row matches in another SDK version than the one asked for.

## Why
Rows come and go with SDK versions; the library of this version refuses the combination.

## Fix
Use the SDK version the message names, or the nearest row of this version.

## References
Version ranges of the rows.
)",
                                 .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace sdk_gated_row

const RuleEntry kSdkGatedRowEntry = sdk_gated_row::kEntry;

}  // namespace quantgate::rules
