// Writes the image of a database. Equal databases give equal bytes.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_IMAGE_BUILDER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_IMAGE_BUILDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/database/compile/ir.h"

namespace quantgate::opdefs {

// ResourceExhausted when a table outgrows its index type.
absl::StatusOr<std::string> BuildImage(const Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_IMAGE_BUILDER_H_
