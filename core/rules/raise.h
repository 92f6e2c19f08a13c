// Findings by the name of the rule that they break: Raise(rules::kOffsetSign, …).
#ifndef QUANTGATE_CORE_RULES_RAISE_H_
#define QUANTGATE_CORE_RULES_RAISE_H_

#include <string>

#include "core/base/rule_id.h"
#include "quantgate/report.h"

namespace quantgate::rules {

const Rule& RuleOf(RuleId id);

// What stands where, and what would be right, is added by who raises it.
Finding Raise(RuleId rule, Consequence consequence, SharedString message = {});

inline bool IsOf(const Finding& finding, RuleId rule) { return finding.rule == &RuleOf(rule); }

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_RAISE_H_
