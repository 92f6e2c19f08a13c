#include "quantgate/overlay.h"

#include <utility>

#include "core/database/compile/compile.h"

namespace quantgate {

absl::StatusOr<Database> WithOverlay(const Database& base, std::span<const std::string> folders,
                                     std::vector<std::string>* warnings) {
  absl::StatusOr<std::string> image = opdefs::CompileOverlay(base.view(), folders, warnings);
  if (!image.ok()) return image.status();
  return Database::FromImage(*std::move(image));
}

}  // namespace quantgate
