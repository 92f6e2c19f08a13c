#include <fmt/core.h>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace missing_param {

bool Holds(const Subject& s) {
  return s.constraint.param < 0 || s.node.given(s.constraint.param) != nullptr;
}

void Explain(const Subject&, Finding& f) {
  f.found = "not given";
  f.allowed = "a value";
  f.message = fmt::format("param {} of {} is required", f.port, f.op);
  f.fixes.push_back(UnsafeFix(fmt::format("set {}", f.port)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kMissingParam, {.summary = "a param that the op needs is not given",
                                  .explanation = R"(## What it checks
Params without a default must be there.

## Why
The library refuses the node.

## Fix
Give the param.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                  .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace missing_param

const RuleEntry kMissingParamEntry = missing_param::kEntry;

}  // namespace quantgate::rules
