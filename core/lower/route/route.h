// What tools on the way to the backend change: passes between resolve and validate.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_ROUTE_H_
#define QUANTGATE_CORE_LOWER_ROUTE_ROUTE_H_

#include <optional>
#include <string_view>

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace quantgate {

// What opdefs/routes says of the route, whichever release is named with it; null where it has no document.
opdb::Tree DocumentOf(std::string_view route, const opdb::View& database);

// What the route does with inputs whose shape is not fixed, once a model; nothing where all are, or
// where nothing is known.
std::optional<Finding> DynamicShapesOf(opdb::Tree route, const Model& file);

// Applies the route's passes to `resolved` in place; what they change is a finding on the node
// they serve.
void ApplyRoute(opdb::Tree route, Resolved& resolved);

// Chains that are not prepared on the arch of `report`: findings and verdicts are added to it. Once
// it has the verdicts of the nodes.
void AddUnprepared(opdb::Tree route, const Resolved& resolved, Report& report);

// What runs, once `report` has the verdicts of the nodes.
AsRun DescribeRun(opdb::Tree route, const Model& file, const Resolved& resolved, const Report& report);

// UsualRoute() of quantgate/lower.h.
std::string_view UsualRouteOf(Dialect dialect, const Target& target, bool with_encodings, const opdb::View& database);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_ROUTE_H_
