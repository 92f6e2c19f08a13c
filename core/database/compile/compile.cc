#include "core/database/compile/compile.h"

#include <utility>

#include "core/database/compile/document/load.h"
#include "core/database/compile/from_view.h"
#include "core/database/compile/image_builder.h"

namespace quantgate::opdefs {
namespace {

absl::StatusOr<std::string> Compile(Ir ir, std::span<const std::string> folders,
                                    std::vector<std::string>* warnings) {
  for (const std::string& folder : folders) {
    if (absl::Status status = LoadFolder(folder, ir, warnings); !status.ok()) return status;
  }
  return BuildImage(ir);
}

}  // namespace

absl::StatusOr<std::string> CompileOpdefs(std::span<const std::string> folders,
                                          std::vector<std::string>* warnings) {
  return Compile({}, folders, warnings);
}

absl::StatusOr<std::string> CompileOverlay(const opdb::View& base,
                                           std::span<const std::string> folders,
                                           std::vector<std::string>* warnings) {
  return Compile(FromView(base), folders, warnings);
}

}  // namespace quantgate::opdefs
