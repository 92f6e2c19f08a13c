#include "core/rules/support/encoding_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "core/rules/support/node_view.h"

namespace quantgate::rules {

int64_t MiddleOf(const Tensor& tensor) {
  // QNN's BW_ forms of unsigned types count from the bitwidth: 8 for 4 bits.
  return SymmetricZeroPoint(tensor.dtype, tensor.encoding->bitwidth);
}

std::optional<size_t> FirstAsymmetric(const Tensor& tensor) {
  const int64_t middle = MiddleOf(tensor);
  const auto& zps = tensor.encoding->zero_points;
  if (zps.empty()) return middle == 0 ? std::nullopt : std::optional<size_t>(0);
  for (size_t i = 0; i < zps.size(); ++i) {
    if (zps[i] != middle) return i;
  }
  return std::nullopt;
}

bool IsSymmetric(const Tensor& tensor) { return !FirstAsymmetric(tensor); }

// What is right by docs/guide/verify.md for data that is moved, in steps.
static double RoundingSteps(Dtype dtype) {
  const int bits = BitsOf(dtype);
  return bits == 32 ? 1000 : bits == 16 ? 2 : 1;
}

// What is wrong there, in as many steps or more.
static double WrongSteps(Dtype dtype) {
  const int bits = BitsOf(dtype);
  return bits == 32 ? 1e5 : bits == 16 ? 40 : 4;
}

double ComputedSteps(Dtype dtype) {
  const int bits = BitsOf(dtype);
  return bits == 32 ? 1000 : bits == 16 ? 80 : 2;
}

// By how many steps a number stored in `written` is off at most when it is read with `read`.
static std::optional<double> StepsOff(const Tensor& read, const Tensor& written) {
  const Encoding& r = read.encoding;
  const Encoding& w = written.encoding;
  if (read.dtype != written.dtype || !IsFixedPoint(read.dtype) ||
      r.kind != EncodingKind::kPerTensor || w.kind != r.kind || r.bitwidth != w.bitwidth ||
      !(ScaleAt(r, 0) > 0) || !(ScaleAt(w, 0) > 0)) {
    return std::nullopt;
  }
  const double ratio = double{ScaleAt(w, 0)} / double{ScaleAt(r, 0)};
  double most = 0;
  for (const int64_t end : {StoredMin(read.dtype), StoredMax(read.dtype)}) {
    const auto stored = static_cast<double>(end);
    const double wanted = (stored - ZeroPointAt(w, 0)) * ratio + ZeroPointAt(r, 0);
    most = std::max(most, std::abs(stored - wanted));
  }
  return most;
}

bool RoundsAlike(const Tensor& read, const Tensor& written) {
  const std::optional<double> steps = StepsOff(read, written);
  return steps && *steps < RoundingSteps(read.dtype) + 0.5;
}

bool IsBarelyOff(const Tensor& read, const Tensor& written) {
  const std::optional<double> steps = StepsOff(read, written);
  return steps && *steps < WrongSteps(read.dtype) - 0.5;
}

bool HasOneScale(const Tensor* t) {
  return t != nullptr && IsFixedPoint(t->dtype) && t->encoding->scales.size() == 1;
}

std::optional<double> StepOf(const Tensor* t) {
  if (!HasOneScale(t)) return std::nullopt;
  const double scale = t->encoding->scales[0];
  return scale > 0 ? std::optional(scale) : std::nullopt;
}

std::optional<Interval> HeldRange(const Tensor* t) {
  const std::optional<double> step = StepOf(t);
  if (!step) return std::nullopt;
  const double zero = ZeroPointAt(t->encoding, 0);
  const int bits = t->encoding->bitwidth;
  return Interval{(static_cast<double>(StoredMin(t->dtype, bits)) - zero) * *step,
                  (static_cast<double>(StoredMax(t->dtype, bits)) - zero) * *step};
}

Interval ProductOf(Interval a, Interval b) {
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

std::optional<std::pair<double, double>> RealRange(const Tensor& t) {
  std::optional<std::pair<double, double>> stored = t.value_range;
  if (t.values && (!t.values->ints.empty() || !t.values->reals.empty())) {
    const auto [low, high] = std::minmax_element(t.values->ints.begin(), t.values->ints.end());
    const auto [least, most] = std::minmax_element(t.values->reals.begin(), t.values->reals.end());
    stored = t.values->ints.empty()
                 ? std::pair(*least, *most)
                 : std::pair(static_cast<double>(*low), static_cast<double>(*high));
  }
  // A number that the tool quantizes is kept as the file has it.
  const bool real = t.values && t.values->ints.empty() && !t.values->reals.empty();
  if (!stored || real || !IsFixedPoint(t.dtype)) return stored;
  if (t.encoding->scales.size() != 1) return std::nullopt;
  const double zero = ZeroPointAt(t.encoding, 0);
  const double scale = t.encoding->scales[0];
  return std::pair((stored->first - zero) * scale, (stored->second - zero) * scale);
}

std::optional<double> MagnitudeOf(const Tensor& t) {
  const auto range = RealRange(t);
  return range ? std::optional(std::max(std::abs(range->first), std::abs(range->second))) : std::nullopt;
}

int64_t StepsFrom(int64_t zero, int64_t stored) {
  // Of 16 bits, with any zero point.
  constexpr int64_t kFurthest = int64_t{1} << 17;
  return std::min(std::abs(std::clamp(stored, -kFurthest, kFurthest) - zero), kFurthest);
}

std::optional<double> MedianMagnitude(const Tensor& t) {
  if (t.values == nullptr) return std::nullopt;
  std::vector<double> sizes;
  if (IsFixedPoint(t.dtype) && !t.values->ints.empty()) {
    const int64_t zero = ZeroPointAt(t.encoding, 0);
    for (const int64_t value : t.values->ints) sizes.push_back(static_cast<double>(StepsFrom(zero, value)));
  } else {
    for (const double value : t.values->reals) sizes.push_back(std::abs(value));
  }
  if (sizes.size() < 2) return std::nullopt;
  const auto middle = sizes.begin() + std::ssize(sizes) / 2;
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

int64_t NormalAxis(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace quantgate::rules
