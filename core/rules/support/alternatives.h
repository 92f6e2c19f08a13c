// any_of: lists of constraints of which one must hold as a whole.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_ALTERNATIVES_H_
#define QUANTGATE_CORE_RULES_SUPPORT_ALTERNATIVES_H_

#include <string>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {

bool AnyHolds(const Subject& subject);
// Whether one holds that reads the form of the node only.
bool AnyHoldsByForm(const Subject& subject);
// What each of them lacks, where none holds: "in[0] rank 4; or stride 1 and dilation 1".
std::string AlternativesText(const Subject& subject);
// One for each alternative that can be met.
std::vector<Fix> AlternativeFixes(const Subject& subject);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_ALTERNATIVES_H_
