// Other shapes of the same elements.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/readers/onnx/shapes/context.h"
#include "core/readers/onnx/shapes/functions.h"

namespace quantgate::onnx::shapes {

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

}  // namespace quantgate::onnx::shapes
