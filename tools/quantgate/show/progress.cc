#include "tools/quantgate/show/progress.h"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace quantgate::cli {
namespace {

constexpr auto kSilence = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(200);

// The terminal's last line.
struct Line {
  std::mutex mutex;
  std::string words;
  bool shown = false;
};

Line& TheLine() {
  static Line& line = *new Line;
  return line;
}

void Show(const std::string& text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

void Wipe(Line& line) {
  if (std::exchange(line.shown, false)) Show("\r\x1b[K");
}

}  // namespace

Progress::Progress(std::string words) {
  if (::isatty(STDERR_FILENO) != 1) return;
  TheLine().words = std::move(words);
  thread_ = std::thread([this] { Run(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const auto lock = GiveWay();
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void Progress::Run() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Line& line = TheLine();
  std::unique_lock lock(line.mutex);
  for (auto wait = std::chrono::milliseconds(kSilence);
       !ended_.wait_for(lock, wait, [this] { return end_; }); wait = kBetween) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
    Show("\r\x1b[K" + line.words + ", " + std::to_string(seconds.count()) + " s");
    line.shown = true;
  }
}

void Progress::Tell(size_t count, std::string_view words) {
  Line& line = TheLine();
  const std::lock_guard lock(line.mutex);
  line.words = std::to_string(count) + " ";
  line.words += words;
}

std::unique_lock<std::mutex> Progress::GiveWay() {
  Line& line = TheLine();
  std::unique_lock lock(line.mutex);
  Wipe(line);
  return lock;
}

}  // namespace quantgate::cli
