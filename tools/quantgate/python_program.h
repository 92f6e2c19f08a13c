// The Python package run by the command line, for what needs Python.
#ifndef QUANTGATE_TOOLS_QUANTGATE_PYTHON_PROGRAM_H_
#define QUANTGATE_TOOLS_QUANTGATE_PYTHON_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace quantgate::cli {

// `asked`; else the one beside this program, where a wheel puts both, that of the source tree this
// program was built in, or the first on PATH. It has the package quantgate. NotFound says why it
// can't be started, FailedPrecondition which one lacks the package.
absl::StatusOr<std::string> FindPython(const std::string& asked);

// What a program prints on standard output; its standard error is dropped. The error is that output
// where the program fails.
absl::StatusOr<std::string> OutputOf(std::vector<std::string> command);

// Arguments for execvp(), valid as long as `words` is.
std::vector<char*> Pointers(std::vector<std::string>& words);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_PYTHON_PROGRAM_H_
