// Transposes that a tool moves down until an op meets them that it cannot take.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_MOVED_TRANSPOSES_H_
#define QUANTGATE_CORE_LOWER_ROUTE_MOVED_TRANSPOSES_H_

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "quantgate/report.h"

namespace quantgate {

// A finding at each reshape of the file that the document's `moved_transposes` describes.
void AddMovedTransposes(opdb::Tree document, const Resolved& resolved, Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_MOVED_TRANSPOSES_H_
