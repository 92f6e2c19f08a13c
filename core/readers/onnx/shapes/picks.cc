// Elements picked by index or by rank.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "core/readers/onnx/shapes/context.h"
#include "core/readers/onnx/shapes/functions.h"

namespace quantgate::onnx::shapes {

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

// Regions of a feature map, each made as large as `height` x `width`.
void Regions(Context& c, int64_t height, int64_t width) {
  const Dims* x = c.Shape(0);
  const Dims* regions = c.Shape(1);
  if (x == nullptr || regions == nullptr || x->size() != 4 || regions->empty()) return;
  c.SetShape(0, Ints{(*regions)[0], (*x)[1], height, width});
}

void RoiAlign(Context& c) { Regions(c, c.Int("output_height", 1), c.Int("output_width", 1)); }

void MaxRoiPool(Context& c) {
  const auto pooled = c.List("pooled_shape");
  if (pooled && pooled->size() == 2) Regions(c, (*pooled)[0], (*pooled)[1]);
}

// How many there are is seen when it runs.
void NonZero(Context& c) {
  const Dims* x = c.Shape(0);
  // A single number counts as a vector of one.
  const auto rank = x == nullptr ? kDynamicDim : std::max<int64_t>(1, std::ssize(*x));
  c.SetShape(0, Ints{rank, kDynamicDim});
}

void NonMaxSuppression(Context& c) { c.SetShape(0, Ints{kDynamicDim, 3}); }

void Compress(Context& c) {
  const Dims* x = c.Shape(0);
  if (!c.Has(c.inputs(), "axis")) return c.SetShape(0, Ints{kDynamicDim});
  if (x == nullptr) return;
  const auto axis = AxisOf(c.Int("axis", 0), x->size());
  if (!axis) return;
  Ints out(x->begin(), x->end());
  out[*axis] = kDynamicDim;
  c.SetShape(0, out);
}

}  // namespace quantgate::onnx::shapes
