// The rules between nodes.
#ifndef QUANTGATE_CORE_VALIDATE_WALK_GRAPH_H_
#define QUANTGATE_CORE_VALIDATE_WALK_GRAPH_H_

#include <string>
#include <vector>

#include "core/opdb/view.h"
#include "core/resolve/resolved.h"
#include "core/rules/op_sets.h"
#include "core/rules/rule_entry.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate {

// The rules with a `walk` that opdefs/rules has for one target, picked once.
class GraphRules {
 public:
  GraphRules(const opdb::View& db, const Target& target);

  bool empty() const { return active_.empty(); }
  // Appends what they find; verdicts of nodes follow. `report` has the findings of the nodes.
  void Walk(const Resolved& resolved, Report& report) const;

 private:
  struct Active {
    const rules::RuleEntry* entry;
    opdb::Tree settings;
    rules::SetMask needs;  // ops of one of these sets must be there; 0 = nothing must
    std::string note;
  };

  const opdb::View* db_;
  Target target_;
  rules::OpSets sets_;
  std::vector<Active> active_;
  // Findings about inserted conversions, and what these are.
  std::vector<const Rule*> priced_;
  rules::SetMask priced_ops_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_WALK_GRAPH_H_
