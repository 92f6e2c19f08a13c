#include <fmt/core.h>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/alternatives.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unmet_alternatives {

void Explain(const Subject& s, Finding& f) {
  f.found = s.tensor != nullptr ? fmt::format("{} {}", DtypeName(s.tensor->dtype), Dims(*s.tensor))
                                : ParamText(s.node, s.constraint.param);
  f.allowed = AlternativesText(s);
  f.message = fmt::format("{} of {} needs {}", f.port, f.op, f.allowed);
  f.fixes = AlternativeFixes(s);
}

constexpr RuleEntry kEntry = {
    .rule =
        About(kUnmetAlternatives, {.summary = "none of the alternatives that the op offers holds",
                                   .explanation = R"(## What it checks
Some constraints offer alternatives: stride 1 or dilation 1, for example.

## Why
The kernels exist for those combinations only.

## Fix
Make one of the alternatives the message lists hold.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                   .status = RuleStatus::kStable}),
    .holds = AnyHolds,
    .explain = Explain,
    .holds_by_form = AnyHoldsByForm};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unmet_alternatives

const RuleEntry kUnmetAlternativesEntry = unmet_alternatives::kEntry;

}  // namespace quantgate::rules
