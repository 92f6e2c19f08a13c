// quantgate-verify: the verb `verify` as a program of its own, run by a tool that is linked
// statically.
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
    quantgate::cli::CommandLine line("A part of quantgate; see quantgate verify --help.", "", [] {
      return std::string("quantgate " QUANTGATE_VERSION "\n");
    });
    quantgate::cli::AddVerify(line);
    return line.Run(argc, argv);
  } catch (const std::exception& error) {  // of the argument parser, or no memory
    return quantgate::cli::Fail(error.what());
  }
}
