// Programs that do one verb, where programs for programs are: libexec/quantgate.
#ifndef QUANTGATE_TOOLS_QUANTGATE_PROGRAM_PROGRAM_BESIDE_H_
#define QUANTGATE_TOOLS_QUANTGATE_PROGRAM_PROGRAM_BESIDE_H_

#include <string>
#include <vector>

namespace quantgate::cli {

// This process becomes the program, with these arguments after its name; returns, with the exit
// status, only when it can't.
int RunProgramBeside(const std::string& verb, const std::string& program,
                     const std::vector<std::string>& arguments);

// As it was started: the program's name, then its arguments.
std::vector<std::string> ArgumentsOfThisProcess();

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_PROGRAM_PROGRAM_BESIDE_H_
