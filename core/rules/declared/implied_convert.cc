#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace implied_convert {

constexpr RuleEntry kEntry = {
    .rule = About(kImpliedConvert, {.summary = "a tool inserts a Convert here",
                                    .explanation = R"(## What it checks
Data-movement ops (Transpose, Reshape, Concat, …) with different encodings in and out.

## Why
The tool on the way adds a Convert, so the numbers stay right and a pass over the tensor is paid
for; the graph that runs is not the one that was written.

## Fix
Give both sides the same encoding.

## References
Measured on the QNN provider of ONNX Runtime (onnxruntime-qnn 2.7.0).
)",
                                    .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace implied_convert

const RuleEntry kImpliedConvertEntry = implied_convert::kEntry;

}  // namespace quantgate::rules
