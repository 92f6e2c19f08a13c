#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace inconsistent_encoding {

constexpr RuleEntry kEntry = {
    .rule = About(kInconsistentEncoding, {.summary = "the fields of an entry contradict each other",
                                          .explanation = R"(## What it checks
min and max are those of scale and offset (to one and a half steps), `is_sym` goes with the
offset, `enc_type` with the number of scales, an offset lies within its grid.

## Why
Some tools take min and max and compute the scale again, others take scale and offset: the same
file then gives different models.

## Fix
Export the entry again; do not edit only one of its fields.

## References
`docs/guide/formats.md`; AIMET's export code (2024-10 to 2026-06).
)",
                                          .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace inconsistent_encoding

const RuleEntry kInconsistentEncodingEntry = inconsistent_encoding::kEntry;

}  // namespace quantgate::rules
