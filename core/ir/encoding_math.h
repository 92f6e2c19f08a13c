// The arithmetic of encodings: what their numbers are, and when two are the same.
#ifndef QUANTGATE_CORE_IR_ENCODING_MATH_H_
#define QUANTGATE_CORE_IR_ENCODING_MATH_H_

#include <cstddef>
#include <cstdint>

#include "quantgate/dtype.h"
#include "quantgate/encoding.h"

namespace quantgate {

// Scales are equal when they differ by no more than this, relative to the larger one.
inline constexpr double kScaleTolerance = 1e-6;
bool SameScale(double a, double b);

// i-th scale or zero point; a single one stands for all, a missing zero point is 0.
float ScaleAt(const Encoding& encoding, size_t i);
int32_t ZeroPointAt(const Encoding& encoding, size_t i);
size_t EntryCount(const Encoding& encoding);  // the longer of scales and zero points

// The stored value nearest to a real number, by the i-th scale and zero point; the scale is above 0.
double NearestStored(double real, const Encoding& encoding, Dtype dtype, size_t i = 0);
// What a real number is once it has been stored with a per-tensor encoding whose scale is above 0.
double StoredReal(double real, const Encoding& encoding, Dtype dtype);

bool SameScales(const Encoding& a, const Encoding& b);
bool SameZeroPoints(const Encoding& a, const Encoding& b);
// Whether two encodings say the same, however they write it.
bool SameEncoding(const Encoding& a, const Encoding& b);
// Whether the scales are so near that no stored value of this type moves by a quarter of a step on its way from one
// encoding to the other: what is left is how the last step is rounded.
bool DifferInRoundingAlone(Dtype dtype, const Encoding& from, const Encoding& to);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_IR_ENCODING_MATH_H_
