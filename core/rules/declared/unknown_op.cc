#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unknown_op {

constexpr RuleEntry kEntry = {
    .rule = About(kUnknownOp, {.summary = "the op is not in the database for this backend",
                               .explanation = R"(## What it checks
Every QNN op of the model is looked up in the database of the target backend.

## Why
The database lists the ops of the documentation and of the measured libraries. An op that is in
neither may come from an op package of your own, or its name is misspelt; nothing can be said
about it.

## Fix
Check the spelling (the message names the nearest known op), or describe the op in YAML of your
own.

## References
Op tables of the QNN documentation; `quantgate query` lists the ops of a target.
)",
                               .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unknown_op

const RuleEntry kUnknownOpEntry = unknown_op::kEntry;

}  // namespace quantgate::rules
