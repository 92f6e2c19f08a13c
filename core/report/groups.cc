#include "core/report/groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "core/report/words.h"
#include "quantgate/report_text.h"

namespace quantgate {
namespace {

// The findings of a node stand together, so a short look back finds the case.
std::vector<Case> Cases(const Report& report, const Checked* checked) {
  std::vector<Case> cases;
  size_t node_begin = 0;
  for (const Finding& finding : report.findings) {
    if (checked != nullptr && !checked->Counts(finding)) continue;
    if (cases.empty() || cases.back().first->node_index != finding.node_index ||
        finding.node_index < 0) {
      node_begin = cases.size();
    }
    const auto alike = std::find_if(
        cases.begin() + static_cast<std::ptrdiff_t>(node_begin), cases.end(),
        [&](const Case& other) {
          const Finding& first = *other.first;
          return first.rule == finding.rule && first.consequence == finding.consequence &&
                 first.level == finding.level && first.op == finding.op &&
                 first.op_index == finding.op_index && first.allowed == finding.allowed &&
                 first.port != finding.port;
        });
    if (alike == cases.end()) {
      cases.push_back({&finding, {}});
    } else {
      alike->other_ports.push_back(&finding);
    }
  }
  return cases;
}

bool OfOneKind(const Finding& a, const Finding& b) {
  return a.rule == b.rule && a.consequence == b.consequence && a.level == b.level;
}

std::vector<Group> ByKind(std::vector<Case> cases) {
  std::vector<Group> groups;  // at most one of each rule, consequence and level
  for (Case& reported : cases) {
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return OfOneKind(group.first(), *reported.first);
    });
    Group& group = at == groups.end() ? groups.emplace_back() : *at;
    group.cases.push_back(std::move(reported));
  }
  return groups;
}

}  // namespace

std::string FindingGroup(const Finding& finding) {
  return fmt::format("{}/{}", finding.rule->code, ConsequenceName(finding.consequence));
}

size_t Group::findings() const {
  size_t count = 0;
  for (const Case& reported : cases) count += 1 + reported.other_ports.size();
  return count;
}

std::vector<Group> GroupsOf(const Report& report, const Checked* checked, bool each) {
  std::vector<Group> groups;
  if (each) {
    for (const Finding& finding : report.findings) groups.push_back({{{&finding, {}}}});
  } else {
    groups = ByKind(Cases(report, checked));
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    const auto rank = [](const Group& group) {
      const Finding& first = group.first();
      return static_cast<int>(first.level) * kConsequenceCount + Severity(first.consequence);
    };
    return rank(a) > rank(b);
  });
  return groups;
}

}  // namespace quantgate
