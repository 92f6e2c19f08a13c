// Recurrent networks and attention.
#include <cstddef>
#include <cstdint>

#include "core/readers/onnx/shapes/context.h"
#include "core/readers/onnx/shapes/functions.h"

namespace quantgate::onnx::shapes {

// GRU, LSTM, RNN: every step's state, the last state, the last cell.
void Recurrent(Context& c) {
  const Dims* x = c.Shape(0);
  const Dims* r = c.Shape(2);  // [directions, gates * hidden, hidden]
  if (x == nullptr || r == nullptr || x->size() != 3 || r->size() != 3) return;
  const int64_t directions = (*r)[0];
  const int64_t hidden = (*r)[2];
  const bool batch_first = c.Int("layout", 0) != 0;
  if (batch_first) {
    c.SetShape(0, Ints{(*x)[0], (*x)[1], directions, hidden});
  } else {
    c.SetShape(0, Ints{(*x)[0], directions, (*x)[1], hidden});
  }
  for (const size_t last : {size_t{1}, size_t{2}}) {
    c.SetType(last, c.Type(0));
    if (batch_first) {
      c.SetShape(last, Ints{(*x)[0], directions, hidden});
    } else {
      c.SetShape(last, Ints{directions, (*x)[1], hidden});
    }
  }
}

// Heads in a dimension of their own, or side by side in the last one.
void Attention(Context& c) {
  const Dims* q = c.Shape(0);
  const Dims* v = c.Shape(2);
  if (q == nullptr || v == nullptr || q->size() != v->size()) return;
  if (q->size() == 4) {
    c.SetShape(0, Ints{(*q)[0], (*q)[1], (*q)[2], (*v)[3]});
  } else if (q->size() == 3) {
    const int64_t queries = c.Int("q_num_heads", 0);
    const int64_t values = c.Int("kv_num_heads", 0);
    const int64_t width = (*v)[2];
    const bool known = queries > 0 && values > 0 && width >= 0;
    c.SetShape(0, Ints{(*q)[0], (*q)[1], known ? Times(width / values, queries) : kDynamicDim});
  }
}

}  // namespace quantgate::onnx::shapes
