// Texts compiled into the command line tool (see CMakeLists.txt).
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_TEXTS_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_TEXTS_H_

#include <string_view>

namespace quantgate::cli {

// Fixtures of the rules, each after a line "==> SLUG/FILE".
extern const std::string_view kRuleExamples;

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_TEXTS_H_
