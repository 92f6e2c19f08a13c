// The command line: a thin layer over the library.
#include <exception>
#include <string>
#include <vector>

#include "quantgate/quantgate.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/signals.h"
#include "tools/quantgate/cli/verbs.h"

namespace quantgate::cli {
namespace {

std::string VersionText() {
  const Database& database = Database::Embedded();
  std::string text = "quantgate " QUANTGATE_VERSION;
  for (const std::string& backend : database.Backends()) {
    const std::vector<std::string> sdks = database.Sdks(backend);
    if (sdks.empty()) continue;
    text += "\n" + backend + ": SDK " + sdks.front() + " to " + sdks.back();
  }
  return text + "\n";
}

int Run(int argc, const char* const* argv) {
  CommandLine line(
      "Says whether a quantized model fits an NPU backend, why not, and what to change.",
      "Examples:\n"
      "  quantgate check model.onnx --soc SM8550\n"
      "  quantgate query Conv2d --arch v73\n"
      "  quantgate explain QG301\n\n"
      "quantgate VERB --help tells more.",
      VersionText);
  AddCheck(line);
  AddQuery(line);
  AddMatrix(line);
  AddDiff(line);
  AddTargets(line);
  AddExplain(line);
  AddConvert(line);
  AddFix(line);
  AddPlan(line);
  AddVerify(line);
  AddSweep(line);
  AddImport(line);
  AddCompletion(line);
  AddMan(line);
  return line.Run(argc, argv);
}

}  // namespace
}  // namespace quantgate::cli

int main(int argc, char** argv) {
  quantgate::cli::PrepareProcess();
  try {
    return quantgate::cli::Run(argc, argv);
  } catch (const std::exception& error) {  // of the argument parser, or no memory
    return quantgate::cli::Fail(error.what());
  }
}
