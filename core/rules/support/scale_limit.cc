#include "core/rules/support/scale_limit.h"

#include <algorithm>

#include "core/rules/support/encoding_facts.h"

namespace quantgate::rules {

std::pair<double, double> EndsOf(const ScaleLimit& limit, const ScaleUnits& units) {
  std::pair<double, double> ends{1, 1};
  for (int16_t i = 0; i < limit.port_count; ++i) {
    const auto& scales = units[static_cast<size_t>(i)]->scales;
    const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
    ends = {ends.first * double{*least}, ends.second * double{*most}};
  }
  return ends;
}

bool IsWithin(const ScaleLimit& limit, std::span<const float> scales, const ScaleUnits& units) {
  const auto [least, most] = EndsOf(limit, units);
  const double lowest = limit.min.value_or(0) * most;
  const double highest = limit.max.value_or(0) * least;
  for (const float v : scales) {
    if (limit.relative() && !(v > 0 && least > 0)) continue;  // no scale: valid_scale's to say
    if (limit.min && !(v >= lowest || SameScale(v, lowest))) return false;
    if (limit.max && !(v <= highest || SameScale(v, highest))) return false;
  }
  return true;
}

}  // namespace quantgate::rules
