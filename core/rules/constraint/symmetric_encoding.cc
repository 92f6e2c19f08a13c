#include <fmt/core.h>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace symmetric_encoding {

bool Holds(const Subject& s) {
  return s.tensor->encoding->kind == EncodingKind::kNone || !IsSymmetric(*s.tensor);
}

void Explain(const Subject& s, Finding& f) {
  f.found = DescribeTensor(*s.tensor);
  f.allowed = fmt::format("any zero_point but {}", MiddleOf(*s.tensor));
  f.message = fmt::format("{} of {} must be asymmetric ({})", f.port, f.op, f.allowed);
  f.fixes.push_back(UnsafeFix(fmt::format("quantize \"{}\" asymmetric, with the zero point that "
                                          "its values call for",
                                          s.tensor->name)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kSymmetricEncoding, {.summary = "the encoding must not be tied to the middle",
                                       .explanation = R"(## What it checks
The port wants an encoding whose zero point is free to follow the data.

## Why
Documented for a few ports only; see the constraint.

## Fix
Quantize the tensor asymmetric.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                       .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace symmetric_encoding

const RuleEntry kSymmetricEncodingEntry = symmetric_encoding::kEntry;

}  // namespace quantgate::rules
