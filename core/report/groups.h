// Findings of one kind, reported together.
#ifndef QUANTGATE_CORE_REPORT_GROUPS_H_
#define QUANTGATE_CORE_REPORT_GROUPS_H_

#include <cstddef>
#include <vector>

#include "quantgate/checked.h"
#include "quantgate/report.h"

namespace quantgate {

// What one rule says about one node: where several ports break it alike, the first one stands
// for all.
struct Case {
  const Finding* first;
  std::vector<const Finding*> other_ports;
};

struct Group {
  std::vector<Case> cases;  // in the order of the report; never empty

  const Finding& first() const { return *cases.front().first; }
  size_t findings() const;
};

// The findings that count (all where `checked` is null) by kind and level, worst first; `each`: a
// group for every finding.
std::vector<Group> GroupsOf(const Report& report, const Checked* checked, bool each);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_GROUPS_H_
