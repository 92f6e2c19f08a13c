#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace replaced_encoding {

constexpr RuleEntry kEntry = {
    .rule = About(kReplacedEncoding, {.summary = "a tool replaces the written encoding",
                                      .explanation = R"(## What it checks
Encodings that a tool on the way overrides: the scale of 16-bit Sigmoid and Tanh, the scale of a
bias, one operand of a 16-bit MatMul.

## Why
What runs is not what was written. At a graph output the values are then read with the written
scale and are wrong by the ratio of both.

## Fix
Write the encoding that the tool will use, as the message says.

## References
Measured on the QNN provider of ONNX Runtime (onnxruntime-qnn 2.7.0).
)",
                                      .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace replaced_encoding

const RuleEntry kReplacedEncodingEntry = replaced_encoding::kEntry;

}  // namespace quantgate::rules
