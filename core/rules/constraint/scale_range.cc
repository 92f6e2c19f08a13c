#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "core/rules/support/scale_limit.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace scale_range {

using opdb::ArgKey;

// Nothing where there is nothing to compare: one of the ports that `as` names has no scale.
std::optional<ScaleLimit> LimitOf(const Subject& s) {
  if (!IsFixedPoint(s.tensor->dtype)) return std::nullopt;
  const Args args(s.node, s.constraint);
  ScaleLimit limit;
  std::array<int64_t, 2> ports;
  if (const auto count = args.numbers(ArgKey::kAs, ports)) {
    limit.port_count = static_cast<int16_t>(*count);
    for (size_t i = 0; i < *count; ++i) {
      const Tensor* tensor = s.node.tensor(static_cast<int>(ports[i]));
      if (tensor == nullptr || tensor->encoding->scales.empty()) return std::nullopt;
      limit.ports[i] = static_cast<int16_t>(ports[i]);
    }
  }
  limit.min = args.real(ArgKey::kMin);
  limit.max = args.real(ArgKey::kMax);
  return limit;
}

ScaleUnits UnitsOf(const Subject& s, const ScaleLimit& limit) {
  ScaleUnits units{};
  for (int16_t i = 0; i < limit.port_count; ++i) {
    const auto at = static_cast<size_t>(i);
    units[at] = &*s.node.tensor(limit.ports[at])->encoding;
  }
  return units;
}

bool Holds(const Subject& s) {
  const auto limit = LimitOf(s);
  return !limit || IsWithin(*limit, s.tensor->encoding->scales, UnitsOf(s, *limit));
}

void Explain(const Subject& s, Finding& f) {
  const ScaleLimit limit = *LimitOf(s);
  const auto [least, end] = EndsOf(limit, UnitsOf(s, limit));
  const double most = end;  // Clang 14 captures no structured binding
  const auto &min = limit.min, &max = limit.max;
  f.found = DescribeTensor(*s.tensor);
  const auto& scales = s.tensor->encoding->scales;
  const bool low = min && std::any_of(scales.begin(), scales.end(), [&](float scale) {
                     return double{scale} < *min * most;
                   });
  f.allowed = min && max ? fmt::format("scale {} to {}", Number(*min * most), Number(*max * least))
              : min      ? fmt::format("scale {} or more", Number(*min * most))
                         : fmt::format("scale {} or less", Number(*max * least));
  if (limit.relative()) {
    f.allowed += fmt::format(", {} times that of the inputs", Number(min ? *min : *max));
  }
  f.message = fmt::format("{} of {} must have {}: its scale is too {}", f.port, f.op, f.allowed,
                          low ? "small" : "large");
  f.fixes.push_back(UnsafeFix(fmt::format("quantize \"{}\" with {}", s.tensor->name, f.allowed)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kScaleRange, {.summary = "a scale is beyond what the op can compute with",
                                .explanation = R"(## What it checks
Some kernels compute in a fixed internal precision and only work for scales within limits, of one
tensor or of the result against the inputs.

## Why
Outside of them the op runs and returns constants or wrapped values.

## Fix
Use a scale within the limits; a wider output type often helps.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .scale_limit = LimitOf};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace scale_range

const RuleEntry kScaleRangeEntry = scale_range::kEntry;

}  // namespace quantgate::rules
