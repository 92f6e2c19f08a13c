#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

constexpr RuleEntry kEntry = {.rule = {.code = "QG202",
                                       .slug = "arch-gated-row",
                                       .summary = "the datatypes are taken, but not on this arch",
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
                                       .status = RuleStatus::kStable}};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry arch_gated_row;
const RuleEntry arch_gated_row = kEntry;

}  // namespace quantgate::rules
