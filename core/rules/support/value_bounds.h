// Between which numbers the values of a tensor lie, by its encoding and the ops that make it.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_VALUE_BOUNDS_H_
#define QUANTGATE_CORE_RULES_SUPPORT_VALUE_BOUNDS_H_

#include <string_view>

#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/graph_view.h"

namespace quantgate::rules {

// A part of the settings of rules that ask for them.
struct BoundSets {
  SetMask shares = 0, signed_shares = 0;  // values from 0 to 1, from -1 to 1
  SetMask limits = 0;                     // cut at the params `low` and `high`
  SetMask relus = 0;                      // cut below 0
  SetMask adds = 0, products = 0;
  SetMask moves = 0;  // that hand on the values of their first input
  std::string_view low, high;
};

// Infinite at an end that is not known.
Interval ValueBounds(const GraphView& g, TensorId id, const BoundSets& sets);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_VALUE_BOUNDS_H_
