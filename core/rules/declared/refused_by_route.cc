#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace refused_by_route {

constexpr RuleEntry kEntry = {
    .rule = About(kRefusedByRoute,
                  {.summary = "a tool on the way to the backend does not hand this operator over",
                   .explanation = R"(## What it checks
Some operators have a QNN op, or could be composed from some, and yet the tool that translates
the model (such as the QNN provider of ONNX Runtime) refuses them by itself.

## Why
The node then runs on the CPU, with a border of conversions on both sides, or the whole session
fails where fallback is off.

## Fix
Replace the operator by ones the tool translates; the message names the reason.

## References
Measured on the tool named in the sources of the finding.
)",
                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace refused_by_route

const RuleEntry kRefusedByRouteEntry = refused_by_route::kEntry;

}  // namespace quantgate::rules
