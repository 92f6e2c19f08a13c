// Which nodes of a model the messages of a log are about.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_NODES_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_NODES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"
#include "tools/quantgate/log/log_answer.h"

namespace quantgate::cli {

// Longest name of a node that is shown whole.
inline constexpr size_t kNodeColumns = 160;

// Checks the model and fills in `meant`. Tools name their ops after a node or one of its outputs,
// with words behind it ("/conv1/Conv_token_3", "linear_1_QuantizeLinear_OutputReshape") or every
// character that is no letter or digit replaced: the longest such beginning counts. The error is
// whole: "FILE:PLACE: reason".
absl::Status FindInModel(const std::string& path, const TargetSpec& spec, std::string_view route,
                         std::vector<LogFinding>& findings);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_NODES_H_
