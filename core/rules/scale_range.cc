#include <fmt/format.h>

#include <algorithm>

#include "core/rules/args.h"
#include "core/rules/encoding_facts.h"
#include "core/rules/format.h"
#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

using opdb::ArgKey;

bool Holds(const Subject& s) {
  if (!IsFixedPoint(s.tensor->dtype)) return true;
  const Args args(s.node, s.constraint);
  const auto min = args.real(ArgKey::kMin);
  const auto max = args.real(ArgKey::kMax);
  const auto& scales = s.tensor->encoding.scales;
  return std::all_of(scales.begin(), scales.end(), [&](float v) {
    return (!min || v >= *min || SameScale(v, *min)) && (!max || v <= *max || SameScale(v, *max));
  });
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const auto min = args.real(ArgKey::kMin);
  const auto max = args.real(ArgKey::kMax);
  f.found = DescribeTensor(*s.tensor);
  if (min) f.allowed = fmt::format("scale of at least {}", Number(*min));
  if (max) f.allowed += fmt::format("{}scale of at most {}", min ? ", " : "", Number(*max));
  f.message =
      fmt::format("the scale of {} of {} is out of the range it computes right with", f.port, f.op);
  f.fixes.push_back(UnsafeFix(fmt::format("use a {}", f.allowed)));
}

constexpr RuleEntry kEntry = {.rule = {.code = "QG310",
                                       .slug = "scale-range",
                                       .summary = "a scale is beyond what the op can compute with",
                                       .explanation = R"(## What it checks
Some kernels compute in a fixed internal precision and only work for scales within limits.

## Why
Outside of them the op runs and returns constants or wrapped values.

## Fix
Use a scale within the limits; a wider output type often helps.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                       .status = RuleStatus::kStable},
                              .kinds = {opdb::Kind::kScaleRange},
                              .kind_count = 1,
                              .holds = Holds,
                              .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry scale_range;
const RuleEntry scale_range = kEntry;

}  // namespace quantgate::rules
