#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unknown_encoding_name {

constexpr RuleEntry kEntry = {
    .rule = About(kUnknownEncodingName,
                  {.summary = "the encodings file names a tensor that the model does not have",
                   .explanation = R"(## What it checks
Every name in an encodings file is the name of a tensor of the model it is used with.

## Why
Tools skip entries whose name they do not find, mostly without a word. The tensor that was meant
is then calibrated anew, or runs in float.

## Fix
Export model and encodings together, and use that model: simplifiers, renaming passes and another
exporter change names. The message says which names are near.

## References
`docs/guide/formats.md`; AIMET's export code (2024-10 to 2026-06).
)",
                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unknown_encoding_name

const RuleEntry kUnknownEncodingNameEntry = unknown_encoding_name::kEntry;

}  // namespace quantgate::rules
