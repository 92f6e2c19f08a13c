// What a constraint of an op is about: its ports and the tensors there.
#ifndef QUANTGATE_CORE_VALIDATE_SUBJECTS_H_
#define QUANTGATE_CORE_VALIDATE_SUBJECTS_H_

#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/conditions.h"
#include "core/rules/support/node_view.h"
#include "core/validate/target_table.h"

namespace quantgate {

// The tensors a constraint looks at, one call each.
template <typename F>
void ForEachTensor(const rules::NodeView& node, int port, bool wants_absent, F&& visit) {
  const int count = node.tensors(port).count;
  bool any = false;
  for (int i = 0; i < count; ++i) {
    const Tensor* tensor = node.tensor(port, i);
    if (tensor == nullptr) continue;
    any = true;
    visit(tensor, i);
  }
  if (!any && wants_absent) visit(nullptr, 0);
}

// What a constraint speaks of: itself (put onto a port where it is for all of them), and one
// tensor of its port.
template <typename F>
void ForEachSubject(const rules::NodeView& node, const ActiveConstraint& active, F&& visit) {
  const opdb::ConstraintRow& row = *active.row;
  if (row.port == opdb::kPortAll) {
    // `when` speaks of each port in turn.
    opdb::ConstraintRow at_port = row;
    for (int port = 0; port < node.port_count(); ++port) {
      if (!node.present(port)) continue;
      at_port.port = static_cast<int16_t>(port);
      if (!rules::Applies(node, at_port)) continue;
      ForEachTensor(node, port, false, [&](const Tensor* tensor, int element) {
        visit(rules::Subject{node, at_port, tensor, element});
      });
    }
    return;
  }
  if (!rules::Applies(node, row)) return;
  if (row.port < 0) {
    visit(rules::Subject{node, row});
    return;
  }
  ForEachTensor(node, row.port, active.entry->wants_absent, [&](const Tensor* tensor, int element) {
    if (rules::Means(row, element)) visit(rules::Subject{node, row, tensor, element});
  });
}

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_SUBJECTS_H_
