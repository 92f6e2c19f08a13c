#include "core/rules/support/value_bounds.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace quantgate::rules {
namespace {

constexpr int kMostProducers = 6;

double ParamOr(const Node& node, std::string_view name, double otherwise) {
  const Param* const param = node.FindParam(name);
  const auto real = param == nullptr ? std::nullopt : RealOf(param->value);
  return !real || std::isnan(*real) ? otherwise : *real;
}

Interval Bounds(const GraphView& g, TensorId id, const BoundSets& sets, int steps);

// Of what the op writes, before its encoding cuts it.
Interval Made(const GraphView& g, int32_t op, const BoundSets& sets, int steps) {
  const auto of_input = [&](size_t port) {
    return port < g.op(op).inputs.size() && g.op(op).inputs[port] != kNoTensor
               ? Bounds(g, g.op(op).inputs[port], sets, steps - 1)
               : kAnyNumber;
  };
  if (g.Is(op, sets.shares)) return {0, 1};
  if (g.Is(op, sets.signed_shares)) return {-1, 1};
  if (g.Is(op, sets.limits)) {
    return {ParamOr(g.op(op), sets.low, kAnyNumber.low), ParamOr(g.op(op), sets.high, kAnyNumber.high)};
  }
  if (g.Is(op, sets.relus)) return {0, std::max(0.0, of_input(0).high)};
  if (g.Is(op, sets.moves)) return of_input(0);
  const Interval a = of_input(0), b = of_input(1);
  if (g.Is(op, sets.adds)) return {a.low + b.low, a.high + b.high};
  const bool finite = std::isfinite(a.low + a.high + b.low + b.high);
  if (g.Is(op, sets.products) && finite) return ProductOf(a, b);
  return kAnyNumber;
}

Interval Bounds(const GraphView& g, TensorId id, const BoundSets& sets, int steps) {
  const Tensor& t = g.tensor(id);
  if (t.is_static) {
    const auto range = RealRange(t);
    return range ? Interval{range->first, range->second} : kAnyNumber;
  }
  const Interval held = HeldRange(&t).value_or(kAnyNumber);
  const int32_t op = steps == 0 ? -1 : g.Producer(id);
  if (op < 0) return held;
  const Interval made = Made(g, op, sets, steps);
  return {std::max(held.low, made.low), std::min(held.high, made.high)};
}

}  // namespace

Interval ValueBounds(const GraphView& g, TensorId id, const BoundSets& sets) {
  return Bounds(g, id, sets, kMostProducers);
}

}  // namespace quantgate::rules
