// YAML folders -> database image. The only way from YAML into the library.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_COMPILE_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_COMPILE_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/database/view.h"

namespace quantgate::opdefs {

// Compiles the folders one over the other: what a later one names (an op, a soc, a source, a
// document) replaces the same of the earlier ones. The image is for Database::FromImage.
// InvalidArgument: up to 20 lines "FILE:LINE:COLUMN: reason".
// `warnings` (may be null) gets lines of the same form about what is legal and yet no use.
absl::StatusOr<std::string> CompileOpdefs(std::span<const std::string> folders,
                                          std::vector<std::string>* warnings = nullptr);

// The same over a compiled database, such as Database::Embedded().view().
absl::StatusOr<std::string> CompileOverlay(const opdb::View& base,
                                           std::span<const std::string> folders,
                                           std::vector<std::string>* warnings = nullptr);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_COMPILE_H_
