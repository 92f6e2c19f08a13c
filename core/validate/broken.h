// The constraints that a node breaks.
#ifndef QUANTGATE_CORE_VALIDATE_BROKEN_H_
#define QUANTGATE_CORE_VALIDATE_BROKEN_H_

#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/rules/support/node_view.h"
#include "core/validate/port_facts.h"
#include "core/validate/target_table.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate {

struct Broken {
  const ActiveConstraint* constraint;
  const Tensor* tensor;
  int element;
};
using BrokenList = absl::InlinedVector<Broken, 8>;

// Whether a constraint's conditions on ports may hold for nodes of these facts.
bool Passes(const Guard& guard, const PortFacts& facts);

// Whether the facts alone show that a constraint holds.
bool HoldsByFacts(const ActiveConstraint& active, const PortFacts& facts);

// Appends each tensor, or the node, of which a constraint doesn't hold.
void Evaluate(const rules::NodeView& node, const ActiveConstraint& active, BrokenList& broken);

// Appends a finding for each that decides: of several that one value breaks the most severe.
void ReportBroken(const TargetTable& table, const ActiveOp& op, const rules::NodeView& node, const PortFacts& facts,
                  const BrokenList& broken, std::vector<Finding>& findings);

// From `begin` on, by port, then by the rule's code: in before out, ports before params. Returns the worst
// consequence; accepted where there is none.
Consequence SortByPort(std::vector<Finding>& findings, size_t begin);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_BROKEN_H_
