#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace encodings_schema {

constexpr RuleEntry kEntry = {
    .rule = About(kEncodingsSchema, {.summary = "the encodings file mixes versions or lacks a part",
                                     .explanation = R"(## What it checks
The version that an encodings file states is the one its content has; a file has the sections,
and an entry the fields, of one version. `docs/guide/formats.md` lists them.

## Why
Tools choose how to read the file by its version. QNN's converter reads no file without both
sections of its version; they may be empty.

## Fix
Export the file again in one version, or correct the `version` field.

## References
`docs/guide/formats.md`; AIMET's export code (2024-10 to 2026-06).
)",
                                     .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace encodings_schema

const RuleEntry kEncodingsSchemaEntry = encodings_schema::kEntry;

}  // namespace quantgate::rules
