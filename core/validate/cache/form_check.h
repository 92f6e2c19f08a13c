// What is learnt from a node of a form, and what it says of the next one.
#ifndef QUANTGATE_CORE_VALIDATE_CACHE_FORM_CHECK_H_
#define QUANTGATE_CORE_VALIDATE_CACHE_FORM_CHECK_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "core/lower/resolve/resolved.h"
#include "core/rules/support/node_view.h"
#include "core/validate/broken.h"
#include "core/validate/cache/known_forms.h"
#include "core/validate/check_node.h"
#include "core/validate/target_table.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate {

// What the next node of this form has to show: `node` matched rows of `group`, and broke nothing but `broken`.
void Remember(const ActiveOp& op, const rules::NodeView& node, const PortFacts& facts, size_t group,
              const BrokenList& broken, KnownForm& form);

// As CheckNode() of a node of a known form; nothing where it has to be checked in full.
std::optional<OpVerdict> CheckByForm(const TargetTable& table, const Resolved& resolved, const Node& node,
                                     const KnownForm& form, std::vector<Finding>& findings);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_CACHE_FORM_CHECK_H_
