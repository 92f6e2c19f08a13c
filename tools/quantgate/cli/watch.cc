#include "tools/quantgate/cli/watch.h"

#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <thread>
#include <tuple>
#include <utility>

#include "tools/quantgate/cli/common.h"

namespace quantgate::cli {
namespace {

using State = std::vector<std::tuple<ino_t, off_t, time_t, long>>;

State StateOf(const std::vector<std::string>& files) {
  State state;
  for (const std::string& file : files) {
    struct stat status = {};
    if (::stat(file.c_str(), &status) != 0) status = {};
    state.emplace_back(status.st_ino, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec);
  }
  return state;
}

constexpr auto kPoll = std::chrono::milliseconds(200);

}  // namespace

void Watch(const std::vector<std::string>& files, const std::function<void()>& run) {
  for (;;) {
    const State seen = StateOf(files);
    run();
    Note("watching; Ctrl-C ends");
    while (StateOf(files) == seen) std::this_thread::sleep_for(kPoll);
    for (State now = StateOf(files);;) {
      std::this_thread::sleep_for(kPoll);
      State later = StateOf(files);
      if (later == now) break;
      now = std::move(later);
    }
  }
}

}  // namespace quantgate::cli
