// What tools on the way to the backend change: passes between resolve and validate.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_ROUTE_H_
#define QUANTGATE_CORE_LOWER_ROUTE_ROUTE_H_

#include <optional>

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace quantgate {

// What opdefs/routes says of the route; false where it has no document: nothing is changed then.
opdb::Tree DocumentOf(Route route, const opdb::View& database);

// Applies the route's passes to `resolved` in place; what they change is a finding on the node
// they serve. kDirect changes nothing.
// What the route does with inputs whose shape is not fixed, once a model; nothing where all are, or
// where nothing is known.
std::optional<Finding> DynamicShapesOf(Route route, const opdb::View& database, const Model& file);

void ApplyRoute(Route route, const Target& target, const opdb::View& database, Resolved& resolved);

// Chains that are not prepared on the arch of `report`: findings and verdicts are added to it. Once
// it has the verdicts of the nodes.
void AddUnprepared(Route route, const opdb::View& database, const Resolved& resolved,
                   Report& report);

// What runs, once `report` has the verdicts of the nodes.
AsRun DescribeRun(Route route, const opdb::View& database, const Model& file,
                  const Resolved& resolved, const Report& report);

// The route for a dialect where the user named none: that of the backend, else the usual one.
Route DefaultRoute(Dialect dialect, const Target& target, const opdb::View& database);
Route DefaultRoute(Dialect dialect);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_ROUTE_H_
