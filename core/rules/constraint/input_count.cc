#include <fmt/core.h>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"
#include "quantgate/text.h"

namespace quantgate::rules {
namespace input_count {

bool Holds(const Subject& s) {
  const auto min = Args(s.node, s.constraint).number(opdb::ArgKey::kMinM);
  return !min || static_cast<int64_t>(s.node.node().inputs.size()) >= *min + 1;
}

void Explain(const Subject& s, Finding& f) {
  f.found = Counted(s.node.node().inputs.size(), "input");
  f.allowed = fmt::format("at least {} inputs",
                          Args(s.node, s.constraint).number(opdb::ArgKey::kMinM).value_or(0) + 1);
  f.message = fmt::format("{} has {} and needs {}", f.op, f.found, f.allowed);
  f.fixes.push_back(UnsafeFix(fmt::format("connect {}, or remove the op", f.allowed)));
}

constexpr RuleEntry kEntry = {.rule = About(kInputCount, {.summary = "too few inputs",
                                                          .explanation = R"(## What it checks
Ops with any number of inputs need a smallest number of them.

## Why
The library refuses the node.

## Fix
Remove the op where it has one input, or connect the others.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                                          .status = RuleStatus::kStable}),
                              .holds = Holds,
                              .explain = Explain,
                              .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace input_count

const RuleEntry kInputCountEntry = input_count::kEntry;

}  // namespace quantgate::rules
