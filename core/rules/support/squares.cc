#include "core/rules/support/squares.h"

#include <cmath>
#include <optional>

#include "core/rules/support/encoding_facts.h"

namespace quantgate::rules {

bool IsSquare(const GraphView& g, int32_t op, SetMask products) {
  const auto& inputs = g.op(op).inputs;
  return g.Is(op, products) && inputs.size() == 2 && inputs[0] == inputs[1];
}

int32_t SquareBefore(const GraphView& g, int32_t op, SetMask products, SetMask powers) {
  if (g.input(op, 0) == nullptr) return -1;
  const int32_t square = g.Producer(g.op(op).inputs[0]);
  if (square < 0) return -1;
  if (g.Is(square, products)) return IsSquare(g, square, products) ? square : -1;
  if (!g.Is(square, powers)) return -1;
  const Tensor* exponent = g.input(square, 1);
  const auto range = exponent != nullptr && exponent->is_static ? RealRange(*exponent) : std::nullopt;
  // Quantized, a 2 is a step off.
  const auto is_two = [](double value) { return std::abs(value - 2) < 0.02; };
  return range && is_two(range->first) && is_two(range->second) ? square : -1;
}

}  // namespace quantgate::rules
