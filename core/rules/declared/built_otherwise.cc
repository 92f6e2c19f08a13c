#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace built_otherwise {

constexpr RuleEntry kEntry = {
    .rule = About(kBuiltOtherwise, {.summary = "a tool on the way builds the operator otherwise",
                                    .explanation = R"(## What it checks
Operators that the tool of the route translates, but into something that computes other numbers or
in another datatype than the file says, by their attributes, inputs and datatypes.

## Why
Mostly nothing fails: the graph is built, and its results differ from those of the file. Some
sequences of operators end the process that builds the graph.

## Fix
Write the operator in the form that the message names, or compare the results of the two.

## References
Rows of `operators` and `sequences` in opdefs/routes, measured by comparing the tool's results with those of the
CPU, or reported by its developers.
)",
                                    .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace built_otherwise

const RuleEntry kBuiltOtherwiseEntry = built_otherwise::kEntry;

}  // namespace quantgate::rules
