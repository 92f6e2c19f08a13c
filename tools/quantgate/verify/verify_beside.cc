// `quantgate verify` of a tool that is linked statically: a program without a dynamic loader can
// load no backend library, so quantgate-verify does it.
#include "tools/quantgate/program/program_beside.h"
#include "tools/quantgate/verify/verify.h"

namespace quantgate::cli {

int RunVerify(const VerifyFlags& /*flags*/) {
  std::vector<std::string> arguments = ArgumentsOfThisProcess();
  if (!arguments.empty()) arguments.erase(arguments.begin());
  return RunProgramBeside("verify", "quantgate-verify", arguments);
}

}  // namespace quantgate::cli
