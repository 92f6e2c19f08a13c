// Source operators -> QNN ops, by the mappings of opdefs/resolve.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_RESOLVE_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_RESOLVE_H_

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "quantgate/model.h"
#include "quantgate/target.h"

namespace quantgate {

// `model` must outlive the result (a QNN model is referred to, not copied).
// `route`: the document of the route, whose rows about operators of the file are applied too.
Resolved Resolve(const Model& model, const Target& target, const opdb::View& database,
                 opdb::Tree route = {});

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_RESOLVE_H_
