#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unmatched_recipe {

constexpr RuleEntry kEntry = {
    .rule = About(kUnmatchedRecipe, {.summary = "the recipe holds a pattern that no layer uses",
                                     .explanation = R"(## What it checks
Every pattern of an mllm quantization recipe is a regular expression that fits the whole name of at
least one linear layer, and stands in a section that the compiler reads.

## Why
mllm passes over patterns that fit nothing or are no regular expressions, without a word. The
layers that were meant are quantized by another pattern or by the fallback.

## Fix
Compare the pattern with the layers' names; the whole name has to fit, and a dot stands for any
character. What is meant for `lm_head` goes under `linear`, as a pattern of its name.

## References
`docs/guide/formats.md`; mllm, pull request 600 and its source of 2026-06.
)",
                                     .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unmatched_recipe

const RuleEntry kUnmatchedRecipeEntry = unmatched_recipe::kEntry;

}  // namespace quantgate::rules
