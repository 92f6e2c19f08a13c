// Encodings of graphs that have seen no data yet.
//
// Such an encoding has a stand-in for its scale: a number below all that a float can express in
// full, which no calibration finds. Two stand-ins that are equal will be equal, those that differ
// belong to observers of other values; zero points of symmetric encodings are in the middle.
// Nothing else of the numbers is known.
#ifndef QUANTGATE_CALIBRATION_H_
#define QUANTGATE_CALIBRATION_H_

#include <algorithm>
#include <limits>

#include "quantgate/encoding.h"

namespace quantgate {

// The step between stand-ins: products of two small numbers of them are stand-ins too.
inline constexpr float kStandInStep = 512 * std::numeric_limits<float>::denorm_min();

inline bool IsUncalibrated(const Encoding& encoding) {
  return !encoding.scales.empty() &&
         std::all_of(encoding.scales.begin(), encoding.scales.end(), [](float scale) {
           return scale > 0 && scale < std::numeric_limits<float>::min();
         });
}

}  // namespace quantgate

#endif  // QUANTGATE_CALIBRATION_H_
