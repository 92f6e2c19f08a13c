// The `when` of a constraint.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_CONDITIONS_H_
#define QUANTGATE_CORE_RULES_SUPPORT_CONDITIONS_H_

#include "core/rules/support/node_view.h"

namespace quantgate::rules {

// True when every condition holds. A condition about something unknown (a dynamic dimension, a
// param without value) doesn't hold: a constraint is never applied on a guess.
bool Applies(const NodeView& node, const opdb::ConstraintRow& constraint);

// Whether that is the same for all nodes of a form (core/validate/cache/node_form.h).
bool ConditionsReadFormOnly(const opdb::View& db, const opdb::ConstraintRow& constraint);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_CONDITIONS_H_
