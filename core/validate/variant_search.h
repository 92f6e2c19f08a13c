// Which dtype rows a node matches, and what to say when none does.
#ifndef QUANTGATE_CORE_VALIDATE_VARIANT_SEARCH_H_
#define QUANTGATE_CORE_VALIDATE_VARIANT_SEARCH_H_

#include <optional>
#include <string>
#include <vector>

#include "core/rules/support/node_view.h"
#include "core/validate/port_facts.h"
#include "core/validate/target_table.h"
#include "quantgate/report.h"

namespace quantgate {

inline bool Matches(const DtypeMask* row, const PortFacts& facts) {
  for (int i = 0; i < facts.count; ++i) {
    if ((facts.dtypes[i] & ~row[i]) != 0) return false;
  }
  return true;
}

// QG202, QG203 or QG201, with the nearest row. `op.variants` has no match.
Finding ExplainNoRow(const TargetTable& table, const ActiveOp& op, const rules::NodeView& node,
                     const PortFacts& facts);

// QG204: documents that list the datatypes port by port, and what is known of them together.
Finding ExplainMix(const TargetTable& table, const ActiveOp& op, const rules::NodeView& node,
                   const PortFacts& facts);

// For a broken constraint on dtypes: the row that is nearest to the node and keeps it. Nothing for
// other constraints, and where there is none.
std::optional<Fix> NearestRowFix(const TargetTable& table, const ActiveOp& op,
                                 const rules::Subject& broken, const PortFacts& facts);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_VARIANT_SEARCH_H_
