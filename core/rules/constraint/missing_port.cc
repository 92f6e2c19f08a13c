#include <fmt/core.h>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace missing_port {

bool Holds(const Subject& s) {
  if (s.tensor != nullptr) return true;
  // Left out at the end of the inputs is not the same as written as absent.
  return Args(s.node, s.constraint).flag(opdb::ArgKey::kExact, false) &&
         static_cast<size_t>(s.constraint.port) >= s.node.node().inputs.size();
}

void Explain(const Subject&, Finding& f) {
  f.found = "not given";
  f.allowed = "a tensor";
  f.message = fmt::format("{} of {} is required", f.port, f.op);
  f.fixes.push_back(UnsafeFix(fmt::format("connect a tensor to {}", f.port)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kMissingPort, {.summary = "an input or output that the op needs is not given",
                                 .explanation = R"(## What it checks
Every input and output that is not optional must be there.

## Why
The library refuses the node.

## Fix
Connect the port.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                 .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .wants_absent = true,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace missing_port

const RuleEntry kMissingPortEntry = missing_port::kEntry;

}  // namespace quantgate::rules
