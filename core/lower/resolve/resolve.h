// Source operators -> QNN ops, by the mappings of opdefs/resolve.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_RESOLVE_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_RESOLVE_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "quantgate/model.h"
#include "quantgate/target.h"

namespace quantgate {

// `model` must outlive the result (a QNN model is referred to, not copied).
// `route`: the document of the route, whose rows about operators of the file are applied too; `release` of its
// client, as in RouteName.
Resolved Resolve(const Model& model, const Target& target, const opdb::View& database,
                 opdb::Tree route = {}, std::string_view release = {});

// The constants that say a quantized tensor's scale and zero point; empty where there is none.
struct QuantizationConstants {
  SharedString scale, zero_point;
};
// Fills what Q and DQ nodes of the file say of the tensors that are keys.
void FindQuantizationConstants(
    const Model& model, const Target& target, const opdb::View& database,
    absl::flat_hash_map<std::string, QuantizationConstants>& tensors);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_RESOLVE_H_
