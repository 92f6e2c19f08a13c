#include <fmt/core.h>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace missing_encoding {

bool Holds(const Subject& s) {
  return !IsFixedPoint(s.tensor->dtype) || s.tensor->encoding->kind != EncodingKind::kNone;
}

void Explain(const Subject& s, Finding& f) {
  f.found = fmt::format("{} without encoding", DtypeName(s.tensor->dtype));
  f.allowed = "an encoding with a scale";
  f.message = fmt::format("{} of {} has no encoding and would be read as scale 1, zero_point 0",
                          f.port, f.op);
  f.fixes.push_back(UnsafeFix(fmt::format("quantize \"{}\": give it a scale and a zero point", s.tensor->name)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kMissingEncoding, {.summary = "a fixed-point tensor has no encoding",
                                     .explanation = R"(## What it checks
Every tensor of a fixed-point type needs a scale (and a zero point).

## Why
The library reads a missing encoding as scale 1 and offset 0 and never takes one from a
neighbour: it runs, and the numbers are wrong. Some ops refuse it.

## Fix
Give the tensor an encoding: add the Q/DQ pair, the entry in the encodings file, or calibrate
again.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                     .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace missing_encoding

const RuleEntry kMissingEncodingEntry = missing_encoding::kEntry;

}  // namespace quantgate::rules
