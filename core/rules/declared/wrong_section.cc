#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace wrong_section {

constexpr RuleEntry kEntry = {
    .rule = About(kWrongSection, {.summary = "an encoding stands in the wrong section of its file",
                                  .explanation = R"(## What it checks
Weights and biases belong to `param_encodings`, what is computed at run time to
`activation_encodings`.

## Why
The sections are looked up apart: an entry in the other one is not found, and its tensor counts as
one without an encoding.

## Fix
Move the entry to the section that the message names.

## References
`docs/guide/formats.md`; AIMET's export code (2024-10 to 2026-06).
)",
                                  .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace wrong_section

const RuleEntry kWrongSectionEntry = wrong_section::kEntry;

}  // namespace quantgate::rules
