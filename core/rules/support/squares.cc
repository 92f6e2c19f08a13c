#include "core/rules/support/squares.h"

#include <utility>

#include "core/rules/support/encoding_facts.h"

namespace quantgate::rules {

int32_t SquareBefore(const GraphView& g, int32_t op, SetMask products, SetMask powers) {
  if (g.input(op, 0) == nullptr) return -1;
  const int32_t square = g.Producer(g.op(op).inputs[0]);
  if (square < 0) return -1;
  if (g.Is(square, products)) {
    const auto& inputs = g.op(square).inputs;
    return inputs.size() > 1 && inputs[0] == inputs[1] ? square : -1;
  }
  if (!g.Is(square, powers)) return -1;
  const Tensor* exponent = g.input(square, 1);
  const bool is_two =
      exponent != nullptr && exponent->is_static && RealRange(*exponent) == std::pair(2.0, 2.0);
  return is_two ? square : -1;
}

}  // namespace quantgate::rules
