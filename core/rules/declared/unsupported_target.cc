#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unsupported_target {

constexpr RuleEntry kEntry = {
    .rule = About(kUnsupportedTarget, {.summary = "nothing is known about ops on this soc",
                                       .explanation = R"(## What it checks
Chips without an HTP, or with one older than the first supported arch, are in the chip table but
no op rows exist for them.

## Why
A verdict without data would be a guess.

## Fix
Choose a soc or arch that `quantgate targets` lists with ops.

## References
Chip table of the database.
)",
                                       .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unsupported_target

const RuleEntry kUnsupportedTargetEntry = unsupported_target::kEntry;

}  // namespace quantgate::rules
