#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace offset_sign {

constexpr RuleEntry kEntry = {
    .rule =
        About(kOffsetSign, {.summary = "an offset has the sign or the grid of another convention",
                            .explanation = R"(## What it checks
Versions 0.6.1 and 1.0.0 count from the unsigned grid, real = scale x (u + offset): offsets lie
in -(2^b - 1)..0, and a symmetric 8-bit weight has -128. Versions 2.x have ONNX zero points,
real = scale x (q - y_zero_point), within the range of output_dtype.

## Why
Read in the wrong convention, every value is off by a multiple of the scale: nothing fails, and
the numbers are wrong.

## Fix
Write the offset in the convention of the file's version. quantgate goes on with the reading that
the message names.

## References
`docs/guide/formats.md`; AIMET's export code (2024-10 to 2026-06).
)",
                            .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace offset_sign

const RuleEntry kOffsetSignEntry = offset_sign::kEntry;

}  // namespace quantgate::rules
