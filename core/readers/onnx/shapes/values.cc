// What computes shapes, and what is made in a shape.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/readers/onnx/shapes/context.h"
#include "core/readers/onnx/shapes/functions.h"

namespace quantgate::onnx::shapes {

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

void SizeOf(Context& c) {
  c.SetShape(0, DimSpan());
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  int64_t count = 1;
  for (const int64_t dim : *x) count = Times(count, dim);
  if (count != kDynamicDim) c.SetInts(Ints{count});
}

namespace {

std::optional<Ints> DimsFrom(const std::optional<Ints>& values) {
  if (!values || values->size() > kMaxRank) return std::nullopt;
  Ints out;
  for (const int64_t value : *values) out.push_back(std::max(value, kDynamicDim));
  return out;
}

}  // namespace

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

// Of numbers drawn by chance; `dtype` is a float where it isn't given.
void Drawn(Context& c) {
  c.SetType(0, DtypeOf(c.Int("dtype", 1)));
  if (const auto shape = DimsFrom(c.List("shape"))) c.SetShape(0, *shape);
}

// As the input, unless `dtype` says another type.
void Like(Context& c) {
  if (const Dims* x = c.Shape(0)) c.SetShape(0, *x);
  const int64_t wanted = c.Int("dtype", 0);
  c.SetType(0, wanted != 0 ? DtypeOf(wanted) : c.Type(0));
}

// Points of an image of the wanted size, [N, C, H, W] -> [N, H, W, 2].
void AffineGrid(Context& c) {
  const auto size = DimsFrom(c.Values(1));
  if (!size || size->size() < 3) return;
  Ints out = {(*size)[0]};
  out.insert(out.end(), size->begin() + 2, size->end());
  out.push_back(static_cast<int64_t>(size->size()) - 2);
  c.SetShape(0, out);
}

// The number of an input of floats that is a single constant.
static std::optional<double> RealOf(const Context& c, size_t i) {
  const Tensor* tensor = c.In(i);
  if (tensor == nullptr || tensor->values == nullptr || tensor->values->reals.size() != 1)
    return std::nullopt;
  return tensor->values->reals[0];
}

static void RealRange(Context& c) {
  const auto start = RealOf(c, 0), limit = RealOf(c, 1), delta = RealOf(c, 2);
  if (!start || !limit || !delta) return;
  const double count = std::ceil((*limit - *start) / *delta);
  if (std::isfinite(count) && count < 1e9)
    c.SetShape(0, Ints{static_cast<int64_t>(std::max(count, 0.0))});
}

void Range(Context& c) {
  c.SetShape(0, Ints{kDynamicDim});
  if (IsFloat(c.Type(0))) return RealRange(c);
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

}  // namespace quantgate::onnx::shapes
