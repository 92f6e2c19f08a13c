#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace control_flow {

constexpr RuleEntry kEntry = {
    .rule = About(kControlFlow, {.summary = "nodes inside a control-flow subgraph are not checked",
                                 .explanation = R"(## What it checks
Bodies of If, Loop and Scan.

## Why
The backend supports flat graphs only; what a tool does with a body depends on the tool. The nodes are
listed as `unchecked` so that nothing is dropped in silence.

## Fix
Unroll the loop or fold the condition before export.

## References
QNN graphs have no control flow.
)",
                                 .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace control_flow

const RuleEntry kControlFlowEntry = control_flow::kEntry;

}  // namespace quantgate::rules
