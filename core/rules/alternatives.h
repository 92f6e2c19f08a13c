// any_of: lists of constraints of which one must hold as a whole.
#ifndef QUANTGATE_CORE_RULES_ALTERNATIVES_H_
#define QUANTGATE_CORE_RULES_ALTERNATIVES_H_

#include <string>

#include "core/rules/rule_entry.h"

namespace quantgate::rules {

bool AnyHolds(const Subject& subject);
// Whether one holds that reads the form of the node only.
bool AnyHoldsByForm(const Subject& subject);
// "rank 4; or rank up to 3 and dimension 0 exactly 1"
std::string AlternativesText(const Subject& subject);

// Whether a constraint holds for all tensors of its port, its `when` included.
bool HoldsAsAWhole(const NodeView& node, const opdb::ConstraintRow& constraint);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_ALTERNATIVES_H_
