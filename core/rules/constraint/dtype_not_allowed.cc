#include <fmt/core.h>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace dtype_not_allowed {

using opdb::ArgKey;

bool Holds(const Subject& s) {
  if (s.tensor->dtype == Dtype::kUndefined) return true;
  const Args args(s.node, s.constraint);
  const DtypeMask dtype = MaskOf(s.tensor->dtype);
  if (const auto allowed = args.number(ArgKey::kAllowed)) {
    return (static_cast<DtypeMask>(*allowed) & dtype) != 0;
  }
  if (const auto denied = args.number(ArgKey::kDenied)) {
    return (static_cast<DtypeMask>(*denied) & dtype) == 0;
  }
  return true;
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  f.found = DtypeName(s.tensor->dtype);
  if (const auto allowed = args.number(ArgKey::kAllowed)) {
    f.allowed = DtypeList(static_cast<DtypeMask>(*allowed));
  } else {
    f.allowed = fmt::format("a datatype other than {}",
                            DtypeList(static_cast<DtypeMask>(*args.number(ArgKey::kDenied))));
  }
  f.message = fmt::format("{} of {} is {}; supported: {}", f.port, f.op, f.found, f.allowed);
  // The row to change to is found by who knows the rows of the target.
}

constexpr RuleEntry kEntry = {
    .rule = About(kDtypeNotAllowed,
                  {.summary = "the datatype of a port is not allowed in this situation",
                   .explanation = R"(## What it checks
Some ops allow a datatype only with certain params or other ports: ElementWiseBinary, for
example, supports other datatypes for each operation.

## Why
The row as a whole exists, so a look at the table alone would miss it; the library refuses.

## Fix
Use one of the datatypes the message lists.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                   .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace dtype_not_allowed

const RuleEntry kDtypeNotAllowedEntry = dtype_not_allowed::kEntry;

}  // namespace quantgate::rules
