// Ops one after the other that a backend runs one by one, and not in this order.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_SEQUENCES_H_
#define QUANTGATE_CORE_LOWER_ROUTE_SEQUENCES_H_

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "core/lower/route/unprepared_parts.h"
#include "quantgate/report.h"

namespace quantgate {

// A finding at the last op of each sequence that a row of the document's `sequences`
// describes; nodes left to the CPU end one.
void AddSequences(opdb::Tree document, const Resolved& resolved, EndsByName& ends, Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_SEQUENCES_H_
