// How long the rows of a tensor can be where a norm made them.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_LENGTH_BOUND_H_
#define QUANTGATE_CORE_RULES_SUPPORT_LENGTH_BOUND_H_

#include <optional>

#include "core/rules/support/graph_view.h"

namespace quantgate::rules {

struct LengthSets {
  SetMask length_norms = 0;  // rows of length 1
  SetMask rms_norms = 0;     // rows of length sqrt(N), times a gain
  SetMask products = 0;
  SetMask moves = 0;  // that leave values as they are; rows may be cut, which makes them shorter
};

// The largest Euclidean length of a row of `id`, of a norm, constant factors and moves behind it; nullopt where it has
// another origin or a number is not known.
std::optional<double> LengthBound(const GraphView& g, TensorId id, const LengthSets& sets);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_LENGTH_BOUND_H_
