// Convolutions and pools: a window slides over the spatial dimensions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "core/readers/onnx/shapes/context.h"
#include "core/readers/onnx/shapes/functions.h"

namespace quantgate::onnx::shapes {

namespace {

// The geometry of convolutions and pools along one spatial axis.
struct Window {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad = 0;  // both ends
  int64_t output_padding = 0;
};

// Numbers of an attribute, an entry a spatial axis or end; `otherwise` each where it is not given.
struct Numbers {
  const Ints* given;
  int64_t otherwise;

  bool Fit(size_t count) const { return given == nullptr || given->size() == count; }
  int64_t operator[](size_t i) const { return given == nullptr ? otherwise : (*given)[i]; }
};

// `kernel` has one entry a spatial axis. nullopt when the attributes don't fit.
std::optional<absl::InlinedVector<Window, 3>> Windows(const Context& c, DimSpan kernel) {
  // Far above any real kernel, and small enough to compute with.
  constexpr int64_t kLimit = int64_t{1} << 30;
  const size_t n = kernel.size();
  const Numbers strides{c.ListOrNull("strides"), 1}, dilations{c.ListOrNull("dilations"), 1};
  const Numbers pads{c.ListOrNull("pads"), 0}, extra{c.ListOrNull("output_padding"), 0};
  if (!strides.Fit(n) || !dilations.Fit(n) || !pads.Fit(2 * n) || !extra.Fit(n)) return std::nullopt;
  absl::InlinedVector<Window, 3> windows(n);
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

void Pooled(Context& c, const Dims& x, int64_t channels, DimSpan kernel, bool ceil) {
  const auto windows = Windows(c, kernel);
  if (!windows || x.size() != kernel.size() + 2) return;
  const std::string_view auto_pad = c.Text("auto_pad");
  Dims out = {x[0], channels};
  for (size_t i = 0; i < windows->size(); ++i) {
    out.push_back(Slide(x[i + 2], (*windows)[i], auto_pad, ceil));
  }
  c.SetShape(0, out);
  c.SetShape(1, out);
}

void Convolved(Context& c, size_t weights) {
  const Dims* x = c.Shape(0);
  const Dims* w = c.Shape(weights);
  if (x == nullptr || w == nullptr || w->size() != x->size() || w->size() < 3) return;
  Pooled(c, *x, (*w)[0], std::span(*w).subspan(2), false);
}

}  // namespace

void Conv(Context& c) { Convolved(c, 1); }

void ConvInteger(Context& c) {
  Convolved(c, 1);
  c.SetType(0, Dtype::kInt32);
}

void QLinearConv(Context& c) {
  Convolved(c, 3);
  c.SetType(0, c.Type(7));
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

// The opposite of a MaxPool: several sizes may have led to the one that it reads, so it may be named.
void MaxUnpool(Context& c) {
  const Dims* x = c.Shape(0);
  const auto kernel = c.List("kernel_shape");
  if (x == nullptr || !kernel || x->size() != kernel->size() + 2) return;
  if (c.In(2) != nullptr) {
    if (const auto wanted = c.Values(2); wanted && wanted->size() == x->size()) {
      c.SetShape(0, *wanted);
    }
    return;
  }
  const auto windows = Windows(c, *kernel);
  if (!windows) return;
  Ints out = {(*x)[0], (*x)[1]};
  for (size_t i = 0; i < windows->size(); ++i) {
    const Window& w = (*windows)[i];
    const int64_t size = (*x)[i + 2];
    const bool known = size > 0 && size < int64_t{1} << 30;
    out.push_back(known ? std::max((size - 1) * w.stride + w.kernel - w.pad, kDynamicDim)
                        : kDynamicDim);
  }
  c.SetShape(0, out);
}

// Columns back to an image: [N, C * block, L] -> [N, C, image].
void Col2Im(Context& c) {
  const Dims* x = c.Shape(0);
  const auto image = c.Values(1);
  const auto block = c.Values(2);
  if (x == nullptr || x->size() != 3 || !image || !block) return;
  int64_t size = 1;
  for (const int64_t dim : *block) size = Times(size, dim);
  Ints out = {(*x)[0], size > 0 && (*x)[1] >= 0 ? (*x)[1] / size : kDynamicDim};
  for (const int64_t dim : *image) out.push_back(std::max(dim, kDynamicDim));
  c.SetShape(0, out);
}

void GlobalPool(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr || x->size() < 2) return;
  Ints out(x->size(), 1);
  out[0] = (*x)[0];
  out[1] = (*x)[1];
  c.SetShape(0, out);
}

}  // namespace quantgate::onnx::shapes
