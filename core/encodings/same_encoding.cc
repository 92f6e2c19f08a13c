#include "core/encodings/same_encoding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace quantgate {
namespace {

bool SameScale(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

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

bool SameEncoding(const Encoding& a, const Encoding& b) {
  if (a.kind != b.kind || a.bitwidth != b.bitwidth || a.axis != b.axis ||
      a.block_size != b.block_size || a.num_blocks != b.num_blocks ||
      a.block_scale_bitwidth != b.block_scale_bitwidth || !Comparable(a.scales, b.scales) ||
      !Comparable(a.zero_points, b.zero_points) || !Comparable(a.block_scales, b.block_scales)) {
    return false;
  }
  for (size_t i = 0; i < Longer(a.scales, b.scales); ++i) {
    if (!SameScale(At(a.scales, i), At(b.scales, i))) return false;
  }
  for (size_t i = 0; i < Longer(a.zero_points, b.zero_points); ++i) {
    if (At(a.zero_points, i) != At(b.zero_points, i)) return false;
  }
  for (size_t i = 0; i < Longer(a.block_scales, b.block_scales); ++i) {
    if (At(a.block_scales, i) != At(b.block_scales, i)) return false;
  }
  return true;
}

}  // namespace quantgate
