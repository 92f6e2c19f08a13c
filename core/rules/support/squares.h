// Squares, as a norm that is written out has them.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_SQUARES_H_
#define QUANTGATE_CORE_RULES_SUPPORT_SQUARES_H_

#include <cstdint>

#include "core/rules/support/graph_view.h"

namespace quantgate::rules {

// Whether an op is a product of a tensor with itself.
bool IsSquare(const GraphView& g, int32_t op, SetMask products);

// The op that makes the first input of `op` where it squares what it reads: a product of a tensor
// with itself, or a power of 2; -1 = none.
int32_t SquareBefore(const GraphView& g, int32_t op, SetMask products, SetMask powers);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_SQUARES_H_
