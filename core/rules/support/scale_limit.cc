#include "core/rules/support/scale_limit.h"

#include <limits>

#include "core/rules/support/encoding_facts.h"

namespace quantgate::rules {

bool IsWithin(const ScaleLimit& limit, std::span<const float> scales, const ScaleUnits& units) {
  const auto [least, most] = EndsOf(limit, units);
  const bool relative = limit.relative();
  if (relative && !(least > 0)) return true;  // no scale: valid_scale's to say
  using Doubles = std::numeric_limits<double>;
  const double lowest = limit.min ? *limit.min * most : -Doubles::infinity();
  const double highest = limit.max ? *limit.max * least : Doubles::infinity();
  for (const float v : scales) {
    if ((v >= lowest && v <= highest) || (relative && !(v > 0))) continue;
    if (limit.min && !(v >= lowest || SameScale(v, lowest))) return false;
    if (limit.max && !(v <= highest || SameScale(v, highest))) return false;
  }
  return true;
}

}  // namespace quantgate::rules
