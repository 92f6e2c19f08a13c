#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace dynamic_quantization {

constexpr RuleEntry kEntry = {
    .rule = About(kDynamicQuantization, {.summary = "the scale is computed at run time",
                                         .explanation = R"(## What it checks
Encodings must be constants when the graph is prepared.

## Why
Dynamic quantization (DynamicQuantizeLinear, MatMulInteger, a Q or DQ whose scale is computed)
has no counterpart on the backend.

## Fix
Quantize statically, with calibration data.

## References
QNN encodings are part of the tensor description.
)",
                                         .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace dynamic_quantization

const RuleEntry kDynamicQuantizationEntry = dynamic_quantization::kEntry;

}  // namespace quantgate::rules
