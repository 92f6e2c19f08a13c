// Files that keep their authors' lines: only those that are too long are broken.
#ifndef QUANTGATE_TOOLS_OPDEFC_LONG_LINES_H_
#define QUANTGATE_TOOLS_OPDEFC_LONG_LINES_H_

#include <string>
#include <string_view>

#include "core/database/compile/document/yaml.h"

namespace quantgate::opdefs {

// Routes, rules, recipes and mappings of source ops.
bool HasAuthorsLayout(std::string_view file);

// The text with each line that is longer than kColumns and ends with its value filled over several
// lines; a comment behind it goes above. Other lines stay.
std::string WithoutLongLines(std::string_view text, const Node& root);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_LONG_LINES_H_
