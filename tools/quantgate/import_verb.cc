// quantgate import --sdk-docs DIR [-o OUT]: the flags; the rest is quantgate-import.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <string>

#include "tools/quantgate/command_line.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/import.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {
namespace {

std::string FolderOfThisProgram() {
  std::array<char, PATH_MAX> path;
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return "";
  const std::string_view whole(path.data(), static_cast<size_t>(size));
  return std::string(whole.substr(0, whole.rfind('/')));
}

// Becomes the other program; returns only when it can't.
int RunImport(const ImportFlags& flags) {
  const std::string here = FolderOfThisProgram();
  const std::string installed = here + "/" QUANTGATE_LIBEXEC "/quantgate-import";
  // Packages that move programs to a folder of their own keep the two together.
  for (const std::string& program : {installed, here + "/quantgate-import"}) {
    ::execl(program.c_str(), "quantgate-import", flags.docs.c_str(), flags.sdk.c_str(),
            flags.out.c_str(), nullptr);
    if (errno != ENOENT) return Fail(program + ": " + std::strerror(errno));
  }
  return Fail("import: " + installed + " is missing; it belongs to quantgate");
}

}  // namespace

void AddImport(CommandLine& line) {
  auto flags = std::make_shared<ImportFlags>();
  line.AddVerb(
      "import", "Reads the op definition pages of your own QNN SDK",
      [flags] { return RunImport(*flags); },
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
