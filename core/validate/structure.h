// What a node is checked against besides constraints: declared ports and params, encodings that fit
// their tensors.
#ifndef QUANTGATE_CORE_VALIDATE_STRUCTURE_H_
#define QUANTGATE_CORE_VALIDATE_STRUCTURE_H_

#include <vector>

#include "core/rules/support/node_view.h"
#include "core/validate/target_table.h"
#include "quantgate/report.h"

namespace quantgate {

// Missing and unexpected ports and params (QG505, QG506, QG507, QG510).
void CheckPortsAndParams(const TargetTable& table, const rules::NodeView& node,
                         std::vector<Finding>& findings);
// Params of an op that the file has as QNN's (QG312): op validation refuses every other kind of value
// than the declared one.
void CheckParamStorage(const TargetTable& table, const rules::NodeView& node,
                       std::vector<Finding>& findings);
// Numbers of scales, zero points and blocks (QG315), zero points outside of the type (QG308).
void CheckEncodingShapes(const TargetTable& table, const rules::NodeView& node,
                         std::vector<Finding>& findings);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_STRUCTURE_H_
