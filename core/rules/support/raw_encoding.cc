#include "core/rules/support/raw_encoding.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/rules/support/encoding_facts.h"

namespace quantgate::rules {
namespace {

// As the x86-64 library converts: to 64 bits, what doesn't fit to the smallest number, of which the
// lower half counts.
int64_t Whole(float scale) {
  constexpr float kBeyond = 9223372036854775808.0F;
  if (!(std::abs(scale) < kBeyond)) return 0;
  return static_cast<int64_t>(static_cast<uint64_t>(static_cast<int64_t>(scale)) & 0xFFFFFFFFU);
}

int64_t Offset(const Encoding& e, size_t i) {
  return e.kind == EncodingKind::kNone ? 0 : -static_cast<int64_t>(ZeroPointAt(e, i));
}

bool IsPointer(const Encoding& e) {
  return e.kind == EncodingKind::kBlock || e.kind == EncodingKind::kLpbq;
}

bool SameKind(const Encoding& a, const Encoding& b) {
  return a.kind == b.kind && (a.bitwidth != 0) == (b.bitwidth != 0);
}

bool IsNarrowPerChannel(const Encoding& e) {
  return e.kind == EncodingKind::kPerChannel && e.bitwidth != 0;
}

// Entries of a per-channel encoding: a single one stands for the whole axis.
int64_t Channels(const Tensor& t) {
  const int64_t rank = static_cast<int64_t>(t.dims.size());
  const int64_t axis = NormalAxis(t.encoding->axis, rank);
  const auto entries = static_cast<int64_t>(EntryCount(t.encoding));
  return entries > 1 || axis < 0 || axis >= rank ? entries : t.dims[static_cast<size_t>(axis)];
}

bool SameEntries(const Tensor& a, const Tensor& b) {
  if (a.encoding->kind == EncodingKind::kPerChannel && Channels(a) != Channels(b)) return false;
  const size_t n = std::max(EntryCount(a.encoding), EntryCount(b.encoding));
  for (size_t i = 0; i < n; ++i) {
    if (Offset(a.encoding, i) != Offset(b.encoding, i)) return false;
    if (Whole(ScaleAt(a.encoding, i)) != Whole(ScaleAt(b.encoding, i))) return false;
  }
  return true;
}

// Only SCALE_OFFSET has a number other than a tiny one where its scale is.
int64_t RawScale(const Encoding& e) {
  return e.kind == EncodingKind::kPerTensor && e.bitwidth == 0 ? Whole(ScaleAt(e, 0)) : 0;
}

}  // namespace

std::optional<int64_t> RawOffset(const Tensor& tensor) {
  const Encoding& e = tensor.encoding;
  switch (e.kind) {
    case EncodingKind::kNone:
      return 0;
    case EncodingKind::kPerTensor:
      if (e.bitwidth == 0) return Offset(e, 0);
      return std::bit_cast<int32_t>(ScaleAt(e, 0));
    case EncodingKind::kPerChannel:
      if (e.bitwidth == 0) return Channels(tensor);
      return e.axis;
    case EncodingKind::kBlock:
    case EncodingKind::kLpbq:
      break;
  }
  return std::nullopt;
}

bool SameRaw(const Tensor& a, const Tensor& b) {
  if (IsPointer(a.encoding) || IsPointer(b.encoding)) {
    return IsPointer(a.encoding) && IsPointer(b.encoding);
  }
  if (RawOffset(a) != RawOffset(b) || RawScale(a.encoding) != RawScale(b.encoding)) return false;
  if (SameKind(a.encoding, b.encoding)) return SameEntries(a, b);
  // Only BW_AXIS_SCALE_OFFSET has a count, never 0, behind this word.
  return !IsNarrowPerChannel(a.encoding) && !IsNarrowPerChannel(b.encoding);
}

bool SameInFormOf(const Tensor& own, const Tensor& other) {
  switch (own.encoding->kind) {
    case EncodingKind::kPerTensor: {
      const bool given = other.encoding->kind != EncodingKind::kNone;
      return Offset(own.encoding, 0) == Offset(other.encoding, 0) &&
             Whole(ScaleAt(own.encoding, 0)) == (given ? Whole(ScaleAt(other.encoding, 0)) : 0);
    }
    case EncodingKind::kPerChannel:
      return SameKind(own.encoding, other.encoding) && SameEntries(own, other);
    case EncodingKind::kNone:
    case EncodingKind::kBlock:
    case EncodingKind::kLpbq:
      break;
  }
  return true;
}

}  // namespace quantgate::rules
