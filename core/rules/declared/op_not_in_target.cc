#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace op_not_in_target {

constexpr RuleEntry kEntry = {
    .rule = About(kOpNotInTarget, {.summary = "the op exists, but not for this SDK version or arch",
                                   .explanation = R"(## What it checks
The op is in the database, with a range of SDK versions or archs that leaves out the target.

## Why
Older libraries refuse ops they do not know; the converter fails late and without the reason.

## Fix
Use the SDK or arch that the message names, or another op.

## References
Version ranges of the op in `opdefs`.
)",
                                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace op_not_in_target

const RuleEntry kOpNotInTargetEntry = op_not_in_target::kEntry;

}  // namespace quantgate::rules
