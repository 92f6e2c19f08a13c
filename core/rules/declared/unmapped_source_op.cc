#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unmapped_source_op {

constexpr RuleEntry kEntry = {
    .rule = About(kUnmappedSourceOp,
                  {.summary = "no mapping from the source operator to a QNN op is known",
                   .explanation = R"(## What it checks
Every operator of an ONNX or PyTorch model needs a mapping to QNN ops (`opdefs/resolve`).

## Why
Where no mapping exists nothing can be checked, and the node is reported as `unchecked` rather
than guessed at.

## Fix
Rewrite the operator with ones that have a mapping, or add the mapping: it is data, not code.

## References
`opdefs/resolve/onnx.yaml`, `opdefs/README.md`.
)",
                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unmapped_source_op

const RuleEntry kUnmappedSourceOpEntry = unmapped_source_op::kEntry;

}  // namespace quantgate::rules
