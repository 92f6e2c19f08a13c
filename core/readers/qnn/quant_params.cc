#include "core/readers/qnn/quant_params.h"

#include <algorithm>

namespace quantgate::qnn {
namespace {

using Value = JsonCursor::Value;

// Qnn_Definition_t and Qnn_QuantizationEncoding_t of QnnTypes.h, SDK 2.25.
constexpr int64_t kDefined = 1;
constexpr int64_t kScaleOffset = 0, kAxisScaleOffset = 1, kBwScaleOffset = 2,
                  kBwAxisScaleOffset = 3, kBlockwiseExpansion = 5;

bool ReadScaleOffset(JsonCursor& json, Value value, UnknownFields& unknown, QuantParams* out) {
  bool has_scale = false;
  return json.Map(value, [&](std::string_view key, Value v, size_t) {
    if (key == "scale") {
      has_scale = true;
      out->scales.push_back(0);
      return json.Float(v, &out->scales.back());
    }
    if (key == "offset") {
      out->offsets.push_back(0);
      return json.Int(v, kInt64Min, kInt64Max, &out->offsets.back());
    }
    if (key == "bitwidth") return json.Int(v, 0, 64, &out->bitwidth);
    // They follow from scale and offset.
    if (key == "minimum" || key == "maximum" || key == "min" || key == "max" ||
        key == "is_symmetric" || key == "is_fixed_point") {
      return json.Pass(v);
    }
    unknown.Add(key);
    return json.Pass(v);
  });
}

bool ReadAxisScaleOffset(JsonCursor& json, Value value, UnknownFields& unknown, QuantParams* out) {
  return json.Map(value, [&](std::string_view key, Value v, size_t) {
    if (key == "axis") return json.Int(v, kInt32Min, kInt32Max, &out->axis);
    if (key == "scale_offsets") {
      return json.Array(v, [&](Value item) { return ReadScaleOffset(json, item, unknown, out); });
    }
    if (key == "scales") {
      return json.Array(v, [&](Value item) {
        out->scales.push_back(0);
        return json.Float(item, &out->scales.back());
      });
    }
    if (key == "offsets") {
      return json.Array(v, [&](Value item) {
        out->offsets.push_back(0);
        return json.Int(item, kInt64Min, kInt64Max, &out->offsets.back());
      });
    }
    if (key == "bitwidth") return json.Int(v, 0, 64, &out->bitwidth);
    if (key == "num_blocks_per_axis") return json.Int(v, 0, kInt32Max, &out->num_blocks);
    if (key == "block_scale_bitwidth") return json.Int(v, 0, 64, &out->block_bitwidth);
    if (key == "blocks_scale8" || key == "blocks_scale16" || key == "block_scales") {
      out->block_storage = key == "blocks_scale16" ? 16 : 8;
      return json.Array(v, [&](Value item) {
        int64_t number = 0;
        if (!json.Int(item, 0, kInt32Max, &number)) return false;
        out->block_scales.push_back(static_cast<int32_t>(number));
        return true;
      });
    }
    if (key == "num_scale_offsets" || key == "num_elements" ||
        key == "block_scale_storage_type") {
      return json.Pass(v);
    }
    unknown.Add(key);
    return json.Pass(v);
  });
}

bool SetZeroPoints(const std::vector<int64_t>& offsets, Tensor* tensor) {
  Encoding& e = tensor->encoding.Edit();
  const int bits = e.bitwidth > 0 ? e.bitwidth : BitsOf(tensor->dtype);
  // Converters leave the offsets of signed types on the unsigned grid: -128 for 8 bits, which
  // as a zero point is outside of the type.
  const int64_t unsigned_centre =
      ClassOf(tensor->dtype) == DtypeClass::kSfixed && bits > 0 && bits <= 32
          ? -(int64_t{1} << (bits - 1))
          : 1;
  bool any = false, moved = false;
  e.zero_points.reserve(offsets.size());
  for (const int64_t offset : offsets) {
    const bool centre = offset == unsigned_centre;
    moved |= centre;
    const int64_t zero_point = centre ? 0 : -std::clamp<int64_t>(offset, -kInt32Max, kInt32Max);
    any |= zero_point != 0;
    e.zero_points.push_back(static_cast<int32_t>(zero_point));
  }
  if (!any) e.zero_points.clear();
  return moved;
}

}  // namespace

bool ReadQuantParams(JsonCursor& json, Value value, UnknownFields& unknown, QuantParams* out) {
  return json.Map(value, [&](std::string_view key, Value v, size_t) {
    if (key == "definition") return json.Int(v, 0, kInt64Max, &out->definition);
    if (key == "encoding") return json.Int(v, 0, kInt64Max, &out->encoding);
    if (key == "scale_offset" || key == "bw_scale_offset") {
      out->has_tensor = true;
      return ReadScaleOffset(json, v, unknown, out);
    }
    if (key == "axis_scale_offset" || key == "bw_axis_scale_offset" ||
        key == "blockwise_expansion") {
      out->has_axis = true;
      return ReadAxisScaleOffset(json, v, unknown, out);
    }
    unknown.Add(key);
    return json.Pass(v);
  });
}

bool SetEncoding(const QuantParams& quant, Tensor* tensor, int64_t* moved) {
  Encoding& e = tensor->encoding.Edit();
  if (quant.definition != kDefined || quant.encoding < 0 || quant.encoding == kInt32Max) {
    return true;
  }
  switch (quant.encoding) {
    case kScaleOffset:
    case kBwScaleOffset:
      if (!quant.has_tensor || quant.scales.size() != 1) return false;
      // ONNX Runtime's writer prints every encoding as scale_offset, without its bitwidth.
      if (quant.encoding == kBwScaleOffset && quant.bitwidth == 0) return false;
      e.kind = EncodingKind::kPerTensor;
      break;
    case kAxisScaleOffset:
    case kBwAxisScaleOffset:
      if (!quant.has_axis || quant.scales.empty()) return false;
      e.kind = EncodingKind::kPerChannel;
      break;
    case kBlockwiseExpansion:
      if (!quant.has_axis || quant.scales.empty() || quant.num_blocks == 0) return false;
      e.kind = EncodingKind::kLpbq;
      e.num_blocks = static_cast<int32_t>(quant.num_blocks);
      e.block_scales = quant.block_scales;
      e.block_scale_bitwidth = static_cast<int32_t>(quant.block_bitwidth);
      e.block_scale_storage_bits = static_cast<int32_t>(quant.block_storage);
      break;
    default:
      return false;
  }
  e.axis = static_cast<int32_t>(quant.axis);
  e.scales = quant.scales;
  const bool bw_form = quant.encoding == kBwScaleOffset || quant.encoding == kBwAxisScaleOffset;
  // Converters give the bitwidth of every encoding; it means something where it is another one.
  if (bw_form || quant.bitwidth != BitsOf(tensor->dtype)) {
    e.bitwidth = static_cast<int32_t>(quant.bitwidth);
  }
  *moved += SetZeroPoints(quant.offsets, tensor) ? 1 : 0;
  return true;
}

}  // namespace quantgate::qnn
