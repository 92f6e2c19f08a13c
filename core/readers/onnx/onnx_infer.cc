#include "core/readers/onnx/onnx_infer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/readers/graph_check.h"
#include "core/readers/limits.h"
#include "core/readers/onnx/onnx_fold.h"
#include "core/readers/onnx/onnx_tensor.h"

namespace quantgate::onnx {
namespace {

using Dims = absl::InlinedVector<int64_t, 4>;
using DimSpan = std::span<const int64_t>;
using Ints = std::vector<int64_t>;

// An element of a shape computed in the graph that is not known.
constexpr int64_t kUnknownInt = std::numeric_limits<int64_t>::min();
// Shapes and axes computed in the graph are shorter.
constexpr size_t kMaxInts = 64;

bool Fixed(const Dims& dims) {
  return std::find(dims.begin(), dims.end(), kDynamicDim) == dims.end();
}

// Results outside int64 and of unknown operands are unknown dimensions.
int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return kDynamicDim;
  return product;
}

// -rank..rank-1 -> 0..rank-1; nullopt outside.
std::optional<size_t> AxisOf(int64_t axis, size_t rank) {
  const auto size = static_cast<int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + size : axis);
}

std::optional<Ints> Broadcast(DimSpan a, DimSpan b) {
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
  std::optional<Ints> List(std::string_view name) const {
    const Param* param = node_.FindParam(name);
    const auto* value = param == nullptr ? nullptr : std::get_if<Ints>(&param->value);
    if (value == nullptr) return std::nullopt;
    return *value;
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

void Same(Context& c) {
  if (const Dims* x = c.Shape(0)) c.SetShape(0, *x);
}

// Also the integers pass through.
void SameValues(Context& c) {
  Same(c);
  if (auto values = c.Values(0)) c.SetInts(*std::move(values));
}

void Cast(Context& c) {
  SameValues(c);
  c.SetType(0, DtypeOf(c.Int("to", 0)));
}

void Quantize(Context& c) {
  Same(c);
  const int64_t wanted = c.Int("output_dtype", 0);
  c.SetType(0, wanted != 0 ? DtypeOf(wanted) : c.In(2) != nullptr ? c.Type(2) : Dtype::kUint8);
}

void Dequantize(Context& c) {
  Same(c);
  const int64_t wanted = c.Int("output_dtype", 0);
  c.SetType(0, wanted != 0 ? DtypeOf(wanted) : c.Type(1));
}

void DynamicQuantize(Context& c) {
  Same(c);
  c.SetType(0, Dtype::kUint8);
  c.SetShape(1, DimSpan());
  c.SetType(1, Dtype::kFloat32);
  c.SetShape(2, DimSpan());
  c.SetType(2, Dtype::kUint8);
}

void Broadcasting(Context& c) {
  if (c.Shape(0) == nullptr) return;
  Ints out(c.Shape(0)->begin(), c.Shape(0)->end());
  for (size_t i = 1; i < c.inputs(); ++i) {
    if (c.Shape(i) == nullptr) return;
    auto next = Broadcast(out, *c.Shape(i));
    if (!next) return;
    out = *std::move(next);
  }
  c.SetShape(0, out);
}

// Shape arithmetic: same length, or one of both a single number.
template <typename Operation>
void Arithmetic(Context& c, Operation operation) {
  Broadcasting(c);
  const auto a = c.Values(0);
  const auto b = c.Values(1);
  if (!a || !b || a->empty() || b->empty()) return;
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return;
  Ints out(std::max(a->size(), b->size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = (*a)[a->size() == 1 ? 0 : i];
    const int64_t y = (*b)[b->size() == 1 ? 0 : i];
    out[i] = x == kUnknownInt || y == kUnknownInt ? kUnknownInt : operation(x, y);
  }
  c.SetInts(std::move(out));
}
void Add(Context& c) {
  Arithmetic(c, [](int64_t x, int64_t y) {
    int64_t r = 0;
    return __builtin_add_overflow(x, y, &r) ? kUnknownInt : r;
  });
}
void Subtract(Context& c) {
  Arithmetic(c, [](int64_t x, int64_t y) {
    int64_t r = 0;
    return __builtin_sub_overflow(x, y, &r) ? kUnknownInt : r;
  });
}
void Multiply(Context& c) {
  Arithmetic(c, [](int64_t x, int64_t y) {
    int64_t r = 0;
    return __builtin_mul_overflow(x, y, &r) ? kUnknownInt : r;
  });
}
void Divide(Context& c) {
  Arithmetic(c, [](int64_t x, int64_t y) { return x < 0 || y <= 0 ? kUnknownInt : x / y; });
}

// The geometry of convolutions and pools along one spatial axis.
struct Window {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad = 0;  // both ends
  int64_t output_padding = 0;
};

// `kernel` has one entry a spatial axis. nullopt when the attributes don't fit.
std::optional<std::vector<Window>> Windows(const Context& c, std::span<const int64_t> kernel) {
  // Far above any real kernel, and small enough to compute with.
  constexpr int64_t kLimit = int64_t{1} << 30;
  const size_t n = kernel.size();
  const Ints strides = c.List("strides").value_or(Ints(n, 1));
  const Ints dilations = c.List("dilations").value_or(Ints(n, 1));
  const Ints pads = c.List("pads").value_or(Ints(2 * n, 0));
  const Ints extra = c.List("output_padding").value_or(Ints(n, 0));
  if (strides.size() != n || dilations.size() != n || pads.size() != 2 * n || extra.size() != n) {
    return std::nullopt;
  }
  std::vector<Window> windows(n);
  for (size_t i = 0; i < n; ++i) {
    Window& w = windows[i];
    for (const int64_t value : {kernel[i], strides[i], dilations[i]}) {
      if (value <= 0 || value > kLimit) return std::nullopt;
    }
    for (const int64_t value : {pads[i], pads[n + i], extra[i]}) {
      if (value < -kLimit || value > kLimit) return std::nullopt;
    }
    w = {kernel[i], strides[i], dilations[i], pads[i] + pads[n + i], extra[i]};
  }
  return windows;
}

int64_t Slide(int64_t size, const Window& w, std::string_view auto_pad, bool ceil) {
  if (size == kDynamicDim || size > int64_t{1} << 60) return kDynamicDim;
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    return size / w.stride + (size % w.stride != 0 ? 1 : 0);
  }
  const int64_t pad = auto_pad == "VALID" ? 0 : w.pad;
  const int64_t room = size + pad - (w.dilation * (w.kernel - 1) + 1);
  if (room < 0) return kDynamicDim;
  return room / w.stride + 1 + (ceil && room % w.stride != 0 ? 1 : 0);
}

void Pooled(Context& c, const Dims& x, int64_t channels, std::span<const int64_t> kernel,
            bool ceil) {
  const auto windows = Windows(c, kernel);
  if (!windows || x.size() != kernel.size() + 2) return;
  Ints out = {x[0], channels};
  for (size_t i = 0; i < windows->size(); ++i) {
    out.push_back(Slide(x[i + 2], (*windows)[i], c.Text("auto_pad"), ceil));
  }
  c.SetShape(0, out);
  c.SetShape(1, out);
}

void Conv(Context& c) {
  const Dims* x = c.Shape(0);
  const Dims* w = c.Shape(1);
  if (x == nullptr || w == nullptr || w->size() != x->size() || w->size() < 3) return;
  Pooled(c, *x, (*w)[0], std::span(*w).subspan(2), false);
}

void ConvTranspose(Context& c) {
  const Dims* x = c.Shape(0);
  const Dims* w = c.Shape(1);
  if (x == nullptr || w == nullptr || w->size() != x->size() || w->size() < 3) return;
  const auto windows = Windows(c, std::span(*w).subspan(2));
  const auto wanted = c.List("output_shape");
  const std::string_view auto_pad = c.Text("auto_pad");
  if (!windows) return;
  Ints out = {(*x)[0], Times((*w)[1], c.Int("group", 1))};
  for (size_t i = 0; i < windows->size(); ++i) {
    const Window& v = (*windows)[i];
    const int64_t size = (*x)[i + 2];
    if (wanted && wanted->size() >= windows->size()) {
      out.push_back((*wanted)[wanted->size() - windows->size() + i]);
    } else if (size == kDynamicDim || size > int64_t{1} << 30) {
      out.push_back(kDynamicDim);
    } else if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
      out.push_back(size * v.stride);
    } else {
      const int64_t pad = auto_pad == "VALID" ? 0 : v.pad;
      const int64_t dim =
          v.stride * (size - 1) + v.output_padding + (v.kernel - 1) * v.dilation + 1 - pad;
      out.push_back(std::max(dim, kDynamicDim));
    }
  }
  c.SetShape(0, out);
}

void Pool(Context& c) {
  c.SetType(1, Dtype::kInt64);
  const Dims* x = c.Shape(0);
  const auto kernel = c.List("kernel_shape");
  if (x == nullptr || !kernel || x->size() < 2) return;
  Pooled(c, *x, (*x)[1], *kernel, c.Int("ceil_mode", 0) != 0);
}

void GlobalPool(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr || x->size() < 2) return;
  Ints out(x->size(), 1);
  out[0] = (*x)[0];
  out[1] = (*x)[1];
  c.SetShape(0, out);
}

void MatMul(Context& c) {
  if (c.Shape(0) == nullptr || c.Shape(1) == nullptr) return;
  Ints a(c.Shape(0)->begin(), c.Shape(0)->end());
  Ints b(c.Shape(1)->begin(), c.Shape(1)->end());
  if (a.empty() || b.empty()) return;
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  auto out = Broadcast(DimSpan(a).first(a.size() - 2), DimSpan(b).first(b.size() - 2));
  if (!out) return;
  if (!row) out->push_back(a[a.size() - 2]);
  if (!column) out->push_back(b.back());
  c.SetShape(0, *out);
}

void Gemm(Context& c) {
  const Dims* a = c.Shape(0);
  const Dims* b = c.Shape(1);
  if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return;
  c.SetShape(0, Ints{(*a)[c.Int("transA", 0) != 0 ? 1 : 0], (*b)[c.Int("transB", 0) != 0 ? 0 : 1]});
}

void Reshape(Context& c) {
  if (auto values = c.Values(0)) c.SetInts(*std::move(values));
  const Dims* x = c.Shape(0);
  const auto wanted = c.InputOrList(1, "shape");
  if (!wanted) {
    // The length of the shape is the rank.
    const Dims* shape = c.Shape(1);
    if (shape != nullptr && shape->size() == 1 && (*shape)[0] >= 0 &&
        (*shape)[0] <= static_cast<int64_t>(kMaxRank)) {
      c.SetShape(0, Ints(static_cast<size_t>((*shape)[0]), kDynamicDim));
    }
    return;
  }
  Ints out;
  std::optional<size_t> rest;
  int64_t given = 1;
  bool certain = x != nullptr && Fixed(*x);
  for (size_t i = 0; i < wanted->size(); ++i) {
    int64_t dim = (*wanted)[i];
    if (dim == 0 && c.Int("allowzero", 0) == 0) {
      dim = x != nullptr && i < x->size() ? (*x)[i] : kDynamicDim;
      certain &= dim != kDynamicDim;
    } else if (dim == -1) {
      if (rest) return;
      rest = i;
    } else if (dim < 0) {
      dim = kDynamicDim;
      certain = false;
    }
    if (dim >= 0) given = Times(given, dim);
    out.push_back(dim);
  }
  if (rest && certain && given > 0) {
    const auto count = ElementCount(x->data(), x->size());
    if (count && *count % given == 0) out[*rest] = *count / given;
  }
  c.SetShape(0, out);
}

void Flatten(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  const int64_t axis = c.Int("axis", 1);
  const auto rank = static_cast<int64_t>(x->size());
  if (axis < -rank || axis > rank) return;
  const auto split = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  Ints out = {1, 1};
  for (size_t i = 0; i < x->size(); ++i)
    out[i < split ? 0 : 1] = Times(out[i < split ? 0 : 1], (*x)[i]);
  c.SetShape(0, out);
}

void Transpose(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  Ints out(x->rbegin(), x->rend());
  if (const auto perm = c.List("perm")) {
    if (perm->size() != x->size()) return;
    for (size_t i = 0; i < perm->size(); ++i) {
      const auto axis = AxisOf((*perm)[i], x->size());
      if (!axis) return;
      out[i] = (*x)[*axis];
    }
  }
  c.SetShape(0, out);
}

void Concat(Context& c) {
  Ints joined;
  bool all_known = c.Shape(0) != nullptr && c.Shape(0)->size() == 1;
  for (size_t i = 0; i < c.inputs() && all_known && joined.size() <= kMaxInts; ++i) {
    const auto values = c.Values(i);
    all_known = values.has_value();
    if (values) joined.insert(joined.end(), values->begin(), values->end());
  }
  if (all_known) c.SetInts(std::move(joined));
  if (c.Shape(0) == nullptr) return;
  Ints out(c.Shape(0)->begin(), c.Shape(0)->end());
  const auto axis = AxisOf(c.Int("axis", 1), out.size());
  if (!axis) return;
  for (size_t i = 1; i < c.inputs(); ++i) {
    const Dims* x = c.Shape(i);
    if (x == nullptr || x->size() != out.size()) return;
    for (size_t d = 0; d < out.size(); ++d) {
      if (d == *axis) {
        const int64_t dim = (*x)[d];
        out[d] = out[d] == kDynamicDim || dim == kDynamicDim ||
                         dim > std::numeric_limits<int64_t>::max() - out[d]
                     ? kDynamicDim
                     : out[d] + dim;
      } else if (out[d] == kDynamicDim) {
        out[d] = (*x)[d];
      }
    }
  }
  c.SetShape(0, out);
}

// Python's slice(start, end, step) of `size` elements: the first index and the count.
std::pair<int64_t, int64_t> SliceOf(int64_t size, int64_t start, int64_t end, int64_t step) {
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

void Slice(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  const auto starts = c.InputOrList(1, "starts");
  const auto ends = c.InputOrList(2, "ends");
  auto axes = c.InputOrList(3, "axes");
  auto steps = c.Values(4);
  Ints out(x->begin(), x->end());
  if (!axes && !c.Has(3, "axes") && starts) {
    axes.emplace();
    for (size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<int64_t>(i));
  }
  if (!axes) {
    std::fill(out.begin(), out.end(), kDynamicDim);
    return c.SetShape(0, out);
  }
  const auto data = c.Values(0);
  for (size_t i = 0; i < axes->size(); ++i) {
    const auto axis = AxisOf((*axes)[i], out.size());
    if (!axis) return;
    const bool known = starts && ends && i < starts->size() && i < ends->size() &&
                       (c.In(4) == nullptr || (steps && i < steps->size())) &&
                       (*starts)[i] != kUnknownInt && (*ends)[i] != kUnknownInt &&
                       out[*axis] != kDynamicDim;
    const int64_t step = steps && i < steps->size() ? (*steps)[i] : 1;
    if (!known || step == 0 || step == kUnknownInt) {
      out[*axis] = kDynamicDim;
      continue;
    }
    const auto [first, count] = SliceOf(out[*axis], (*starts)[i], (*ends)[i], step);
    out[*axis] = count;
    if (data && out.size() == 1 && axes->size() == 1 &&
        static_cast<int64_t>(data->size()) == (*x)[0]) {
      Ints part;
      for (int64_t k = 0; k < count; ++k)
        part.push_back((*data)[static_cast<size_t>(first + k * step)]);
      c.SetInts(std::move(part));
    }
  }
  c.SetShape(0, out);
}

void Split(Context& c) {
  const Dims* x = c.Shape(0);
  for (size_t k = 0; k < c.outputs(); ++k) c.SetType(k, c.Type(0));
  if (x == nullptr) return;
  const auto axis = AxisOf(c.Int("axis", 0), x->size());
  if (!axis) return;
  const auto sizes = c.InputOrList(1, "split");
  const auto parts = static_cast<int64_t>(c.outputs());
  const int64_t whole = (*x)[*axis];
  for (size_t k = 0; k < c.outputs(); ++k) {
    Ints out(x->begin(), x->end());
    if (sizes && k < sizes->size()) {
      out[*axis] = (*sizes)[k];
    } else if (c.Has(1, "split") || whole == kDynamicDim) {
      out[*axis] = kDynamicDim;
    } else {
      // All as large as the first; the last takes what is left.
      const int64_t chunk = whole / parts + (whole % parts != 0 ? 1 : 0);
      out[*axis] = std::clamp(whole - chunk * static_cast<int64_t>(k), int64_t{0}, chunk);
    }
    c.SetShape(k, out);
  }
}

// Axes as a set of positions in `rank` dimensions; nullopt when one is outside.
std::optional<std::vector<bool>> AxisSet(const Ints& axes, size_t rank) {
  std::vector<bool> set(rank, false);
  for (const int64_t a : axes) {
    const auto axis = AxisOf(a, rank);
    if (!axis) return std::nullopt;
    set[*axis] = true;
  }
  return set;
}

void Squeeze(Context& c) {
  if (auto values = c.Values(0)) c.SetInts(*std::move(values));
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  std::optional<std::vector<bool>> gone;
  if (const auto axes = c.InputOrList(1, "axes")) {
    gone = AxisSet(*axes, x->size());
  } else if (!c.Has(1, "axes") && Fixed(*x)) {
    gone.emplace();
    for (const int64_t dim : *x) gone->push_back(dim == 1);
  }
  if (!gone) return;
  Ints out;
  for (size_t i = 0; i < x->size(); ++i) {
    if (!(*gone)[i]) out.push_back((*x)[i]);
  }
  c.SetShape(0, out);
}

void Unsqueeze(Context& c) {
  if (auto values = c.Values(0)) c.SetInts(*std::move(values));
  const Dims* x = c.Shape(0);
  const auto axes = c.InputOrList(1, "axes");
  if (x == nullptr || !axes || x->size() + axes->size() > kMaxRank) return;
  const auto added = AxisSet(*axes, x->size() + axes->size());
  if (!added ||
      std::count(added->begin(), added->end(), true) != static_cast<ptrdiff_t>(axes->size())) {
    return;
  }
  Ints out;
  auto next = x->begin();
  for (const bool is_new : *added) out.push_back(is_new ? 1 : *next++);
  c.SetShape(0, out);
}

void Reduce(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  const bool keep = c.Int("keepdims", 1) != 0;
  std::vector<bool> reduced(x->size(), true);
  if (const auto axes = c.InputOrList(1, "axes"); axes && !axes->empty()) {
    const auto set = AxisSet(*axes, x->size());
    if (!set) return;
    reduced = *set;
  } else if (!axes && c.Has(1, "axes")) {
    return;
  } else if (c.Int("noop_with_empty_axes", 0) != 0) {
    return Same(c);
  }
  Ints out;
  for (size_t i = 0; i < x->size(); ++i) {
    if (!reduced[i]) {
      out.push_back((*x)[i]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  c.SetShape(0, out);
}

void ArgReduce(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  const auto axis = AxisOf(c.Int("axis", 0), x->size());
  if (!axis) return;
  Ints out(x->begin(), x->end());
  if (c.Int("keepdims", 1) != 0) {
    out[*axis] = 1;
  } else {
    out.erase(out.begin() + static_cast<ptrdiff_t>(*axis));
  }
  c.SetShape(0, out);
}

void Gather(Context& c) {
  const auto data = c.Values(0);
  const auto picks = c.Values(1);
  if (data && picks && c.Shape(0) != nullptr && c.Shape(0)->size() == 1) {
    Ints out;
    for (const int64_t pick : *picks) {
      const auto at = pick == kUnknownInt ? std::nullopt : AxisOf(pick, data->size());
      out.push_back(at ? (*data)[*at] : kUnknownInt);
    }
    c.SetInts(std::move(out));
  }
  const Dims* x = c.Shape(0);
  const Dims* indices = c.Shape(1);
  if (x == nullptr || indices == nullptr) return;
  const auto axis = AxisOf(c.Int("axis", 0), x->size());
  if (!axis || x->size() + indices->size() > kMaxRank) return;
  Ints out(x->begin(), x->begin() + static_cast<ptrdiff_t>(*axis));
  out.insert(out.end(), indices->begin(), indices->end());
  out.insert(out.end(), x->begin() + static_cast<ptrdiff_t>(*axis) + 1, x->end());
  c.SetShape(0, out);
}

void GatherElements(Context& c) {
  if (const Dims* indices = c.Shape(1)) c.SetShape(0, *indices);
}

void GatherNd(Context& c) {
  const Dims* x = c.Shape(0);
  const Dims* indices = c.Shape(1);
  if (x == nullptr || indices == nullptr || indices->empty()) return;
  const int64_t batch = c.Int("batch_dims", 0);
  const int64_t depth = indices->back();
  const auto rank = static_cast<int64_t>(x->size());
  if (batch < 0 || depth < 0 || batch > rank || depth > rank - batch) return;
  Ints out(indices->begin(), indices->end() - 1);
  out.insert(out.end(), x->begin() + batch + depth, x->end());
  c.SetShape(0, out);
}

void Pad(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  const auto pads = c.InputOrList(1, "pads");
  const auto axes = c.Values(3);
  const size_t n = axes ? axes->size() : x->size();
  Ints out(x->begin(), x->end());
  const bool known = pads && pads->size() == 2 * n && (axes || c.In(3) == nullptr);
  for (size_t i = 0; i < (known ? n : out.size()); ++i) {
    const auto axis = axes && known ? AxisOf((*axes)[i], out.size()) : i;
    if (!axis) return;
    int64_t sum = out[*axis];
    if (!known || sum == kDynamicDim || (*pads)[i] == kUnknownInt ||
        (*pads)[n + i] == kUnknownInt || __builtin_add_overflow(sum, (*pads)[i], &sum) ||
        __builtin_add_overflow(sum, (*pads)[n + i], &sum) || sum < 0) {
      sum = kDynamicDim;
    }
    out[*axis] = sum;
  }
  c.SetShape(0, out);
}

void Resize(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  // Scales are input 2, in operator sets below 11 input 1.
  const size_t scales_at = c.opset() < 11 ? 1 : 2;
  Ints axes = c.List("axes").value_or(Ints());
  if (axes.empty()) {
    for (size_t i = 0; i < x->size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  Ints out(x->begin(), x->end());
  const auto sizes = scales_at == 2 ? c.Values(3) : std::nullopt;
  const Tensor* scales = c.In(scales_at);
  const bool has_scales =
      scales != nullptr && scales->values != nullptr && scales->values->reals.size() == axes.size();
  // Other policies than stretching change the sizes again.
  const std::string_view policy = c.Text("keep_aspect_ratio_policy");
  const bool stretch = policy.empty() || policy == "stretch";
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = AxisOf(axes[i], out.size());
    if (!axis) return;
    int64_t dim = kDynamicDim;
    if (sizes && sizes->size() == axes.size() && stretch) {
      dim = std::max((*sizes)[i], kDynamicDim);
    } else if (has_scales && out[*axis] != kDynamicDim) {
      const double size = static_cast<double>(out[*axis]) * scales->values->reals[i];
      if (size >= 0 && size < 0x1p53) dim = static_cast<int64_t>(size);
    }
    out[*axis] = dim;
  }
  c.SetShape(0, out);
}

void ShapeOf(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) {
    c.SetShape(0, Ints{kDynamicDim});
    return;
  }
  const auto rank = static_cast<int64_t>(x->size());
  const auto [first, count] = SliceOf(rank, c.Int("start", 0), c.Int("end", rank), 1);
  Ints values;
  for (int64_t i = first; i < first + count; ++i) {
    const int64_t dim = (*x)[static_cast<size_t>(i)];
    values.push_back(dim == kDynamicDim ? kUnknownInt : dim);
  }
  c.SetShape(0, Ints{count});
  c.SetInts(std::move(values));
}

void Scalar(Context& c) { c.SetShape(0, DimSpan()); }

std::optional<Ints> DimsFrom(const std::optional<Ints>& values) {
  if (!values || values->size() > kMaxRank) return std::nullopt;
  Ints out;
  for (const int64_t value : *values) out.push_back(std::max(value, kDynamicDim));
  return out;
}

void Expand(Context& c) {
  const Dims* x = c.Shape(0);
  const auto wanted = DimsFrom(c.Values(1));
  if (x == nullptr || !wanted) return;
  if (const auto out = Broadcast(*x, *wanted)) c.SetShape(0, *out);
}

void ConstantOfShape(Context& c) {
  c.SetType(0, c.ParamType("value", Dtype::kFloat32));
  if (const auto out = DimsFrom(c.Values(0))) c.SetShape(0, *out);
}

void Range(Context& c) {
  c.SetShape(0, Ints{kDynamicDim});
  const auto start = c.Values(0);
  const auto limit = c.Values(1);
  const auto delta = c.Values(2);
  if (!start || !limit || !delta) return;
  if (start->size() != 1 || limit->size() != 1 || delta->size() != 1) return;
  int64_t span = 0;
  const int64_t step = (*delta)[0];
  if ((*start)[0] == kUnknownInt || (*limit)[0] == kUnknownInt || step == kUnknownInt) return;
  if (step == 0 || __builtin_sub_overflow((*limit)[0], (*start)[0], &span)) return;
  if (span == std::numeric_limits<int64_t>::min()) return;  // has no opposite
  const bool empty = span == 0 || (span < 0) != (step < 0);
  c.SetShape(0, Ints{empty ? 0 : span / step + (span % step != 0 ? 1 : 0)});
}

void Tile(Context& c) {
  const Dims* x = c.Shape(0);
  const auto repeats = c.Values(1);
  if (x == nullptr || !repeats || repeats->size() != x->size()) return;
  Ints out;
  for (size_t i = 0; i < x->size(); ++i) out.push_back(Times((*x)[i], (*repeats)[i]));
  c.SetShape(0, out);
}

void DepthToSpace(Context& c) {
  const Dims* x = c.Shape(0);
  const int64_t block = c.Int("blocksize", 0);
  if (x == nullptr || x->size() != 4 || block <= 0 || block > 1 << 16) return;
  const int64_t depth = (*x)[1];
  c.SetShape(0, Ints{(*x)[0], depth < 0 ? kDynamicDim : depth / (block * block),
                     Times((*x)[2], block), Times((*x)[3], block)});
}

void SpaceToDepth(Context& c) {
  const Dims* x = c.Shape(0);
  const int64_t block = c.Int("blocksize", 0);
  if (x == nullptr || x->size() != 4 || block <= 0 || block > 1 << 16) return;
  const auto part = [&](int64_t dim) { return dim < 0 ? kDynamicDim : dim / block; };
  c.SetShape(0, Ints{(*x)[0], Times((*x)[1], block * block), part((*x)[2]), part((*x)[3])});
}

void TopK(Context& c) {
  c.SetType(1, Dtype::kInt64);
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  const auto axis = AxisOf(c.Int("axis", -1), x->size());
  if (!axis) return;
  Ints out(x->begin(), x->end());
  const auto k = c.Values(1);
  out[*axis] = k && k->size() == 1 ? std::max((*k)[0], kDynamicDim) : c.Int("k", kDynamicDim);
  c.SetShape(0, out);
  c.SetShape(1, out);
}

void OneHot(Context& c) {
  const Dims* indices = c.Shape(0);
  if (indices == nullptr || indices->size() >= kMaxRank) return;
  const auto axis = AxisOf(c.Int("axis", -1), indices->size() + 1);
  if (!axis) return;
  const auto depth = c.Values(1);
  Ints out(indices->begin(), indices->end());
  out.insert(out.begin() + static_cast<ptrdiff_t>(*axis),
             depth && depth->size() == 1 ? std::max((*depth)[0], kDynamicDim) : kDynamicDim);
  c.SetShape(0, out);
}

void GridSample(Context& c) {
  const Dims* x = c.Shape(0);
  const Dims* grid = c.Shape(1);
  if (x == nullptr || grid == nullptr || x->size() < 3 || grid->size() != x->size()) return;
  Ints out = {(*x)[0], (*x)[1]};
  out.insert(out.end(), grid->begin() + 1, grid->end() - 1);
  c.SetShape(0, out);
}

// The type of output 0 where `infer` does not say it.
enum class TypeRule : uint8_t { kOwn, kInput0, kInput1, kInput2, kBool, kInt64 };

struct Row {
  std::string_view op;
  void (*infer)(Context&);
  TypeRule type = TypeRule::kInput0;
};

// Sorted by name. Only what follows from shapes and small constants; the operators themselves
// are described in onnx/docs/Operators.md.
constexpr auto kRows = std::to_array<Row>({
    {"Abs", Same},
    {"Acos", Same},
    {"Acosh", Same},
    {"Add", Add},
    {"And", Broadcasting, TypeRule::kBool},
    {"ArgMax", ArgReduce, TypeRule::kInt64},
    {"ArgMin", ArgReduce, TypeRule::kInt64},
    {"Asin", Same},
    {"Asinh", Same},
    {"Atan", Same},
    {"Atanh", Same},
    {"AveragePool", Pool},
    {"BatchNormalization", Same},
    {"BiasGelu", Same},
    {"BitwiseAnd", Broadcasting},
    {"BitwiseNot", Same},
    {"BitwiseOr", Broadcasting},
    {"BitwiseXor", Broadcasting},
    {"Cast", Cast, TypeRule::kOwn},
    {"CastLike", SameValues, TypeRule::kInput1},
    {"Ceil", Same},
    {"Celu", Same},
    {"Clip", Same},
    {"Concat", Concat},
    {"ConstantOfShape", ConstantOfShape, TypeRule::kOwn},
    {"Conv", Conv},
    {"ConvTranspose", ConvTranspose},
    {"Cos", Same},
    {"Cosh", Same},
    {"CumSum", Same},
    {"DepthToSpace", DepthToSpace},
    {"DequantizeLinear", Dequantize, TypeRule::kOwn},
    {"Div", Divide},
    {"Dropout", Same},
    {"DynamicQuantizeLinear", DynamicQuantize, TypeRule::kOwn},
    {"Elu", Same},
    {"Equal", Broadcasting, TypeRule::kBool},
    {"Erf", Same},
    {"Exp", Same},
    {"Expand", Expand},
    {"FastGelu", Same},
    {"Flatten", Flatten},
    {"Floor", Same},
    {"Gather", Gather},
    {"GatherElements", GatherElements},
    {"GatherND", GatherNd},
    {"Gelu", Same},
    {"Gemm", Gemm},
    {"GlobalAveragePool", GlobalPool},
    {"GlobalLpPool", GlobalPool},
    {"GlobalMaxPool", GlobalPool},
    {"Greater", Broadcasting, TypeRule::kBool},
    {"GreaterOrEqual", Broadcasting, TypeRule::kBool},
    {"GridSample", GridSample},
    {"GroupNormalization", Same},
    {"HardSigmoid", Same},
    {"HardSwish", Same},
    {"Hardmax", Same},
    {"Identity", SameValues},
    {"InstanceNormalization", Same},
    {"IsInf", Same, TypeRule::kBool},
    {"IsNaN", Same, TypeRule::kBool},
    {"LRN", Same},
    {"LayerNormalization", Same},
    {"LeakyRelu", Same},
    {"Less", Broadcasting, TypeRule::kBool},
    {"LessOrEqual", Broadcasting, TypeRule::kBool},
    {"Log", Same},
    {"LogSoftmax", Same},
    {"LpNormalization", Same},
    {"LpPool", Pool},
    {"MatMul", MatMul},
    {"Max", Broadcasting},
    {"MaxPool", Pool},
    {"Mean", Broadcasting},
    {"MeanVarianceNormalization", Same},
    {"Min", Broadcasting},
    {"Mish", Same},
    {"Mod", Broadcasting},
    {"Mul", Multiply},
    {"Neg", Same},
    {"Not", Same, TypeRule::kBool},
    {"OneHot", OneHot, TypeRule::kInput2},
    {"Or", Broadcasting, TypeRule::kBool},
    {"PRelu", Same},
    {"Pad", Pad},
    {"Pow", Broadcasting},
    {"QuantizeLinear", Quantize, TypeRule::kOwn},
    {"QuickGelu", Same},
    {"RMSNormalization", Same},
    {"Range", Range},
    {"Reciprocal", Same},
    {"ReduceL1", Reduce},
    {"ReduceL2", Reduce},
    {"ReduceLogSum", Reduce},
    {"ReduceLogSumExp", Reduce},
    {"ReduceMax", Reduce},
    {"ReduceMean", Reduce},
    {"ReduceMin", Reduce},
    {"ReduceProd", Reduce},
    {"ReduceSum", Reduce},
    {"ReduceSumSquare", Reduce},
    {"Relu", Same},
    {"Reshape", Reshape},
    {"Resize", Resize},
    {"ReverseSequence", Same},
    {"Round", Same},
    {"ScatterElements", Same},
    {"ScatterND", Same},
    {"Selu", Same},
    {"Shape", ShapeOf, TypeRule::kInt64},
    {"Shrink", Same},
    {"Sigmoid", Same},
    {"Sign", Same},
    {"SimplifiedLayerNormalization", Same},
    {"Sin", Same},
    {"Sinh", Same},
    {"Size", Scalar, TypeRule::kInt64},
    {"SkipLayerNormalization", Same},
    {"SkipSimplifiedLayerNormalization", Same},
    {"Slice", Slice},
    {"Softmax", Same},
    {"Softplus", Same},
    {"Softsign", Same},
    {"SpaceToDepth", SpaceToDepth},
    {"Split", Split},
    {"Sqrt", Same},
    {"Squeeze", Squeeze},
    {"Sub", Subtract},
    {"Sum", Broadcasting},
    {"Swish", Same},
    {"Tan", Same},
    {"Tanh", Same},
    {"ThresholdedRelu", Same},
    {"Tile", Tile},
    {"TopK", TopK},
    {"Transpose", Transpose},
    {"Trilu", Same},
    {"Unsqueeze", Unsqueeze},
    {"Upsample", Resize},
    {"Where", Broadcasting, TypeRule::kInput1},
    {"Xor", Broadcasting, TypeRule::kBool},
});
constexpr bool ByOp(const Row& a, const Row& b) { return a.op < b.op; }
static_assert(std::is_sorted(kRows.begin(), kRows.end(), ByOp));

void SetTypeByRule(Context& c, TypeRule rule) {
  switch (rule) {
    case TypeRule::kOwn:
      return;
    case TypeRule::kInput0:
      return c.SetType(0, c.Type(0));
    case TypeRule::kInput1:
      return c.SetType(0, c.Type(1));
    case TypeRule::kInput2:
      return c.SetType(0, c.Type(2));
    case TypeRule::kBool:
      return c.SetType(0, Dtype::kBool8);
    case TypeRule::kInt64:
      return c.SetType(0, Dtype::kInt64);
  }
}

// Contributed operators of these names do as the standard ones.
bool KnownDomain(std::string_view domain) { return domain.empty() || domain == "com.microsoft"; }

}  // namespace

void InferShapes(Model& model, const std::vector<int32_t>& order) {
  KnownInts known;
  Folder folder(model);
  for (const int32_t index : order) {
    const Node& node = model.nodes[index];
    if (!KnownDomain(node.domain)) continue;
    const auto row = std::lower_bound(kRows.begin(), kRows.end(), Row{node.op, nullptr}, ByOp);
    if (row == kRows.end() || row->op != node.op) continue;
    Context context(model, node, known);
    row->infer(context);
    SetTypeByRule(context, row->type);
    if (!folder.Fold(node)) context.PublishInts();
  }
}

}  // namespace quantgate::onnx
