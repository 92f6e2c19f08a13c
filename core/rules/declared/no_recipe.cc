#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace no_recipe {

constexpr RuleEntry kEntry = {
    .rule = About(kNoRecipe, {.summary = "a linear layer that the recipe says nothing about",
                              .explanation = R"(## What it checks
For every linear layer the recipe has a pattern that fits its name, or a fallback.

## Why
mllm's compiler takes the fallback where no pattern fits, and ends with an error where there is
none.

## Fix
Add a `fallback` to the section `linear`, or a pattern for the layer.

## References
`docs/guide/formats.md`; mllm, pull request 600 and its source of 2026-06.
)",
                              .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace no_recipe

const RuleEntry kNoRecipeEntry = no_recipe::kEntry;

}  // namespace quantgate::rules
