// What needs another program, where none can be started: Python.
#include "tools/quantgate/program/python_program.h"
#include "tools/quantgate/verify/fix_verify.h"

namespace quantgate::cli {

absl::StatusOr<RunComparison> VerifyFixed(const VerifyTask& /*task*/,
                                          const Database& /*database*/) {
  return absl::UnimplementedError(
      "--verify: runs models in Python, which a browser can't; use the command line tool");
}

absl::StatusOr<std::string> FindPython(const std::string& /*asked*/) {
  return absl::NotFoundError(
      "Python reads it, which a browser can't start; use the command line tool");
}

absl::StatusOr<std::string> OutputOf(std::vector<std::string> /*command*/) {
  return absl::UnimplementedError("a browser starts no program");
}

}  // namespace quantgate::cli
