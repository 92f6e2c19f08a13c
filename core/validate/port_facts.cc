#include "core/validate/port_facts.h"

#include <algorithm>
#include <limits>

#include "core/rules/encoding_facts.h"

namespace quantgate {
namespace {

// Comparisons that a NaN fails.
bool GoodScales(const Encoding& encoding) {
  constexpr float kLargest = 3.4028235e38F;
  for (const float scale : encoding.scales) {
    if (!(scale > 0.0F && scale <= kLargest)) return false;
  }
  return true;
}

bool UsualScales(const Encoding& encoding) {
  for (const float scale : encoding.scales) {
    if (!(scale >= kUsualScales.min && scale <= kUsualScales.max)) return false;
  }
  return true;
}

bool InRange(const Tensor& tensor) {
  const ValueRange range = RangeOf(tensor.dtype);
  for (const int32_t zero_point : tensor.encoding.zero_points) {
    if (zero_point < range.min || zero_point > range.max) return false;
  }
  return true;
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
  if (!fixed || GoodScales(e)) facts |= kFactGoodScales;
  if (e.kind == EncodingKind::kNone || rules::IsSymmetric(tensor)) facts |= kFactSymmetric;
  if (ClassOf(tensor.dtype) != DtypeClass::kUfixed) facts |= kFactSigned;
  if (tensor.is_static) facts |= kFactStatic;
  if (FixedShape(tensor)) facts |= kFactFixedShape;
  if (!fixed || UsualScales(e)) facts |= kFactUsualScales;
  if (!fixed || InRange(tensor)) facts |= kFactInRange;
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
  NumberRanges ranges{-Floats::infinity(), Floats::infinity(), Ints::min(), Ints::max()};
  if (IsFixedPoint(tensor.dtype)) {
    if ((facts & kFactGoodScales) != 0) {
      ranges.least_scale = Floats::denorm_min();
      ranges.most_scale = Floats::max();
    }
    if ((facts & kFactUsualScales) != 0) {
      ranges.least_scale = kUsualScales.min;
      ranges.most_scale = kUsualScales.max;
    }
    if ((facts & kFactInRange) != 0) {
      const ValueRange range = RangeOf(tensor.dtype);
      ranges.least_zero_point = static_cast<int32_t>(range.min);
      ranges.most_zero_point = static_cast<int32_t>(std::min<int64_t>(range.max, Ints::max()));
    }
  }
  if ((facts & kFactSymmetric) != 0 && tensor.encoding.kind != EncodingKind::kNone) {
    const auto middle =
        static_cast<int32_t>(std::min<int64_t>(rules::MiddleOf(tensor), Ints::max()));
    ranges.least_zero_point = ranges.most_zero_point = middle;
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
