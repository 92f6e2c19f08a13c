#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace conflicting_encodings {

constexpr RuleEntry kEntry = {
    .rule = About(kConflictingEncodings,
                  {.summary = "the encodings file and the model disagree about a tensor",
                   .explanation = R"(## What it checks
Where a model has Q and DQ nodes or encodings of its own, and a file gives an encoding for the
same tensor, both say the same.

## Why
One of the two is dropped, and which one depends on the tool. The report is made with the model's.

## Fix
Keep one source: the float model with its encodings file, or the quantized model alone.

## References
`docs/guide/formats.md`; AIMET's export code (2024-10 to 2026-06).
)",
                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace conflicting_encodings

const RuleEntry kConflictingEncodingsEntry = conflicting_encodings::kEntry;

}  // namespace quantgate::rules
