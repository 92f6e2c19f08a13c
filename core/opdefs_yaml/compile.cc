#include "core/opdefs_yaml/compile.h"

#include <utility>

#include "core/opdefs_yaml/from_view.h"
#include "core/opdefs_yaml/image_builder.h"
#include "core/opdefs_yaml/load.h"

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
