// Rows and constraints of an op as JSON, for every verb that shows them.
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_OP_JSON_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_OP_JSON_H_

#include "quantgate/database.h"
#include "tools/quantgate/cli/view_flags.h"

namespace quantgate::cli {

Json RowJson(const OpInfo::Variant& variant);
Json ConstraintJson(const OpInfo::Constraint& constraint);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_OP_JSON_H_
