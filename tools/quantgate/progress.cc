#include "tools/quantgate/progress.h"

#include <unistd.h>

namespace quantgate::cli {
namespace {

constexpr auto kBetween = std::chrono::milliseconds(200);

void Show(const std::string& text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::~Progress() {
  if (shown_) Show("\r\x1b[K");
}

void Progress::Tell(size_t count, std::string_view words) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  if (::isatty(STDERR_FILENO) != 1) return;
  Show("\r\x1b[K" + std::to_string(count) + " " + std::string(words));
  shown_ = true;
}

}  // namespace quantgate::cli
