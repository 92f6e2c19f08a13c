// Bounds on the scales of one tensor, in units of the scales of up to two others: what scale_range
// constraints come to, once the node's form is known.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_SCALE_LIMIT_H_
#define QUANTGATE_CORE_RULES_SUPPORT_SCALE_LIMIT_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "quantgate/encoding.h"

namespace quantgate::rules {

struct ScaleLimit {
  std::optional<double> min, max;
  // The ports whose scales the bounds are times; none = the bounds are scales themselves.
  std::array<int16_t, 2> ports{};
  int16_t port_count = 0;

  bool relative() const { return port_count > 0; }
};

// Encodings of ScaleLimit::ports.
using ScaleUnits = std::array<const Encoding*, 2>;

// The smallest and the largest unit over all channels.
inline std::pair<double, double> EndsOf(const ScaleLimit& limit, const ScaleUnits& units) {
  double least = 1, most = 1;
  for (int16_t i = 0; i < limit.port_count; ++i) {
    const auto& scales = units[static_cast<size_t>(i)]->scales;
    const auto [low, high] = std::minmax_element(scales.begin(), scales.end());
    least *= double{*low};
    most *= double{*high};
  }
  return {least, most};
}

bool IsWithin(const ScaleLimit& limit, std::span<const float> scales, const ScaleUnits& units);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_SCALE_LIMIT_H_
