#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace soc_arch_conflict {

constexpr RuleEntry kEntry = {
    .rule = About(kSocArchConflict, {.summary = "the given soc and arch disagree",
                                     .explanation = R"(## What it checks
A soc implies its Hexagon arch. When both are given and differ, the soc decides.

## Why
QNN itself lets the SoC id win; a check for the wrong arch would report gates that do not apply,
or miss some that do.

## Fix
Give only one of `--soc` and `--arch`.

## References
Chip table of the database (`quantgate targets`).
)",
                                     .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace soc_arch_conflict

const RuleEntry kSocArchConflictEntry = soc_arch_conflict::kEntry;

}  // namespace quantgate::rules
