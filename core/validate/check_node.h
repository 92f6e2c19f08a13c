// Checks one QNN op.
#ifndef QUANTGATE_CORE_VALIDATE_CHECK_NODE_H_
#define QUANTGATE_CORE_VALIDATE_CHECK_NODE_H_

#include <string>
#include <vector>

#include "core/lower/resolve/resolved.h"
#include "core/validate/cache/known_forms.h"
#include "core/validate/target_table.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate {

// Appends the op's findings (op, port, tensor and texts set; node and levels are the caller's)
// and returns the worst consequence, and what it rests on where nothing was found. kUnchecked comes
// with `reason`. `form` (unless null) is filled where it decides the next node of the same form.
struct OpVerdict {
  Consequence consequence = Consequence::kAccepted;
  Basis basis = Basis::kMeasured;
};
OpVerdict CheckNode(const TargetTable& table, const Resolved& resolved, const Node& node,
                    std::vector<Finding>& findings, std::string& reason, KnownForm* form);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_CHECK_NODE_H_
