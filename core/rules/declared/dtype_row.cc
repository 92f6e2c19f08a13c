#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace dtype_row {

constexpr RuleEntry kEntry = {
    .rule = About(kDtypeRow, {.summary = "no dtype row of the op has these datatypes together",
                              .explanation = R"(## What it checks
The datatypes of all inputs and outputs of a node must match one row of the op: a row is one
accepted combination.

## Why
Op validation of the backend compares the whole combination. A mix that is in no row is refused,
usually with an error code and no word about which port is wrong.

## Fix
Change the ports the message names to the datatypes of the nearest row, or insert a Convert
before them. `quantgate query OP` prints all rows.

## References
Op rows of the documentation and of the measured libraries.
)",
                              .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace dtype_row

const RuleEntry kDtypeRowEntry = dtype_row::kEntry;

}  // namespace quantgate::rules
