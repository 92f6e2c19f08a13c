#include "core/lower/resolve/encodings.h"

#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"

namespace quantgate {

Dtype FixedPointOf(Dtype source) {
  switch (source) {
    case Dtype::kInt8:
    case Dtype::kSfixedPoint4:
    case Dtype::kSfixedPoint8:
      return Dtype::kSfixedPoint8;
    case Dtype::kUint8:
    case Dtype::kUfixedPoint4:
    case Dtype::kUfixedPoint8:
      return Dtype::kUfixedPoint8;
    case Dtype::kInt16:
    case Dtype::kSfixedPoint16:
      return Dtype::kSfixedPoint16;
    case Dtype::kUint16:
    case Dtype::kUfixedPoint16:
      return Dtype::kUfixedPoint16;
    case Dtype::kInt32:
    case Dtype::kSfixedPoint32:
      return Dtype::kSfixedPoint32;
    case Dtype::kUint32:
    case Dtype::kUfixedPoint32:
      return Dtype::kUfixedPoint32;
    default:
      return Dtype::kUndefined;
  }
}

int BitwidthOf(Dtype source) {
  return source == Dtype::kSfixedPoint4 || source == Dtype::kUfixedPoint4 ? 4 : 0;
}

Dtype PlainOf(Dtype source) {
  if (source == Dtype::kInt64) return Dtype::kInt32;
  if (source == Dtype::kUint64) return Dtype::kUint32;
  return source;
}

bool HasOwnEncoding(const Tensor& tensor) {
  return IsFixedPoint(tensor.dtype) && tensor.encoding->kind != EncodingKind::kNone;
}

namespace {

int64_t IntAttribute(const Node& node, std::string_view name, int64_t otherwise) {
  const Param* param = node.FindParam(name);
  return param == nullptr ? otherwise : IntOf(param->value).value_or(otherwise);
}

// Scales by channel, of which one value may stand for all.
bool HasChannels(const Tensor& scale) { return scale.dims.size() == 1 && scale.dims[0] > 1; }

TensorId Input(const Node& node, size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : kNoTensor;
}

}  // namespace

NodeEncoding EncodingOf(const Model& model, const Node& node, const Tensor& quantized,
                        const TensorValues* scale, const TensorValues* zero_point) {
  NodeEncoding result;
  const auto fail = [&](std::string reason, bool dynamic = false) {
    result.problem = std::move(reason);
    result.dynamic = dynamic;
    return result;
  };
  const TensorId scale_id = Input(node, 1), zero_id = Input(node, 2);
  if (scale_id == kNoTensor) return fail("it has no scale");
  const Tensor& scale_tensor = model.tensors[static_cast<size_t>(scale_id)];
  if (scale == nullptr) {
    return scale_tensor.is_static
               ? fail("the scales of " + scale_tensor.name + " are too many to keep")
               : fail("its scale is computed at run time", true);
  }
  if (zero_id != kNoTensor && zero_point == nullptr) {
    const Tensor& t = model.tensors[static_cast<size_t>(zero_id)];
    return t.is_static ? fail("the zero points of " + t.name + " are too many to keep")
                       : fail("its zero point is computed at run time", true);
  }
  result.dtype = FixedPointOf(quantized.dtype);
  if (result.dtype == Dtype::kUndefined) {
    return fail(absl::StrCat("no fixed-point type for ", std::string(DtypeName(quantized.dtype))));
  }
  Encoding& e = result.encoding.Edit();
  e.bitwidth = BitwidthOf(quantized.dtype);
  for (const double s : scale->reals) e.scales.push_back(static_cast<float>(s));
  if (e.scales.empty()) return fail("its scale has no values");
  if (zero_point != nullptr) {
    bool all_zero = true;
    for (const int64_t z : zero_point->ints) {
      if (z < std::numeric_limits<int32_t>::min() || z > std::numeric_limits<int32_t>::max()) {
        return fail("a zero point is out of range");
      }
      e.zero_points.push_back(static_cast<int32_t>(z));
      all_zero &= z == 0;
    }
    // Absent and all 0 mean the same.
    if (all_zero) e.zero_points.clear();
  }
  const int64_t rank = quantized.rank();
  int64_t axis = IntAttribute(node, "axis", 1);
  if (axis < 0 && rank >= 0) axis += rank;
  const int64_t block = IntAttribute(node, "block_size", 0);
  if (block > 0) {
    if (rank < 1 || axis < 0 || axis >= rank) return fail("its block axis is out of range");
    e.kind = EncodingKind::kBlock;
    e.block_size.assign(static_cast<size_t>(rank), 1);
    e.block_size[static_cast<size_t>(axis)] = block;
  } else if (scale_tensor.rank() == 0 || (e.scales.size() == 1 && !HasChannels(scale_tensor))) {
    e.kind = EncodingKind::kPerTensor;
  } else {
    e.kind = EncodingKind::kPerChannel;
    e.axis = static_cast<int32_t>(axis);
  }
  return result;
}

}  // namespace quantgate
