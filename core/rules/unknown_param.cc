#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

constexpr RuleEntry kEntry = {.rule = {.code = "QG510",
                                       .slug = "unknown-param",
                                       .summary = "the op has no param of this name",
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
                                       .status = RuleStatus::kStable}};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry unknown_param;
const RuleEntry unknown_param = kEntry;

}  // namespace quantgate::rules
