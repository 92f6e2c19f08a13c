#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace zero_point_range {

using opdb::ArgKey;

bool Holds(const Subject& s) {
  if (!IsFixedPoint(s.tensor->dtype)) return true;
  const Args args(s.node, s.constraint);
  const auto min = args.number(ArgKey::kMin);
  const auto max = args.number(ArgKey::kMax);
  const auto fits = [&](int32_t zp) {
    const int64_t offset = -int64_t{zp};
    return (!min || offset >= *min) && (!max || offset <= *max);
  };
  const auto& zps = s.tensor->encoding->zero_points;
  if (zps.empty() && !s.tensor->encoding->scales.empty()) return fits(0);  // not written
  return std::all_of(zps.begin(), zps.end(), fits);
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const auto negated = [](std::optional<int64_t> n) {
    return n ? std::optional<int64_t>(-*n) : std::nullopt;
  };
  const auto min = negated(args.number(ArgKey::kMax));
  const auto max = negated(args.number(ArgKey::kMin));
  const auto fits = [&](int64_t zero) { return (!min || zero >= *min) && (!max || zero <= *max); };
  const auto& zeros = s.tensor->encoding->zero_points;
  const auto found =
      std::find_if(zeros.begin(), zeros.end(), [&](int32_t zero) { return !fits(zero); });
  const int32_t wrong = found == zeros.end() ? 0 : *found;
  f.found = DescribeTensor(*s.tensor);
  f.allowed = fmt::format("zero_point {}", RangeText(min, max));
  f.message = fmt::format("{} of {} must have {}, and has {}", f.port, f.op, f.allowed,
                          ZeroPoint(wrong));
  // A sign that was lost, since QNN's offset is -zero_point.
  const bool sign = wrong < 0 && fits(-int64_t{wrong});
  f.fixes.push_back(UnsafeFix(
      sign ? fmt::format("write zero_point {} for \"{}\": the offset was stored as zero point",
                         -int64_t{wrong}, s.tensor->name)
           : fmt::format("quantize \"{}\" again with {}", s.tensor->name, f.allowed)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kZeroPointRange, {.summary = "a zero point lies outside of the range of the type",
                                    .explanation = R"(## What it checks
The zero point is a stored value, so it lies within the range of the stored type (0 to 255 for
UFIXED_POINT_8).

## Why
A zero point outside means that the real value 0 cannot be stored; usually a sign was lost,
since QNN and several file formats store the negated zero point as offset.

## Fix
Check the sign: offset = -zero_point. Else quantize again.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                    .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace zero_point_range

const RuleEntry kZeroPointRangeEntry = zero_point_range::kEntry;

}  // namespace quantgate::rules
