// `opdefc fmt`: one layout for the YAML of the database.
#ifndef QUANTGATE_TOOLS_OPDEFC_FORMAT_H_
#define QUANTGATE_TOOLS_OPDEFC_FORMAT_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/database/compile/document/yaml.h"

namespace quantgate::opdefs {

// The file with what fits on one line of kColumns on one line; what doesn't is filled over several,
// or divided: ops by section, rows, constraint and example, profiles by port, other files by entry.
// Keys of an op stand in one order, comments stay with what they speak of. Routes, rules, recipes
// and mappings keep their authors' lines; only those that are too long are broken.
// InvalidArgument: "FILE:LINE:COLUMN: reason" lines of a file that is no YAML, or that can't be
// laid out without loss (block scalars).
absl::StatusOr<std::string> Formatted(std::string_view text, std::string_view file);

// The same of what `edit` makes of the file's values. Nodes that it adds have the line of what they
// stand behind, so that comments stay where they are.
absl::StatusOr<std::string> Edited(std::string_view text, std::string_view file,
                                   const std::function<void(Node& root)>& edit);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_FORMAT_H_
