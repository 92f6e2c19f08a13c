#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unknown_param {

constexpr RuleEntry kEntry = {
    .rule = About(kUnknownParam, {.summary = "the op has no param of this name",
                                  .explanation = R"(## What it checks
Params are compared with the ones the op declares.

## Why
The library refuses or ignores a param it does not know; a misspelt one leaves the default in
force.

## Fix
Check the spelling.

## References
Param tables of the op.
)",
                                  .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unknown_param

const RuleEntry kUnknownParamEntry = unknown_param::kEntry;

}  // namespace quantgate::rules
