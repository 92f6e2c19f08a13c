#ifndef QUANTGATE_CORE_RULES_SUPPORT_HALF_PRECISION_H_
#define QUANTGATE_CORE_RULES_SUPPORT_HALF_PRECISION_H_

// Of the rule about half precision (graph/half_precision_range.cc, which has its settings and looks at constants): what
// it makes of the numbers that an op computes.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/value_bounds.h"

namespace quantgate::rules::half_precision_range {

struct Own : Settings, BoundSets {
  SetMask quotients = 0, subtractions = 0, weighted = 0, powers = 0, sums = 0, orders = 0, angles = 0, selects = 0,
          casts = 0, lookups = 0, curves = 0, exponentials = 0, bounded_below = 0, maxima = 0, scores = 0,
          length_norms = 0, rms_norms = 0, long_sums = 0, floors = 0, quantizes = 0;
  double large_factor = 0;     // from here on a factor takes most of the range
  double most = 0, least = 0;  // of half precision
  double mask = 0;             // a factor from here on is no scale
  double least_exponent = 0;   // of which the exponential is right
  int64_t most_ordered = 0;    // values that it can tell apart
  int64_t most_ordered_scores = 0;  // the same of what a curve writes, which is less exact
  int64_t most_counted = 0;    // up to here it has every integer
  int64_t many_addends = 0;    // of which an ordinary mean makes the sum overflow
  // That compute FLOAT_32 in half precision too; others may, by an option of the graph.
  std::vector<std::string_view> half_routes;
};

inline bool IsHalf(const Tensor* t) {
  return t != nullptr && (t->dtype == Dtype::kFloat16 || t->dtype == Dtype::kFloat32);
}

// The number that all of a constant is; nullopt where it is none, or not known.
inline std::optional<double> NumberOf(const Tensor* t) {
  const auto range = t == nullptr || !t->is_static ? std::nullopt : RealRange(*t);
  return range && range->first == range->second ? std::optional(range->first) : std::nullopt;
}

// What an op reads, where it is computed in half precision; else null.
inline const Tensor* HalfInput(const GraphView& g, int32_t op, size_t port = 0) {
  const Tensor* in = g.input(op, port);
  return IsHalf(in) && !in->is_static ? in : nullptr;
}

// Whether a tensor is certainly computed with in half precision.
inline bool IsCertain(const GraphView& g, const Tensor& t) {
  return t.dtype == Dtype::kFloat16 || g.IsOnOneOf(g.settings<Own>().half_routes);
}

// Adds what half precision makes of casts, angles, exponentials, powers and orders. Whether the op is one of these.
bool VisitInexact(const GraphView& graph, int32_t op, GraphFindings& findings);
// Adds that products of long rows or sums of squares overflow, of an op whose output is in half precision.
void VisitOverflow(const GraphView& graph, int32_t op, GraphFindings& findings);

}  // namespace quantgate::rules::half_precision_range

#endif  // QUANTGATE_CORE_RULES_SUPPORT_HALF_PRECISION_H_
