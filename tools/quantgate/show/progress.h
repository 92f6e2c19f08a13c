// Tells on a terminal that long work is alive; silent for its first second.
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_PROGRESS_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_PROGRESS_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace quantgate::cli {

// One line on stderr, "WORDS, 12 s", written over and wiped at the end. Does nothing where stderr
// is no terminal. One at a time.
class Progress {
 public:
  explicit Progress(std::string words);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // From now on the line says "COUNT WORDS".
  static void Tell(size_t count, std::string_view words);

  // Wipes the line, which stays away while the lock is held: for whoever writes to a terminal.
  static std::unique_lock<std::mutex> GiveWay();

 private:
  void Run();

  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_PROGRESS_H_
