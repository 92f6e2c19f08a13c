// Constraints that no version of a library can do without.
#ifndef QUANTGATE_CORE_DATABASE_SHAPE_ARITHMETIC_H_
#define QUANTGATE_CORE_DATABASE_SHAPE_ARITHMETIC_H_

#include "core/database/view.h"

namespace quantgate::opdb {

// Whether it says what dimensions must be by those of other tensors, or by params: a Reshape keeps the number
// of elements, the parts of a Concat add up. A limit of a backend ("at most 5 dimensions") says no such thing.
bool IsShapeArithmetic(const ConstraintRow& constraint, const View& db);

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_SHAPE_ARITHMETIC_H_
