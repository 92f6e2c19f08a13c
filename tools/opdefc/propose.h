// `opdefc propose`: edits of the database that a tool proposes, as a diff that a person accepts.
#ifndef QUANTGATE_TOOLS_OPDEFC_PROPOSE_H_
#define QUANTGATE_TOOLS_OPDEFC_PROPOSE_H_

#include <string>

#include "absl/status/statusor.h"

namespace quantgate::opdefs {

// `file`: a list of edits, JSON or YAML (opdefs/README.md has their forms), or a record of what
// others measured (quantgate/record.h), of which edits are made: what they can't say comes first, in
// lines that begin with #. The diff is for
// `git apply` in the working folder, each edit's `why` above it. InvalidArgument: one line
// "FILE:LINE:COLUMN: reason" each, also where the edited folder does not compile.
absl::StatusOr<std::string> Propose(const std::string& file, const std::string& folder);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_PROPOSE_H_
