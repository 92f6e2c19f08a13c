// Plain questions about a tensor's encoding.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_ENCODING_FACTS_H_
#define QUANTGATE_CORE_RULES_SUPPORT_ENCODING_FACTS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "core/ir/encoding_math.h"
#include "quantgate/model.h"

namespace quantgate::rules {

// The zero point that makes this tensor's type symmetric: 0, or the middle of an unsigned type.
int64_t MiddleOf(const Tensor& tensor);
bool IsSymmetric(const Tensor& tensor);
// Index of the first zero point that isn't the middle.
std::optional<size_t> FirstAsymmetric(const Tensor& tensor);

// By how many steps a computed number may be off and is right (docs/guide/verify.md).
double ComputedSteps(Dtype dtype);

// Whether a number stored in `written` is right when it is read with `read`, a step off (2 of 16
// bits, 1,000 of 32) at most: both per tensor and of one datatype.
bool RoundsAlike(const Tensor& read, const Tensor& written);
// Whether it is at least not wrong: less than 4 steps off (40 of 16 bits, 100,000 of 32).
bool IsBarelyOff(const Tensor& read, const Tensor& written);

// Whether a tensor is there, fixed-point, and has a single scale.
bool HasOneScale(const Tensor* tensor);
// That scale; nullopt where there is none, or none above 0.
std::optional<double> StepOf(const Tensor* tensor);

struct Interval {
  double low, high;
};
inline constexpr Interval kAnyNumber = {-std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::infinity()};
// What the encoding of a tensor can say; nullopt where StepOf() is.
std::optional<Interval> HeldRange(const Tensor* tensor);
// Of the products of a value of each.
Interval ProductOf(Interval a, Interval b);

// Smallest and largest real value of a constant, where they are known.
std::optional<std::pair<double, double>> RealRange(const Tensor& tensor);
// Largest distance from 0 of such a value.
std::optional<double> MagnitudeOf(const Tensor& tensor);

// How far a stored value lies from the zero point, in steps; a file may hold more than its types do.
int64_t StepsFrom(int64_t zero, int64_t stored);
// The middle one of the magnitudes of a constant's values: steps from its zero point where it is fixed-point, else real
// numbers. nullopt where fewer than two are known.
std::optional<double> MedianMagnitude(const Tensor& tensor);

// Channel axis, negative ones counted from the end of `rank`.
int64_t NormalAxis(int64_t axis, int64_t rank);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_ENCODING_FACTS_H_
