// quantgate explain LOGFILE
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_EXPLAIN_LOG_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_EXPLAIN_LOG_H_

#include <string>

#include "quantgate/target.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/input.h"

namespace quantgate::cli {

struct LogFlags {
  std::string file, model, messages;  // the last two may be empty
  const TargetSpec& target;
  const RouteFlag& route;
  const ColorFlag& color;
  Format format;
};

// The exit status.
int ExplainLogFile(const LogFlags& flags);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_EXPLAIN_LOG_H_
