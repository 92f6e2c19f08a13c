#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unencoded_tensor {

constexpr RuleEntry kEntry = {
    .rule = About(kUnencodedTensor, {.summary = "a tensor between quantized ops has no encoding",
                                     .explanation = R"(## What it checks
In a model whose tensors carry encodings (an encodings file, an annotated graph), every float
tensor that a quantized op reads or writes has one, or gets it from a neighbour: through an op
that only moves values, or as the input of an activation that is folded.

## Why
A converter fills the gap, and not with what was simulated: with an input list it calibrates the
tensor to the default width (8 bits unless an option says otherwise), with a float fallback it runs
the ops around it in float, with Converts at the borders; a weight gets the range of its own values,
a bias 32 or 8 bits. The NPU's library itself fills nothing: see missing-encoding.

## Fix
Add an entry for the tensor, or quantize it in the simulation too. Where the gap is meant, say so to
the converter: a float fallback for layers left in float, an input list for the rest.

## References
`docs/guide/formats.md`; AIMET's export code (2024-10 to 2026-06). The evidence is listed below.
)",
                                     .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unencoded_tensor

const RuleEntry kUnencodedTensorEntry = unencoded_tensor::kEntry;

}  // namespace quantgate::rules
