#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace recipe_shape {

constexpr RuleEntry kEntry = {
    .rule =
        About(kRecipeShape, {.summary = "the shape of a layer that a recipe is for is not known",
                             .explanation = R"(## What it checks
The input and output channels of every layer in a recipe's reach are known.

## Why
Whether groups divide the input channels, and what the chip makes of the layer, depends on them.

## Fix
Give `in` and `out` in the list of layers, or use a model whose weights have fixed shapes.

## References
`docs/guide/formats.md`; mllm, pull request 600 and its source of 2026-06.
)",
                             .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace recipe_shape

const RuleEntry kRecipeShapeEntry = recipe_shape::kEntry;

}  // namespace quantgate::rules
