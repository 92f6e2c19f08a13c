// `quantgate import` of a build without QUANTGATE_IMPORT.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "tools/quantgate/common.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {

Verb AddImport(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "import", "Reads the op definition pages of your own QNN SDK (not in this build)");
  // The flags of the real one, so that what is said is why and not which flag.
  auto ignored = std::make_shared<std::string>();
  for (const char* flag : {"--sdk-docs", "--sdk", "-o,--output"}) {
    verb->add_option(flag, *ignored)->group("");
  }
  return {verb, [ignored] {
            return Fail(
                "import: left out of this build, which has no HTML parser; build quantgate from "
                "source with -DQUANTGATE_IMPORT=ON");
          }};
}

}  // namespace quantgate::cli
