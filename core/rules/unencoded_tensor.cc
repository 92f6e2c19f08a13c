#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

constexpr RuleEntry kEntry = {.rule = {.code = "QG702",
                                       .slug = "unencoded-tensor",
                                       .summary = "a tensor between quantized ops has no encoding",
                                       .explanation = R"(## What it checks
In a model whose tensors carry encodings (an encodings file, an annotated graph), every float
tensor that a quantized op reads or writes has one, or gets it from a neighbour: through an op
that only moves values, or as the input of an activation that is folded.

## Why
A converter calibrates such a tensor with whatever input list it is given, or runs the ops around
it in float: neither is what was simulated.

## Fix
Add an entry for the tensor, or quantize it in the simulation too.

## References
`docs/formats.md`; AIMET's export code (2024-10 to 2026-06).
)",
                                       .status = RuleStatus::kStable}};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry unencoded_tensor;
const RuleEntry unencoded_tensor = kEntry;

}  // namespace quantgate::rules
