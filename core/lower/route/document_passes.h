// Passes of a route that its document under opdefs/routes describes.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_DOCUMENT_PASSES_H_
#define QUANTGATE_CORE_LOWER_ROUTE_DOCUMENT_PASSES_H_

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"

namespace quantgate {

// Only for a graph that `resolved` owns.
void ApplyDocument(opdb::Tree document, Resolved& resolved);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_DOCUMENT_PASSES_H_
