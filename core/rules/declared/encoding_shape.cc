#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace encoding_shape {

constexpr RuleEntry kEntry = {
    .rule = About(kEncodingShape, {.summary = "scales, zero points or blocks do not fit the tensor",
                                   .explanation = R"(## What it checks
A per-channel encoding has one scale, or one per channel; its axis is an axis of the tensor; the
blocks of block and LPBQ encodings divide the dimensions.

## Why
A wrong number of entries reads past the end of the list, or gives every channel the scale of
its neighbour.

## Fix
Export the encoding again; check that the layout of the weight was not changed after
quantization.

## References
QNN quantization encodings; Model format.
)",
                                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace encoding_shape

const RuleEntry kEncodingShapeEntry = encoding_shape::kEntry;

}  // namespace quantgate::rules
