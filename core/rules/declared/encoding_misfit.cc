#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace encoding_misfit {

constexpr RuleEntry kEntry = {
    .rule = About(kEncodingMisfit,
                  {.summary = "the scales or blocks in the encodings file do not fit the tensor",
                   .explanation = R"(## What it checks
A per-channel encoding has as many scales as its channel axis, a block encoding one for each
block, an LPBQ encoding one scale for each channel and one factor for each block; blocks divide
their axis. A tensor of truth values has none at all.

## Why
The file was made for another model, or the weight was transposed since. A converter refuses it,
or gives every channel the scale of another one.

## Fix
Export model and encodings together. Where a tool transposed or padded the weight, transpose the
encoding with it.

## References
`docs/guide/formats.md`; AIMET's export code (2024-10 to 2026-06).
)",
                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace encoding_misfit

const RuleEntry kEncodingMisfitEntry = encoding_misfit::kEntry;

}  // namespace quantgate::rules
