// How a broken constraint is reported where the node runs all the same. A rule says what must hold,
// which is right for what is refused or computed wrong; of what the documents alone ask for, or of
// advice, "must" would contradict the effect.
#ifndef QUANTGATE_CORE_VALIDATE_WORDING_H_
#define QUANTGATE_CORE_VALIDATE_WORDING_H_

#include "core/database/tables.h"
#include "core/database/view.h"
#include "quantgate/report.h"

namespace quantgate {

// Makes the message one of the row's consequence. `finding` has all else.
void WordByConsequence(const opdb::View& db, const opdb::ConstraintRow& row, Finding& finding);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_WORDING_H_
