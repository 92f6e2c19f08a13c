// Tells on a terminal that long work is alive; silent for its first second.
#ifndef QUANTGATE_TOOLS_QUANTGATE_PROGRESS_H_
#define QUANTGATE_TOOLS_QUANTGATE_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace quantgate::cli {

// One line on stderr, written over and wiped at the end.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // "COUNT WORDS"
  void Tell(size_t count, std::string_view words);

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_PROGRESS_H_
