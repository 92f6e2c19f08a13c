#include <fmt/core.h>

#include <algorithm>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace dynamic_shape {

bool Holds(const Subject& s) {
  const Args args(s.node, s.constraint);
  if (args.flag(opdb::ArgKey::kAllowed, false)) return true;
  // Those before are free.
  const auto first = std::clamp<int64_t>(args.number(opdb::ArgKey::kMin).value_or(0), 0,
                                         static_cast<int64_t>(s.tensor->dims.size()));
  return std::find(s.tensor->dims.begin() + first, s.tensor->dims.end(), kDynamicDim) ==
         s.tensor->dims.end();
}

void Explain(const Subject& s, Finding& f) {
  f.found = Dims(*s.tensor);
  f.allowed = "fixed dimensions";
  f.message = fmt::format("{} of {} has a dimension that is not fixed: {}", f.port, f.op, f.found);
  f.fixes.push_back(UnsafeFix("export the model with a static shape"));
}

constexpr RuleEntry kEntry = {.rule = About(kDynamicShape, {.summary = "a dimension is not fixed",
                                                            .explanation = R"(## What it checks
The backend prepares a graph for fixed shapes.

## Why
A symbolic dimension is refused at conversion, or makes the whole node fall back.

## Fix
Fix the dimension before quantizing: export with a static shape, or set the input shape.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                                            .status = RuleStatus::kStable}),
                              .holds = Holds,
                              .explain = Explain,
                              .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace dynamic_shape

const RuleEntry kDynamicShapeEntry = dynamic_shape::kEntry;

}  // namespace quantgate::rules
