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

// The rules with a `walk` that opdefs/rules has for one target, picked once.
class GraphRules {
 public:
  GraphRules(const opdb::View& db, const Target& target);

  // For graphs of which only a part is resolved; see RuleEntry::concerns.
  bool NeedAll(const Model& file) const;
  // Both must outlive the view.
  rules::GraphView View(const Resolved& resolved, const Report& report) const;
  // An op, and a rule that has to do with it, depending on numbers.
  struct Concern {
    int32_t op;
    size_t rule;
  };
  // Whether some rule has to do with an op whatever its numbers; those that depend on them are
  // added to `open`.
  bool ConcernsForm(const rules::GraphView& view, int32_t op, std::vector<Concern>& open) const;
  bool Concerns(const rules::GraphView& view, const Concern& concern) const;
  // Whether a finding of a node is to be completed by Walk.
  bool Completes(const Report& report) const;

  // Appends what they find; verdicts of nodes follow. `report` has the findings of the nodes.
  void Walk(const Resolved& resolved, Report& report) const;

 private:
  rules::GraphView View(const Resolved& resolved, const Report& report,
                        const std::vector<bool>& refused) const;

  struct Active {
    const rules::RuleEntry* entry;
    std::shared_ptr<const rules::Settings> settings;
    rules::SetMask concerned;  // RuleEntry::concerned_sets; 0 = any op
  };

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
