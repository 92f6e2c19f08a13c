#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace recipe_group {

constexpr RuleEntry kEntry = {
    .rule = About(kRecipeGroup, {.summary = "the group size of the recipe does not fit the layer",
                                 .explanation = R"(## What it checks
`block_size` divides the input channels of the layer, and there is a kind of layer with groups of
that size.

## Why
A weight is cut into blocks along its input channels; a rest at the end has no factor. Kernels and
names of layer kinds exist for a few group sizes only.

## Fix
Use one of the sizes the message names, or pad the input channels.

## References
`docs/guide/formats.md`; mllm, pull request 600 and its source of 2026-06.
)",
                                 .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace recipe_group

const RuleEntry kRecipeGroupEntry = recipe_group::kEntry;

}  // namespace quantgate::rules
