// Two texts as a unified diff.
#ifndef QUANTGATE_TOOLS_OPDEFC_LINE_DIFF_H_
#define QUANTGATE_TOOLS_OPDEFC_LINE_DIFF_H_

#include <string>
#include <string_view>

namespace quantgate::opdefs {

// What `git apply` takes: "--- a/NAME", "+++ b/NAME", hunks with three lines of context. "" for
// equal texts.
std::string UnifiedDiff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_LINE_DIFF_H_
