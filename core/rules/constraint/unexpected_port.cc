#include <fmt/core.h>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unexpected_port {

// A param that must be left out counts like a port. Of some only another value than the default.
bool Given(const Subject& s) {
  const int param = s.constraint.param;
  const bool any = s.constraint.kind != opdb::Kind::kDefaultOnly;
  return s.tensor != nullptr ||
         (param >= 0 && s.node.given(param) != nullptr && (any || !s.node.at_default(param)));
}

bool Holds(const Subject& s) { return !Given(s); }

void Explain(const Subject& s, Finding& f) {
  f.found = s.tensor != nullptr ? DescribeTensor(*s.tensor) : ParamText(s.node, s.constraint.param);
  f.allowed = "nothing";
  f.message = fmt::format("{} of {} is not supported here and must be left out", f.port, f.op);
  f.fixes.push_back(
      UnsafeFix(fmt::format("leave out {}, and compute what it did with an op of its own", f.port)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kUnexpectedPort, {.summary = "an input or output that the op does not have",
                                    .explanation = R"(## What it checks
Ports beyond the ones the op has, or ones this backend does not support, must be left out.

## Why
The library refuses them, or reads past them: a bias of a quantized MatMul, for example, is
accepted and never added.

## Fix
Leave the port out, and compute what it was for with an op of its own.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                    .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unexpected_port

const RuleEntry kUnexpectedPortEntry = unexpected_port::kEntry;

}  // namespace quantgate::rules
