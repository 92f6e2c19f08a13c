#include "tools/quantgate/cli/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tools/quantgate/show/progress.h"

namespace quantgate::cli {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

absl::Status ErrnoStatus(const std::string& path, int error) {
  return absl::UnavailableError(path + ": " + std::strerror(error));
}

// The file a link leads to, so that the link survives the rename.
std::string Resolved(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string text = resolved;
  ::free(resolved);
  return text;
}

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

unsigned NewFileMask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

absl::StatusOr<Output> Output::Open(const std::string& path,
                                    const std::vector<std::string>& inputs) {
  Output output;
  if (path.empty() || path == "-") {
    output.descriptor_ = STDOUT_FILENO;
    return output;
  }
  output.path_ = Resolved(path);
  struct stat status = {};
  const bool exists = ::stat(output.path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return ErrnoStatus(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    output.descriptor_ = ::open(output.path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (output.descriptor_ < 0) return ErrnoStatus(path, errno);
    return output;
  }
  for (const std::string& input : inputs) {
    struct stat other = {};
    if (exists && ::stat(input.c_str(), &other) == 0 && SameFile(status, other)) {
      return absl::InvalidArgumentError(path + ": is an input too; name another output");
    }
  }
  output.temporary_ = output.path_ + ".XXXXXX";
  const SignalsWait until_it_is_known;
  output.descriptor_ = ::mkostemp(output.temporary_.data(), O_CLOEXEC);
  if (output.descriptor_ < 0) {
    const int error = errno;
    output.temporary_.clear();
    return ErrnoStatus(path, error);
  }
  output.unfinished_ = Unfinished(output.temporary_);
  // A file keeps its permissions; a new one gets those of any new file, not the private ones
  // of a temporary.
  ::fchmod(output.descriptor_, exists ? status.st_mode & 07777 : 0666 & ~NewFileMask());
  return output;
}

Output::Output(Output&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      unfinished_(std::move(other.unfinished_)),
      buffer_(std::exchange(other.buffer_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      closed_(other.closed_),
      status_(std::move(other.status_)) {}

Output::~Output() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void Output::Write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) Flush().IgnoreError();  // kept in status_ until Commit()
}

absl::Status Output::Flush() {
  std::string_view left = buffer_;
  const auto lines_of_its_own = Progress::GiveWay();
  while (!left.empty() && !closed_ && status_.ok()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      status_ = ErrnoStatus(path_.empty() ? "standard output" : path_, errno);
    }
  }
  buffer_.clear();
  return status_;
}

absl::Status Output::Commit() {
  Flush().IgnoreError();
  if (!status_.ok() || temporary_.empty()) return status_;
  if (::close(std::exchange(descriptor_, -1)) != 0) return ErrnoStatus(path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return ErrnoStatus(path_, errno);
  temporary_.clear();
  return absl::OkStatus();
}

bool Output::is_terminal() const { return ::isatty(descriptor_) == 1; }

}  // namespace quantgate::cli
