#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace asymmetric_encoding {

bool Holds(const Subject& s) {
  return s.tensor->encoding->kind == EncodingKind::kNone || IsSymmetric(*s.tensor);
}

void Explain(const Subject& s, Finding& f) {
  const Encoding& e = s.tensor->encoding;
  const int64_t middle = MiddleOf(*s.tensor);
  size_t wrong = 0;
  const size_t channels = std::max<size_t>(1, e.zero_points.size());
  for (size_t i = 0; i < channels; ++i) wrong += ZeroPointAt(e, i) != middle ? 1u : 0u;
  const size_t first = FirstAsymmetric(*s.tensor).value_or(0);
  std::string found = absl::StrCat(Absl(DtypeName(s.tensor->dtype)), " ", Absl(EncodingKindName(e.kind)), ", ",
                                   ZeroPoint(ZeroPointAt(e, first)));
  if (channels > 1) absl::StrAppend(&found, " in ", wrong, " of ", channels, " channels, first ", first);
  f.found = std::move(found);
  f.allowed = ZeroPoint(middle);
  std::string message = absl::StrCat(Absl(f.port), " of ", Absl(f.op), " must be symmetric: ", Absl(f.allowed),
                                     " instead of ", ZeroPointAt(e, first));
  if (channels > 1) absl::StrAppend(&message, " in channel ", first);
  f.message = std::move(message);
  f.fixes.push_back(SymmetricFix(*s.tensor));
}

constexpr RuleEntry kEntry = {
    .rule = About(kAsymmetricEncoding, {.summary = "the encoding must be symmetric",
                                        .explanation = R"(## What it checks
The zero point of every channel is 0 for signed types and the middle of the range for unsigned
ones (128 for UFIXED_POINT_8, 32768 for UFIXED_POINT_16).

## Why
Weights with a free zero point need an extra correction term that the kernels do not have. The
library refuses most of them, and computes wrong numbers where it does not look.

## Fix
Quantize the tensor symmetric: ONNX zero point 0, AIMET is_symmetric, torch
per_channel_symmetric. An unsigned 8-bit weight can be re-encoded as signed with equal values
when its zero point is 128.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                        .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace asymmetric_encoding

const RuleEntry kAsymmetricEncodingEntry = asymmetric_encoding::kEntry;

}  // namespace quantgate::rules
