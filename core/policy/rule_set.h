// Rules named by code, by name or by the beginning of a code.
#ifndef QUANTGATE_CORE_POLICY_RULE_SET_H_
#define QUANTGATE_CORE_POLICY_RULE_SET_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/rule.h"

namespace quantgate {

// "QG301", "asymmetric-encoding", "QG3" (all 3xx) or "ALL". InvalidArgument with did-you-mean.
absl::StatusOr<std::vector<const Rule*>> RulesNamed(std::string_view selector);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_POLICY_RULE_SET_H_
