#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

constexpr RuleEntry kEntry = {.rule = {.code = "QG603",
                                       .slug = "dynamic-quantization",
                                       .summary = "the scale is computed at run time",
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
                                       .status = RuleStatus::kStable}};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry dynamic_quantization;
const RuleEntry dynamic_quantization = kEntry;

}  // namespace quantgate::rules
