// `quantgate import` of a build without QUANTGATE_IMPORT.
#include <memory>
#include <string>

#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/verbs.h"

namespace quantgate::cli {

void AddImport(CommandLine& line) {
  // The flags of the real one, so that what is said is why and not which flag.
  const auto ignored = std::make_shared<std::string>();
  line.AddVerb(
      "import", "Reads the op definition pages of your own QNN SDK (not in this build)",
      [ignored] {
        return Fail(
            "import: left out of this build, which has no HTML parser; build quantgate from "
            "source with -DQUANTGATE_IMPORT=ON");
      },
      [ignored](VerbFlags verb) {
        for (const char* flag : {"--sdk-docs", "--sdk", "-o,--output"}) {
          verb.Add({.name = flag, .words = "", .group = ""}, *ignored);
        }
      });
}

}  // namespace quantgate::cli
