#include "core/safety/coding.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace quantgate::fix {
namespace {

std::string Range(std::string_view one, std::string_view many, double low, double high) {
  return low == high ? fmt::format("{} {:.7g}", one, low)
                     : fmt::format("{} {:.4g} … {:.4g}", many, low, high);
}

}  // namespace

double ScaleAt(const Encoding& encoding, size_t i) {
  if (encoding.scales.empty()) return 1;
  return encoding.scales[std::min(i, encoding.scales.size() - 1)];
}

int64_t ZeroPointAt(const Encoding& encoding, size_t i) {
  if (encoding.zero_points.empty()) return 0;
  return encoding.zero_points[std::min(i, encoding.zero_points.size() - 1)];
}

size_t EntryCount(const Encoding& encoding) {
  return std::max({size_t{1}, encoding.scales.size(), encoding.zero_points.size()});
}

bool Same(const Coding& a, const Coding& b) {
  const Encoding &x = a.encoding, &y = b.encoding;
  if (a.dtype != b.dtype || x.kind != y.kind || x.bitwidth != y.bitwidth) return false;
  if (x.kind != EncodingKind::kPerTensor && x.kind != EncodingKind::kPerChannel) return x == y;
  if (x.kind == EncodingKind::kPerChannel && x.axis != y.axis) return false;
  for (size_t i = 0; i < std::max(EntryCount(x), EntryCount(y)); ++i) {
    if (ScaleAt(x, i) != ScaleAt(y, i) || ZeroPointAt(x, i) != ZeroPointAt(y, i)) return false;
  }
  return true;
}

Coding OtherSign(const Coding& coding) {
  constexpr struct {
    Dtype is_signed, is_unsigned;
  } kPairs[] = {{Dtype::kSfixedPoint8, Dtype::kUfixedPoint8},
                {Dtype::kSfixedPoint16, Dtype::kUfixedPoint16}};
  Coding other = coding;
  for (const auto& pair : kPairs) {
    const bool was_signed = coding.dtype == pair.is_signed;
    if (!was_signed && coding.dtype != pair.is_unsigned) continue;
    other.dtype = was_signed ? pair.is_unsigned : pair.is_signed;
    const auto middle = static_cast<int32_t>(SymmetricZeroPoint(pair.is_unsigned));
    if (other.encoding->zero_points.empty()) other.encoding.Edit().zero_points.push_back(0);
    for (int32_t& zero : other.encoding.Edit().zero_points) zero += was_signed ? middle : -middle;
  }
  return other;
}

Dtype StorageOf(Dtype fixed_point) {
  switch (fixed_point) {
    case Dtype::kSfixedPoint8:
      return Dtype::kInt8;
    case Dtype::kUfixedPoint8:
      return Dtype::kUint8;
    case Dtype::kSfixedPoint16:
      return Dtype::kInt16;
    case Dtype::kUfixedPoint16:
      return Dtype::kUint16;
    case Dtype::kSfixedPoint32:
      return Dtype::kInt32;
    default:
      return Dtype::kUndefined;
  }
}

std::string Describe(const Coding& coding) {
  const Encoding& e = coding.encoding;
  std::string text(DtypeName(coding.dtype));
  if (e.kind == EncodingKind::kNone) return text + ", no encoding";
  if (e.kind != EncodingKind::kPerTensor) text += fmt::format(", {}", EncodingKindName(e.kind));
  if (e.kind == EncodingKind::kPerChannel) text += fmt::format(" axis {}", e.axis);
  if (!e.scales.empty()) {
    const auto [low, high] = std::minmax_element(e.scales.begin(), e.scales.end());
    text += ", " + Range("scale", "scales", *low, *high);
  }
  if (e.zero_points.empty()) return text + ", zero_point 0";
  const auto [low, high] = std::minmax_element(e.zero_points.begin(), e.zero_points.end());
  return text + ", " + Range("zero_point", "zero_points", *low, *high);
}

}  // namespace quantgate::fix
