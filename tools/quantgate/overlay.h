// The database a verb works with: the embedded one, or that with folders of YAML over it.
#ifndef QUANTGATE_TOOLS_QUANTGATE_OVERLAY_H_
#define QUANTGATE_TOOLS_QUANTGATE_OVERLAY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "tools/quantgate/command_line.h"

namespace quantgate::cli {

struct OpdefsFlag {
  std::vector<std::string> folders;
  void Add(VerbFlags verb);
  // The embedded database where no folder is given. The result lives as long as the process.
  // Errors are lines of "FILE:LINE:COLUMN: reason".
  absl::StatusOr<const Database*> Load() const;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_OVERLAY_H_
