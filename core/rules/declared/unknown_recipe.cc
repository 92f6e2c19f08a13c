#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unknown_recipe {

constexpr RuleEntry kEntry = {
    .rule = About(kUnknownRecipe, {.summary = "a method or precision of the recipe is not known",
                                   .explanation = R"(## What it checks
Method and precision of a recipe are ones that mllm's compiler implements, and `sym` is true.

## Why
Of an unknown method or precision the compiler makes no specification for the weight; a later
step then has nothing to work with and fails.

## Fix
Use method `LPBQ`, precision `w4a16`, `sym` true: 4-bit weights in blocks with 16-bit activations.

## References
`docs/guide/formats.md`; mllm, pull request 600 and its source of 2026-06.
)",
                                   .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unknown_recipe

const RuleEntry kUnknownRecipeEntry = unknown_recipe::kEntry;

}  // namespace quantgate::rules
