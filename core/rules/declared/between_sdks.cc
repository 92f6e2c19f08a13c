#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace between_sdks {

constexpr RuleEntry kEntry = {
    .rule = About(kBetweenSdks,
                  {.summary = "documents of an older SDK and measurements of a newer one differ",
                   .explanation = R"(## What it checks
An SDK between the newest documents and the oldest library that was measured: whether both take the
node, or both refuse it.

## Why
The change came with one of the SDKs in between, and nobody knows which. A node that only the newer
library takes is `undocumented`; one that only the newer library refuses is `unchecked`.

## Fix
Ask the library of that SDK (`quantgate verify --backend-lib`), or use an SDK that was measured.

## References
Documents and measurements of the two SDKs that the head of the report names.
)",
                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace between_sdks

const RuleEntry kBetweenSdksEntry = between_sdks::kEntry;

}  // namespace quantgate::rules
