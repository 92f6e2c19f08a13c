// Where a rule comes from, and how the real library or provider responds to its examples: the
// evidence of opdefs/rules.
#ifndef QUANTGATE_RULE_EVIDENCE_H_
#define QUANTGATE_RULE_EVIDENCE_H_

#include <string>
#include <vector>

#include "quantgate/export.h"
#include "quantgate/rule.h"

namespace QUANTGATE_EXPORT quantgate {

struct RuleEvidence {
  struct Reported {
    std::string where, what;  // "pytorch/executorch issue 17296", what was observed there
  };
  struct Judged {
    std::string example;  // "bad", "ok": a fixture of the rule
    std::string by;       // "libQnnHtp 2.51.0 v73"; empty = nothing was queried
    std::string said;     // its response, or why nothing was queried
  };
  std::string basis;  // what the check itself rests on; may be empty
  std::vector<Reported> reported;
  std::vector<Judged> judged;
};

// Of the embedded database; empty where it has none.
RuleEvidence EvidenceOf(const Rule& rule);

}  // namespace quantgate

#endif  // QUANTGATE_RULE_EVIDENCE_H_
