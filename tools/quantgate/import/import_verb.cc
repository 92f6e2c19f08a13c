// quantgate import --sdk-docs DIR [-o OUT]: the flags; the rest is quantgate-import.
#include <memory>

#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/import/import.h"
#include "tools/quantgate/program/program_beside.h"

namespace quantgate::cli {

void AddImport(CommandLine& line) {
  auto flags = std::make_shared<ImportFlags>();
  line.AddVerb(
      "import", "Reads the op definition pages of your own QNN SDK",
      [flags] {
        return RunProgramBeside("import", "quantgate-import",
                                {flags->docs, flags->sdk, flags->out});
      },
      [flags](VerbFlags verb) {
        verb.Add({.name = "--sdk-docs",
                  .type = "DIR",
                  .words = "The SDK, or its folder docs/QNN/OpDef",
                  .required = true},
                 flags->docs);
        verb.Add({.name = "--sdk",
                  .type = "VERSION",
                  .words = "Its version, where the path doesn't say it"},
                 flags->sdk);
        verb.Add({.name = "-o,--output",
                  .type = "OUT",
                  .words = "New folder for the YAML, to use with --opdefs"},
                 flags->out);
        verb.Footer(
            "Every sentence becomes a constraint or is listed as unmapped.\n\nExamples:\n"
            "  quantgate import --sdk-docs qairt/2.39.0 -o qnn-2.39\n"
            "  quantgate check model.onnx --sdk 2.39 --opdefs qnn-2.39");
      });
}

}  // namespace quantgate::cli
