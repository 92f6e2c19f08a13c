#include "core/validate/port_facts.h"

#include <algorithm>
#include <limits>

#include "core/rules/support/encoding_facts.h"

namespace quantgate {
namespace {

int32_t AsZeroPoint(int64_t value) {
  using Ints = std::numeric_limits<int32_t>;
  return static_cast<int32_t>(std::clamp<int64_t>(value, Ints::min(), Ints::max()));
}

// The values of a fixed-point type.
ZeroPointRange ZeroPointsOf(Dtype dtype) {
  const ValueRange range = RangeOf(dtype);
  return {AsZeroPoint(range.min), AsZeroPoint(range.max)};
}

bool FixedShape(const Tensor& tensor) {
  if (tensor.unknown_rank) return false;
  for (const int64_t dim : tensor.dims) {
    if (dim == kDynamicDim) return false;
  }
  return true;
}

uint8_t TensorFacts(const Tensor& tensor) {
  const Encoding& e = tensor.encoding;
  const bool fixed = IsFixedPoint(tensor.dtype);
  uint8_t facts = 0;
  if (!fixed || e.kind != EncodingKind::kNone) facts |= kFactEncoded;
  if (!fixed || ScalesLieIn(e, kGoodScales)) facts |= kFactGoodScales;
  if (e.kind == EncodingKind::kNone || rules::IsSymmetric(tensor)) facts |= kFactSymmetric;
  if (ClassOf(tensor.dtype) != DtypeClass::kUfixed) facts |= kFactSigned;
  if (tensor.is_static) facts |= kFactStatic;
  if (FixedShape(tensor)) facts |= kFactFixedShape;
  if (!fixed || ScalesLieIn(e, kUsualScales)) facts |= kFactUsualScales;
  if (!fixed || ZeroPointsLieIn(e, ZeroPointsOf(tensor.dtype))) facts |= kFactInRange;
  return facts;
}

}  // namespace

ValueRange RangeOf(Dtype dtype) {
  const int64_t values = int64_t{1} << BitsOf(dtype);
  if (ClassOf(dtype) == DtypeClass::kUfixed) return {0, values - 1};
  return {-values / 2, values / 2 - 1};
}

NumberRanges RangesOf(const Tensor& tensor, uint8_t facts) {
  using Floats = std::numeric_limits<float>;
  using Ints = std::numeric_limits<int32_t>;
  NumberRanges ranges{{-Floats::infinity(), Floats::infinity()}, {Ints::min(), Ints::max()}};
  if (IsFixedPoint(tensor.dtype)) {
    if ((facts & kFactGoodScales) != 0) ranges.scales = kGoodScales;
    if ((facts & kFactUsualScales) != 0) ranges.scales = kUsualScales;
    if ((facts & kFactInRange) != 0) ranges.zero_points = ZeroPointsOf(tensor.dtype);
  }
  if ((facts & kFactSymmetric) != 0 && tensor.encoding->kind != EncodingKind::kNone) {
    const int32_t middle = AsZeroPoint(rules::MiddleOf(tensor));
    ranges.zero_points = {middle, middle};
  }
  return ranges;
}

PortFacts FactsOf(const rules::NodeView& node) {
  PortFacts result;
  result.count = node.port_count();
  for (int port = 0; port < result.count; ++port) {
    DtypeMask dtypes = 0;
    EncodingMask encodings = 0;
    uint8_t facts = kAllFacts;
    int min_rank = 127;
    int max_rank = 0;
    const int count = node.tensors(port).count;
    for (int i = 0; i < count; ++i) {
      const Tensor* tensor = node.tensor(port, i);
      if (tensor == nullptr) continue;
      encodings |= MaskOf(QnnEncodingOf(tensor->encoding));
      facts &= TensorFacts(*tensor);
      if (tensor->unknown_rank) {
        min_rank = 0;
        max_rank = 127;
      } else {
        const int rank = static_cast<int>(std::min<size_t>(tensor->dims.size(), 127));
        min_rank = std::min(min_rank, rank);
        max_rank = std::max(max_rank, rank);
      }
      if (tensor->dtype != Dtype::kUndefined) {
        dtypes |= MaskOf(tensor->dtype);
      } else if (!result.unknown_dtype) {
        result.unknown_dtype = true;
        result.unknown_port = port;
      }
    }
    result.dtypes[port] = dtypes;
    result.encodings[port] = encodings;
    result.facts[port] = facts;
    result.min_rank[port] = static_cast<int8_t>(min_rank);
    result.max_rank[port] = static_cast<int8_t>(max_rank);
    result.all_facts &= facts;
  }
  return result;
}

}  // namespace quantgate
