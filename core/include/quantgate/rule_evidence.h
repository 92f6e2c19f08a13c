// Where a rule comes from, and what the real library or provider said about its examples: what
// opdefs/rules has of it.
#ifndef QUANTGATE_RULE_EVIDENCE_H_
#define QUANTGATE_RULE_EVIDENCE_H_

#include <string>
#include <vector>

#include "quantgate/export.h"
#include "quantgate/rule.h"

namespace QUANTGATE_EXPORT quantgate {

struct RuleEvidence {
  struct Reported {
    std::string where, what;
  };
  struct Judged {
    std::string example;  // "bad", "ok": a fixture of the rule
    std::string by;       // "libQnnHtp 2.51.0 v73"; empty = nobody was asked
    std::string said;     // or why nobody was asked
  };
  std::string basis;  // what the check itself rests on; may be empty
  std::vector<Reported> reported;
  std::vector<Judged> judged;
};

// Of the embedded database; empty where it has none.
RuleEvidence EvidenceOf(const Rule& rule);

}  // namespace quantgate

#endif  // QUANTGATE_RULE_EVIDENCE_H_
