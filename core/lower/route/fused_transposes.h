// Reshape, Transpose, Reshape in more dimensions than the backend takes, which a tool writes with
// fewer.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_FUSED_TRANSPOSES_H_
#define QUANTGATE_CORE_LOWER_ROUTE_FUSED_TRANSPOSES_H_

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"

namespace quantgate {

// As the document's `fused_transposes` says: a dimension of size 1 that stays in its place is left
// out of the tensors before and after such a Transpose. Before the other passes.
void FuseTransposes(opdb::Tree document, Resolved& resolved);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_FUSED_TRANSPOSES_H_
