// The database a verb works with: the embedded one or that of a file, with folders of YAML over it.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_DATABASE_FLAGS_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_DATABASE_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "tools/quantgate/cli/command_line.h"

namespace quantgate::cli {

struct DatabaseFlags {
  std::string file;  // "" = the embedded database
  std::vector<std::string> folders;
  void Add(VerbFlags verb);
  // The result lives as long as the process. Errors are "FILE: reason" for the file, lines of
  // "FILE:LINE:COLUMN: reason" for folders.
  absl::StatusOr<const Database*> Load() const;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_DATABASE_FLAGS_H_
