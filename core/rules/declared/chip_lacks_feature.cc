#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace chip_lacks_feature {

constexpr RuleEntry kEntry = {
    .rule = About(kChipLacksFeature, {.summary = "the datatypes are supported, but not on this chip",
                                      .explanation = R"(## What it checks
A dtype row matches and its arch is right, but it needs something that not every chip of this arch
has: the rows of floats need `float16`. Only checked for a chip (`--soc`), not for an arch alone.

## Why
Chips of one arch differ. The library of a chip without half precision refuses every op of floats,
whether they are float16 or float32; operations that only convert, such as a Quantize, stay.

## Fix
Quantize the op, or target a chip that has the feature: `quantgate targets` lists them.

## References
Op validation by SoC id on libQnnHtp 2.47, 2.49 and 2.51: the same 1,015 of 2,050 configurations
with floats on four archs, all of them rows of the group FP16.
)",
                                      .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace chip_lacks_feature

const RuleEntry kChipLacksFeatureEntry = chip_lacks_feature::kEntry;

}  // namespace quantgate::rules
