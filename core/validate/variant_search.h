// Which dtype rows a node matches, and what to say when none does.
#ifndef QUANTGATE_CORE_VALIDATE_VARIANT_SEARCH_H_
#define QUANTGATE_CORE_VALIDATE_VARIANT_SEARCH_H_

#include <array>
#include <cstdint>

#include "core/rules/node_view.h"
#include "core/validate/target_table.h"
#include "quantgate/report.h"

namespace quantgate {

// Dtypes of a node's ports as sets: the union over a variadic port, empty where a port isn't
// given or its dtype is unknown (an empty set fits every row).
struct PortDtypes {
  std::array<DtypeMask, rules::NodeView::kMaxPorts> masks;
  // Encodings of each port, as sets; empty = the port isn't given.
  std::array<EncodingMask, rules::NodeView::kMaxPorts> encodings;
  int count = 0;
  bool unknown = false;  // some given tensor has no dtype
  int unknown_port = -1;
};
PortDtypes DtypesOf(const rules::NodeView& node);

bool Matches(const DtypeMask* row, const PortDtypes& dtypes);

// QG202, QG203 or QG201, with the nearest row. `op.variants` has no match.
Finding ExplainNoRow(const TargetTable& table, const ActiveOp& op, const rules::NodeView& node,
                     const PortDtypes& dtypes);

// Ids of sources as a report prints them.
std::vector<std::string> SourceIds(const opdb::View& db, opdb::Slice<uint16_t> sources);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_VARIANT_SEARCH_H_
