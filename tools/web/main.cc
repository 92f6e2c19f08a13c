// The command line in a browser: the verbs that need nothing but files.
#include <exception>
#include <string>

#include "quantgate/quantgate.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/signals.h"
#include "tools/quantgate/cli/verbs.h"

int main(int argc, char** argv) {
  quantgate::cli::PrepareProcess();
  try {
    quantgate::cli::CommandLine line(
        "Says whether a quantized model fits an NPU backend, why not, and what to change.",
        "The page in a browser has these verbs alone.",
        [] { return std::string("quantgate " QUANTGATE_VERSION "\n"); });
    quantgate::cli::AddCheck(line);
    quantgate::cli::AddFix(line);
    quantgate::cli::AddPlan(line);
    quantgate::cli::AddTargets(line);
    return line.Run(argc, argv);
  } catch (const std::exception& error) {  // of the argument parser, or no memory
    return quantgate::cli::Fail(error.what());
  }
}
