#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace duplicate_encoding {

constexpr RuleEntry kEntry = {
    .rule =
        About(kDuplicateEncoding, {.summary = "a tensor has several entries in the encodings file",
                                   .explanation = R"(## What it checks
A tensor has one entry in an encodings file.

## Why
Readers keep the first or the last one without a word. Which of both was simulated is not to be
known.

## Fix
Remove all but one of them. Entries with the same values are only an advice.

## References
`docs/guide/formats.md`; AIMET's export code (2024-10 to 2026-06).
)",
                                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace duplicate_encoding

const RuleEntry kDuplicateEncodingEntry = duplicate_encoding::kEntry;

}  // namespace quantgate::rules
