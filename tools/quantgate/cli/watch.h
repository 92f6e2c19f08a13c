// Runs something again whenever one of a few files changes.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_WATCH_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_WATCH_H_

#include <functional>
#include <string>
#include <vector>

namespace quantgate::cli {

// Never returns: a signal ends it. `run` is called at once and after each change of a file's
// size or time, when it has been quiet for a moment: exporters write for a while.
[[noreturn]] void Watch(const std::vector<std::string>& files, const std::function<void()>& run);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_WATCH_H_
