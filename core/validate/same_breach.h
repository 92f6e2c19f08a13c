// Several constraints of an op that one value breaks.
#ifndef QUANTGATE_CORE_VALIDATE_SAME_BREACH_H_
#define QUANTGATE_CORE_VALIDATE_SAME_BREACH_H_

#include "core/database/view.h"

namespace quantgate {

// Whether breaking both constraints is one breach: they are of one kind and about the same thing
// (port, and the dimension, element, aspect or other port that they name), as a documented rank
// and a measured one. Two lists of alternatives never are.
bool SameBreach(const opdb::View& db, const opdb::ConstraintRow& a, const opdb::ConstraintRow& b);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_SAME_BREACH_H_
