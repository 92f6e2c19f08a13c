// Matrix products and reductions.
#include <cstddef>
#include <vector>

#include "core/readers/onnx/shapes/context.h"
#include "core/readers/onnx/shapes/functions.h"

namespace quantgate::onnx::shapes {

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

}  // namespace quantgate::onnx::shapes
