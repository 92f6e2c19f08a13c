#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

using opdb::ArgKey;

bool Holds(const Subject& s) {
  if (!IsFixedPoint(s.tensor->dtype)) return true;
  const Args args(s.node, s.constraint);
  const auto min = args.number(ArgKey::kMin);
  const auto max = args.number(ArgKey::kMax);
  const auto& zps = s.tensor->encoding->zero_points;
  return std::all_of(zps.begin(), zps.end(), [&](int32_t zp) {
    const int64_t offset = -int64_t{zp};
    return (!min || offset >= *min) && (!max || offset <= *max);
  });
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const auto min = args.number(ArgKey::kMin);
  const auto max = args.number(ArgKey::kMax);
  f.found = DescribeTensor(*s.tensor);
  f.allowed = fmt::format("zero_point from {} to {}", max ? std::to_string(-*max) : "any",
                          min ? std::to_string(-*min) : "any");
  f.message = fmt::format("a zero point of {} of {} is out of range", f.port, f.op);
  f.fixes.push_back(UnsafeFix("check the sign (QNN's offset is -zero_point), or quantize again"));
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
    .kinds = {opdb::Kind::kOffsetRange},
    .kind_count = 1,
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kZeroPointRangeEntry = kEntry;

}  // namespace quantgate::rules
