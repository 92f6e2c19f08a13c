// Constants that a tool computes anew and quantizes again before the backend gets them.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_REQUANTIZED_CONSTANTS_H_
#define QUANTGATE_CORE_LOWER_ROUTE_REQUANTIZED_CONSTANTS_H_

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"

namespace quantgate {

// A finding for every op that a row of the document's `requantized_constants` is about and whose
// constant is quantized.
void ReportRequantizedConstants(opdb::Tree document, Resolved& resolved);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_REQUANTIZED_CONSTANTS_H_
