#include <fmt/core.h>

#include <variant>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace storage_dtype {

using opdb::ArgKey;

// Integers of any width stand for each other (their value is what counts); floats don't.
bool Holds(const Subject& s) {
  const ParamValue* value = s.constraint.param >= 0 ? s.node.given(s.constraint.param) : nullptr;
  const auto want = Args(s.node, s.constraint).number(ArgKey::kDtype);
  if (value == nullptr || !want) return true;
  return !std::holds_alternative<double>(*value) || IsFloat(static_cast<Dtype>(*want));
}

void Explain(const Subject& s, Finding& f) {
  const auto want = Args(s.node, s.constraint).number(ArgKey::kDtype);
  f.found = "a real number";
  f.allowed = DtypeName(static_cast<Dtype>(*want));
  f.message = fmt::format("param {} of {} must be stored as {}", f.port, f.op, f.allowed);
  f.fixes.push_back(UnsafeFix(fmt::format("store {} as {}", f.port, f.allowed)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kStorageDtype, {.summary = "a param is stored in a type that the op does not support",
                                  .explanation = R"(## What it checks
A param is stored as the kind of value that the op declares: an integer, a real number, a flag, or
a tensor of these.

## Why
The library reads the bytes as the declared type. HTP's op validation refuses every other type of
every param of a declared type (asked of 2.47 and 2.51); of a param without one, such as Pad's
`pad_constant_value`, a constraint says what goes with the op's datatypes.

## Fix
Store the param in the type the message names. Of a Model, another integer type whose value fits
counts as equal; whoever calls QNN has to pass the declared one (UINT_32, not INT_32).

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                  .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace storage_dtype

const RuleEntry kStorageDtypeEntry = storage_dtype::kEntry;

}  // namespace quantgate::rules
