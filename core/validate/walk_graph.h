// The rules between nodes.
#ifndef QUANTGATE_CORE_VALIDATE_WALK_GRAPH_H_
#define QUANTGATE_CORE_VALIDATE_WALK_GRAPH_H_

#include <memory>
#include <vector>

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/op_sets.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate {

// The rules between nodes that opdefs/rules has for one target, picked once.
class GraphRules {
 public:
  GraphRules(const opdb::View& db, const Target& target);

  // Appends what they find; verdicts of nodes follow. `report` has the findings of the nodes.
  void Walk(const Resolved& resolved, Report& report) const;

 private:
  struct Active {
    const rules::RuleEntry* entry;
    std::shared_ptr<const rules::Settings> settings;
  };
  struct Running {
    const Active* active;
    std::vector<Finding> found = {};
    double amount = 0;
  };

  // Findings of all rules, one rule after the other.
  std::vector<Finding> Collect(rules::GraphView& view, bool uncalibrated) const;

  const opdb::View* db_;
  Target target_;
  rules::OpSets sets_;
  std::vector<Active> active_;
  // Settings::priced_rules and priced_sets of all rules.
  std::vector<const Rule*> priced_;
  rules::SetMask priced_ops_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_WALK_GRAPH_H_
