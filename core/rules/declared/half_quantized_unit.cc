#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace half_quantized_unit {

constexpr RuleEntry kEntry = {
    .rule =
        About(kHalfQuantizedUnit, {.summary = "the unit is only partly quantized and runs in float",
                                   .explanation = R"(## What it checks
In an ONNX model an op is quantized when all of its data inputs come from DequantizeLinear and
its outputs go to QuantizeLinear.

## Why
A unit with a missing Q or DQ is written quantized but runs in float, with a conversion on each
side: slower, and refused on chips without float support.

## Fix
Add the missing QuantizeLinear or DequantizeLinear, or leave the whole op in float on purpose.

## References
Measured on the QNN provider of ONNX Runtime (onnxruntime-qnn 2.7.0).
)",
                                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace half_quantized_unit

const RuleEntry kHalfQuantizedUnitEntry = half_quantized_unit::kEntry;

}  // namespace quantgate::rules
