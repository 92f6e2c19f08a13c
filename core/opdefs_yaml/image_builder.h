// Writes the image of a database. Equal databases give equal bytes.
#ifndef QUANTGATE_CORE_OPDEFS_YAML_IMAGE_BUILDER_H_
#define QUANTGATE_CORE_OPDEFS_YAML_IMAGE_BUILDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/opdefs_yaml/ir.h"

namespace quantgate::opdefs {

// ResourceExhausted when a table outgrows its index type.
absl::StatusOr<std::string> BuildImage(const Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_OPDEFS_YAML_IMAGE_BUILDER_H_
