#include "core/ir/encoding_math.h"

#include <algorithm>
#include <cmath>

namespace quantgate {
namespace {

// Entry i of a list whose single entry stands for all.
template <typename List>
auto At(const List& list, size_t i) {
  return list.empty() ? typename List::value_type{} : list[list.size() == 1 ? 0 : i];
}

template <typename List>
size_t Longer(const List& a, const List& b) {
  return std::max(a.size(), b.size());
}
template <typename List>
bool Comparable(const List& a, const List& b) {
  return a.size() == b.size() || a.size() <= 1 || b.size() <= 1;
}

}  // namespace

bool SameScale(double a, double b) {
  if (a == b) return true;
  return std::abs(a - b) <= kScaleTolerance * std::max(std::abs(a), std::abs(b));
}

float ScaleAt(const Encoding& e, size_t i) {
  if (e.scales.empty()) return 0;
  return e.scales[std::min(i, e.scales.size() - 1)];
}

int32_t ZeroPointAt(const Encoding& e, size_t i) {
  if (e.zero_points.empty()) return 0;
  return e.zero_points[std::min(i, e.zero_points.size() - 1)];
}

size_t EntryCount(const Encoding& e) { return std::max(e.scales.size(), e.zero_points.size()); }

double NearestStored(double real, const Encoding& encoding, Dtype dtype, size_t i) {
  return std::clamp(std::nearbyint(real / ScaleAt(encoding, i)) + ZeroPointAt(encoding, i),
                    static_cast<double>(StoredMin(dtype, encoding.bitwidth)),
                    static_cast<double>(StoredMax(dtype, encoding.bitwidth)));
}

double StoredReal(double real, const Encoding& encoding, Dtype dtype) {
  return (NearestStored(real, encoding, dtype) - ZeroPointAt(encoding, 0)) * ScaleAt(encoding, 0);
}

bool SameScales(const Encoding& a, const Encoding& b) {
  const size_t n = std::max(a.scales.size(), b.scales.size());
  for (size_t i = 0; i < n; ++i) {
    if (!SameScale(ScaleAt(a, i), ScaleAt(b, i))) return false;
  }
  return true;
}

bool SameZeroPoints(const Encoding& a, const Encoding& b) {
  const size_t n = std::max(a.zero_points.size(), b.zero_points.size());
  for (size_t i = 0; i < n; ++i) {
    if (ZeroPointAt(a, i) != ZeroPointAt(b, i)) return false;
  }
  return true;
}

bool DifferInRoundingAlone(Dtype dtype, const Encoding& from, const Encoding& to) {
  if (from.kind != to.kind || from.axis != to.axis || from.bitwidth != to.bitwidth || !SameZeroPoints(from, to)) {
    return false;
  }
  for (size_t i = 0; i < std::max(EntryCount(from), EntryCount(to)); ++i) {
    const double zero = ZeroPointAt(from, i);
    const double farthest = std::max(static_cast<double>(StoredMax(dtype, from.bitwidth)) - zero,
                                     zero - static_cast<double>(StoredMin(dtype, from.bitwidth)));
    const double a = ScaleAt(from, i), b = ScaleAt(to, i);
    if (!(b > 0) || !(farthest * std::abs(a / b - 1) < 0.25)) return false;
  }
  return true;
}

bool SameEncoding(const Encoding& a, const Encoding& b) {
  if (a.kind != b.kind || a.bitwidth != b.bitwidth || a.axis != b.axis ||
      a.block_size != b.block_size || a.num_blocks != b.num_blocks ||
      a.block_scale_bitwidth != b.block_scale_bitwidth || !Comparable(a.scales, b.scales) ||
      !Comparable(a.zero_points, b.zero_points) || !Comparable(a.block_scales, b.block_scales)) {
    return false;
  }
  if (!SameScales(a, b) || !SameZeroPoints(a, b)) return false;
  for (size_t i = 0; i < Longer(a.block_scales, b.block_scales); ++i) {
    if (At(a.block_scales, i) != At(b.block_scales, i)) return false;
  }
  return true;
}

}  // namespace quantgate
