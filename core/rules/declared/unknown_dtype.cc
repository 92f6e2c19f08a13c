#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unknown_dtype {

constexpr RuleEntry kEntry = {
    .rule = About(kUnknownDtype, {.summary = "the datatype of a tensor is not known",
                                  .explanation = R"(## What it checks
A port without a datatype cannot be compared with the rows of the op.

## Why
Nothing can be said about the node, so it is `unchecked` and not waved through.

## Fix
Give the tensor its datatype; for ONNX run shape inference before saving.

## References
Model format: `tensors[].dtype`.
)",
                                  .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unknown_dtype

const RuleEntry kUnknownDtypeEntry = unknown_dtype::kEntry;

}  // namespace quantgate::rules
