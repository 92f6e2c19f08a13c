// Ops with dimensions that are not fixed, which a route does not hand over.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_DYNAMIC_DIMS_H_
#define QUANTGATE_CORE_LOWER_ROUTE_DYNAMIC_DIMS_H_

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"

namespace quantgate {

// One finding for a node of the file, at the first tensor of its ops that has such a dimension.
// Only where the route's document asks for it.
void RefuseDynamicDims(opdb::Tree document, Resolved& resolved);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_DYNAMIC_DIMS_H_
