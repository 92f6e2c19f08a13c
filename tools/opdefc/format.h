// `opdefc fmt`: one layout for op files, sources.yaml and targets.yaml.
#ifndef QUANTGATE_TOOLS_OPDEFC_FORMAT_H_
#define QUANTGATE_TOOLS_OPDEFC_FORMAT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace quantgate::opdefs {

// The file with one port, variant, constraint, … a line, in the order of the file. Comments stay:
// those on lines of their own before what follows them, those behind a value on its line.
// InvalidArgument: "FILE:LINE:COLUMN: reason" lines of a file that is no YAML, or that can't be
// laid out anew without loss (block scalars).
absl::StatusOr<std::string> Formatted(std::string_view text, std::string_view file);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_FORMAT_H_
