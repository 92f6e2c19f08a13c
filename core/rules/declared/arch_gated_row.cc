#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace arch_gated_row {

constexpr RuleEntry kEntry = {
    .rule = About(kArchGatedRow, {.summary = "the datatypes are supported, but not on this arch",
                                  .explanation = R"(## What it checks
A dtype row matches, but only archs from a later one on take it (16-bit weights with 16-bit
activations need v73, for example).

## Why
The library refuses the row on older archs.

## Fix
Target a chip with the arch the message names, or use the row the message names for this arch.

## References
Arch ranges of the rows; measured per arch.
)",
                                  .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace arch_gated_row

const RuleEntry kArchGatedRowEntry = arch_gated_row::kEntry;

}  // namespace quantgate::rules
