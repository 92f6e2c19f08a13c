// Checks one QNN op.
#ifndef QUANTGATE_CORE_VALIDATE_CHECK_NODE_H_
#define QUANTGATE_CORE_VALIDATE_CHECK_NODE_H_

#include <string>
#include <vector>

#include "core/lower/resolve/resolved.h"
#include "core/validate/cache/accepted_forms.h"
#include "core/validate/target_table.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate {

// Appends the op's findings (op, port, tensor and texts set; node and levels are the caller's)
// and returns the worst consequence, and what it rests on where nothing was found. kUnchecked comes
// with `reason`. An accepted node without findings fills `accepted` (unless null).
struct OpVerdict {
  Consequence consequence = Consequence::kAccepted;
  Basis basis = Basis::kMeasured;
};
OpVerdict CheckNode(const TargetTable& table, const Resolved& resolved, const Node& node,
                      std::vector<Finding>& findings, std::string& reason, AcceptedForm* accepted);

// Whether a node of an accepted form is seen to be accepted too. False = not known.
bool AcceptsForm(const TargetTable& table, const Resolved& resolved, const Node& node,
                 const AcceptedForm& form);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_CHECK_NODE_H_
