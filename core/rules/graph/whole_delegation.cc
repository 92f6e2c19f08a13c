#include <fmt/core.h>

#include <string>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace whole_delegation {

void Walk(const GraphView& g, GraphFindings& findings) {
  const auto nodes = g.report().nodes;
  std::vector<std::string> refused;
  for (const NodeReport& node : nodes) {
    if (node.verdict == Consequence::kRejected) refused.emplace_back(node.name);
  }
  if (refused.empty() || refused.size() == nodes.size()) return;
  Finding& f = findings.Add(-1, Consequence::kRejected);
  f.message =
      fmt::format("{} of {} nodes {} refused, so {} runs nothing of the model", refused.size(),
                  nodes.size(), refused.size() == 1 ? "is" : "are", g.target().backend());
  f.found = Quoted(refused);
  f.allowed = "every node accepted";
  f.fixes.push_back({fmt::format("change {}", Quoted(refused)), false, {}});
}

constexpr RuleEntry kEntry = {
    .rule = About(kWholeDelegation,
                  {.summary = "the backend accepts a graph as a whole or not at all, and one node is refused",
                   .explanation = R"(## What it checks
On LPAI, whether every node of the model is supported.

## Why
LPAI runs a graph whole or not at all: there is no float and no fallback inside. One refused node, or
a Quantize or Dequantize in the middle, sends the whole model elsewhere.

## Fix
Change the refused nodes. Move the Quantize and Dequantize at the ends of the model out of it.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace whole_delegation

const RuleEntry kWholeDelegationEntry = whole_delegation::kEntry;

}  // namespace quantgate::rules
