#include "tools/quantgate/cli/signals.h"

#include <fcntl.h>
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace quantgate::cli {
namespace {

// Read by signal handlers: no lock, no allocation.
struct Slot {
  std::atomic<bool> taken = false, filled = false;
  char path[PATH_MAX] = {};
};
constinit std::array<Slot, 8> slots;  // an output, a baseline; several only in theory
std::atomic<int> waiting = 0, came = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void RemoveUnfinished() {
  for (const Slot& slot : slots) {
    if (slot.filled) ::unlink(slot.path);
  }
}

void End(int number) {
  if (waiting > 0) {
    came = number;
    return;
  }
  RemoveUnfinished();
  constexpr std::string_view kWipe = "\r\x1b[K";  // a line of progress
  if (::isatty(STDERR_FILENO) == 1) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWipe.data(), kWipe.size());
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

[[noreturn]] void GiveUp(std::string_view words) {
  RemoveUnfinished();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, words.data(), words.size());
  ::_exit(2);
}

void FileBroke(int) {
  GiveUp("error: a file became shorter, or its disk failed, while it was read\n");
}

void TimeIsUp(int) { GiveUp("error: the time of --time-limit is up\n"); }

}  // namespace

void PrepareProcess() {
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      // The lowest free number is this one.
      ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (::signal(number, SIG_IGN) != SIG_IGN) ::signal(number, End);  // nohup stays
  }
  ::signal(SIGBUS, FileBroke);
#ifdef __GLIBC__
  // Large blocks always come from the system, and go back to it when they are freed: one that glibc
  // keeps for later costs a tenth of the memory of a large model. 128 KiB is where it begins.
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

void LimitTime(unsigned seconds) {
  ::signal(SIGALRM, TimeIsUp);
  ::alarm(seconds);
}

Unfinished::Unfinished(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].filled = true;
    slot_ = static_cast<int>(i);
    return;
  }
}

Unfinished::Unfinished(Unfinished&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

Unfinished& Unfinished::operator=(Unfinished&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

Unfinished::~Unfinished() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<size_t>(slot_)];
  slot.filled = false;
  slot.taken = false;
}

SignalsWait::SignalsWait() { ++waiting; }

SignalsWait::~SignalsWait() {
  if (--waiting > 0) return;
  if (const int number = came.exchange(0); number != 0) ::raise(number);
}

}  // namespace quantgate::cli
