// Element by element: the shape of the inputs, or what they broadcast to.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/readers/onnx/shapes/context.h"
#include "core/readers/onnx/shapes/functions.h"

namespace quantgate::onnx::shapes {

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

}  // namespace quantgate::onnx::shapes
