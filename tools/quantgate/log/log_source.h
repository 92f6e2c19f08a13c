// A log from a file or standard input, a piece at a time.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_SOURCE_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_SOURCE_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace quantgate::cli {

// Hands over whole lines, at most about a megabyte at once; of a longer line what fits. "-" is
// standard input. UTF-16, as PowerShell writes it, arrives as ASCII. The error says the reason
// without the path.
absl::Status ReadLog(const std::string& path, const std::function<void(std::string_view)>& lines);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_SOURCE_H_
