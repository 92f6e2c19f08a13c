// Rules that wait for calibration.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_AWAITS_NUMBERS_H_
#define QUANTGATE_CORE_RULES_SUPPORT_AWAITS_NUMBERS_H_

#include "core/database/tables.h"
#include "core/rules/raise.h"
#include "core/rules/rule_entry.h"
#include "quantgate/calibration.h"
#include "quantgate/model.h"

namespace quantgate::rules {

// Whether what a kind of constraint reads of numbers is known before calibration: which encodings
// will be the same, and which are symmetric.
constexpr bool ReadsStandIns(opdb::Kind kind) {
  return kind == opdb::Kind::kSymmetric || kind == opdb::Kind::kAsymmetric ||
         kind == opdb::Kind::kSameEncoding || kind == opdb::Kind::kFixedEncoding ||
         kind == opdb::Kind::kAnyOf;
}

// Whether the rule would read numbers that are stand-ins still: nothing can be reported then.
inline bool AwaitsNumbers(const RuleEntry& entry, const Subject& subject) {
  return !entry.reads_form_only && subject.tensor != nullptr &&
         !ReadsStandIns(subject.constraint.kind) && IsUncalibrated(subject.tensor->encoding);
}

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_AWAITS_NUMBERS_H_
