#include "core/rules/support/length_bound.h"

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/rules/support/encoding_facts.h"

namespace quantgate::rules {
namespace {

constexpr int kMostSteps = 8;

// Of a constant; nullopt = it is none, or not known.
std::optional<double> FactorOf(const Tensor* t) {
  return t == nullptr || !t->is_static ? std::nullopt : MagnitudeOf(*t);
}

// Of the rows that a norm writes; nullopt = it is another op, or its gain is not known.
std::optional<double> LengthOfNorm(const GraphView& g, int32_t op, const LengthSets& sets) {
  if (g.Is(op, sets.length_norms)) return 1;
  const Tensor* out = g.output(op);
  if (!g.Is(op, sets.rms_norms) || out == nullptr || out->dims.empty() || g.op(op).inputs.size() > 2) {
    return std::nullopt;
  }
  const auto gain = g.input(op, 1) == nullptr ? std::optional(1.0) : FactorOf(g.input(op, 1));
  if (!gain || out->dims.back() < 1) return std::nullopt;
  return *gain * std::sqrt(static_cast<double>(out->dims.back()));
}

}  // namespace

std::optional<double> LengthBound(const GraphView& g, TensorId id, const LengthSets& sets) {
  double factor = 1;
  for (int step = 0; step < kMostSteps && id != kNoTensor; ++step) {
    const int32_t op = g.Producer(id);
    if (op < 0) return std::nullopt;
    if (const auto length = LengthOfNorm(g, op, sets)) return factor * *length;
    size_t port = 0;
    if (g.Is(op, sets.products) && g.op(op).inputs.size() == 2) {
      port = g.input(op, 0) != nullptr && g.input(op, 0)->is_static ? 1 : 0;
      const auto by = FactorOf(g.input(op, 1 - port));
      if (!by) return std::nullopt;
      factor *= *by;
    } else if (!g.Is(op, sets.moves)) {
      return std::nullopt;
    }
    id = g.op(op).inputs[port];
  }
  return std::nullopt;
}

}  // namespace quantgate::rules
