// The Python package run by the command line, for what needs Python.
#ifndef QUANTGATE_TOOLS_QUANTGATE_PROGRAM_PYTHON_PROGRAM_H_
#define QUANTGATE_TOOLS_QUANTGATE_PROGRAM_PYTHON_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace quantgate::cli {

// `asked`; else the one beside this program, where a wheel puts both, that of the source tree this
// program was built in, or the first on PATH. It has the package quantgate. NotFound says why it
// can't be started, FailedPrecondition which one lacks the package.
absl::StatusOr<std::string> FindPython(const std::string& asked);

// Runs `python -m quantgate` with these arguments in place of this program. Returns only where that can't be:
// prints a line about it, in which `what` needs the package with its extra `extra`, and gives the exit status.
// `asked`: as of FindPython().
int BecomePythonPackage(const std::string& asked, const std::string& what, const std::string& extra,
                        const std::vector<std::string>& arguments);

// What a program prints on standard output; its standard error is dropped. The error is that output
// where the program fails.
absl::StatusOr<std::string> OutputOf(std::vector<std::string> command);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_PROGRAM_PYTHON_PROGRAM_H_
