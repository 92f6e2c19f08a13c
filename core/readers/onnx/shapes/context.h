// One node whose shapes are inferred, and what shape functions compute with.
#ifndef QUANTGATE_CORE_READERS_ONNX_SHAPES_CONTEXT_H_
#define QUANTGATE_CORE_READERS_ONNX_SHAPES_CONTEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/ir/element_count.h"
#include "core/readers/limits.h"
#include "core/readers/onnx/onnx_tensor.h"
#include "quantgate/model.h"

namespace quantgate::onnx::shapes {

using Dims = absl::InlinedVector<int64_t, 4>;
using DimSpan = std::span<const int64_t>;
using Ints = std::vector<int64_t>;

// An element of a shape computed in the graph that is not known.
inline constexpr int64_t kUnknownInt = std::numeric_limits<int64_t>::min();
// Shapes and axes computed in the graph are shorter.
inline constexpr size_t kMaxInts = 64;

inline bool Fixed(const Dims& dims) {
  return std::find(dims.begin(), dims.end(), kDynamicDim) == dims.end();
}

// Results outside int64 and of unknown operands are unknown dimensions.
inline int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return kDynamicDim;
  return product;
}

// -rank..rank-1 -> 0..rank-1; nullopt outside.
inline std::optional<size_t> AxisOf(int64_t axis, size_t rank) {
  const auto size = static_cast<int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + size : axis);
}

inline std::optional<Ints> Broadcast(DimSpan a, DimSpan b) {
  Ints out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    int64_t dim = x;
    if (x == 1) {
      dim = y;
    } else if (x == kDynamicDim) {
      dim = y == 1 ? kDynamicDim : y;
    } else if (y != 1 && y != kDynamicDim && y != x) {
      return std::nullopt;
    }
    out[out.size() - 1 - i] = dim;
  }
  return out;
}

// Python's slice(start, end, step) of `size` elements: the first index and the count.
inline std::pair<int64_t, int64_t> SliceOf(int64_t size, int64_t start, int64_t end, int64_t step) {
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? size : size - 1;
  if (start < 0) start = start < -size ? low : start + size;
  if (end < 0) end = end < -size ? low : end + size;
  start = std::clamp(start, int64_t{0}, std::max<int64_t>(high, 0));
  end = std::clamp(end, low, high);
  const int64_t span = step > 0 ? end - start : start - end;
  if (span <= 0 || size == 0) return {start, 0};
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  return {start, static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / stride + 1)};
}

// Axes as a set of positions in `rank` dimensions; nullopt when one is outside.
inline std::optional<std::vector<bool>> AxisSet(const Ints& axes, size_t rank) {
  std::vector<bool> set(rank, false);
  for (const int64_t a : axes) {
    const auto axis = AxisOf(a, rank);
    if (!axis) return std::nullopt;
    set[*axis] = true;
  }
  return set;
}

using KnownInts = absl::flat_hash_map<TensorId, Ints>;

// One node, its inputs as far as they are known, and its outputs as far as they are not.
class Context {
 public:
  Context(Model& model, const Node& node, KnownInts& known)
      : model_(model), node_(node), known_(known) {}

  size_t inputs() const { return node_.inputs.size(); }
  size_t outputs() const { return node_.outputs.size(); }
  int64_t opset() const { return model_.opset == 0 ? 21 : model_.opset; }

  const Tensor* In(size_t i) const {
    return i < inputs() && node_.inputs[i] != kNoTensor ? &model_.tensors[node_.inputs[i]]
                                                        : nullptr;
  }
  // Null when the rank is not known.
  const Dims* Shape(size_t i) const {
    const Tensor* tensor = In(i);
    return tensor == nullptr || tensor->unknown_rank ? nullptr : &tensor->dims;
  }
  Dtype Type(size_t i) const { return In(i) == nullptr ? Dtype::kUndefined : In(i)->dtype; }

  // The integers of a constant or of a shape computed in the graph.
  std::optional<Ints> Values(size_t i) const {
    const Tensor* tensor = In(i);
    if (tensor == nullptr) return std::nullopt;
    if (tensor->values != nullptr && tensor->values->reals.empty() &&
        tensor->values->ints.size() <= kMaxInts) {
      return tensor->values->ints;
    }
    const auto it = known_.find(node_.inputs[i]);
    if (it == known_.end()) return std::nullopt;
    return it->second;
  }

  int64_t Int(std::string_view name, int64_t otherwise) const {
    const Param* param = node_.FindParam(name);
    const auto* value = param == nullptr ? nullptr : std::get_if<IntParam>(&param->value);
    return value == nullptr ? otherwise : value->value;
  }
  // Null where the node has no such list.
  const Ints* ListOrNull(std::string_view name) const {
    const Param* param = node_.FindParam(name);
    return param == nullptr ? nullptr : std::get_if<Ints>(&param->value);
  }
  std::optional<Ints> List(std::string_view name) const {
    const Ints* const list = ListOrNull(name);
    if (list == nullptr) return std::nullopt;
    return *list;
  }
  std::string_view Text(std::string_view name) const {
    const Param* param = node_.FindParam(name);
    const auto* value = param == nullptr ? nullptr : std::get_if<std::string>(&param->value);
    return value == nullptr ? std::string_view() : std::string_view(*value);
  }
  // Of a tensor; `otherwise` without it.
  Dtype ParamType(std::string_view name, Dtype otherwise) const {
    const Param* param = node_.FindParam(name);
    const auto* value = param == nullptr ? nullptr : std::get_if<TensorParam>(&param->value);
    return value == nullptr ? otherwise : value->dtype;
  }
  // What newer operator sets have as an input, older ones as an attribute.
  std::optional<Ints> InputOrList(size_t input, std::string_view name) const {
    return In(input) != nullptr ? Values(input) : List(name);
  }
  bool Has(size_t input, std::string_view name) const {
    return In(input) != nullptr || node_.FindParam(name) != nullptr;
  }

  void SetShape(size_t k, DimSpan dims) {
    Tensor* tensor = Out(k);
    if (tensor == nullptr || dims.size() > kMaxRank) return;
    if (std::any_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < kDynamicDim; }))
      return;
    if (!tensor->unknown_rank) return FillDims(*tensor, dims);
    if (!ElementCount(dims.data(), dims.size())) return;
    tensor->unknown_rank = false;
    tensor->dims.assign(dims.begin(), dims.end());
  }
  void SetType(size_t k, Dtype dtype) {
    Tensor* tensor = Out(k);
    if (tensor != nullptr && tensor->dtype == Dtype::kUndefined) tensor->dtype = dtype;
  }
  void SetInts(Ints values) {
    if (Out(0) != nullptr && values.size() <= kMaxInts) {
      known_.insert_or_assign(node_.outputs[0], std::move(values));
    }
  }
  // What is known in full becomes the output's values.
  void PublishInts() {
    if (outputs() == 0 || node_.outputs[0] == kNoTensor) return;
    const auto it = known_.find(node_.outputs[0]);
    if (it == known_.end()) return;
    Tensor& tensor = *Out(0);
    if (tensor.values != nullptr || tensor.is_static || tensor.unknown_rank) return;
    if (tensor.dtype != Dtype::kInt64 && tensor.dtype != Dtype::kInt32) return;
    const auto count = ElementCount(tensor.dims.data(), tensor.dims.size());
    const Ints& ints = it->second;
    if (!Fixed(tensor.dims) || !count || *count != static_cast<int64_t>(ints.size())) return;
    if (std::find(ints.begin(), ints.end(), kUnknownInt) != ints.end()) return;
    tensor.values = std::make_shared<const TensorValues>(TensorValues{ints, {}});
  }

 private:
  // Dimensions that the file leaves open.
  static void FillDims(Tensor& tensor, DimSpan dims) {
    if (tensor.dims.size() != dims.size() || Fixed(tensor.dims)) return;
    Dims filled = tensor.dims;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (filled[i] == kDynamicDim) filled[i] = dims[i];
    }
    if (ElementCount(filled.data(), filled.size())) tensor.dims = std::move(filled);
  }

  Tensor* Out(size_t k) {
    return k < outputs() && node_.outputs[k] != kNoTensor ? &model_.tensors[node_.outputs[k]]
                                                          : nullptr;
  }

  Model& model_;
  const Node& node_;
  KnownInts& known_;
};

}  // namespace quantgate::onnx::shapes

#endif  // QUANTGATE_CORE_READERS_ONNX_SHAPES_CONTEXT_H_
