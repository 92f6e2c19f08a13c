#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace float_between {

constexpr RuleEntry kEntry = {
    .rule = About(kFloatBetween, {.summary = "not prepared after ops that ran in float",
                                  .explanation = R"(## What it checks
Convolutions, matrix products, pools, norms and other ops that change the layout of a tensor, with
values after them that were dequantized, computed in float and quantized again. And a gather whose
result nothing reads but a step that brings it to another encoding, directly or through floats.

## Why
Each op alone passes op validation and is prepared; the graph as a whole is not, on an arch without
half precision.

## Fix
Quantize the ops that run in float (put a Q and DQ after each of them), or leave everything after
them to another side. Give a gather's result and what is quantized right after it one encoding.

## References
Measured on the QNN provider of ONNX Runtime (onnxruntime-qnn 2.7.0), v68.
)",
                                  .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace float_between

const RuleEntry kFloatBetweenEntry = float_between::kEntry;

}  // namespace quantgate::rules
