#include "tools/quantgate/log/log_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace quantgate::cli {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

class Source {
 public:
  explicit Source(int file) : file_(file), buffer_(kPieceBytes) {}

  absl::Status Read(const std::function<void(std::string_view)>& lines) {
    for (;;) {
      const ssize_t size = read(file_, buffer_.data() + used_, buffer_.size() - used_);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return absl::InvalidArgumentError(std::strerror(errno));
      if (size == 0) break;
      Take(static_cast<size_t>(size));
      const auto end =
          std::find(buffer_.rend() - static_cast<ptrdiff_t>(used_), buffer_.rend(), '\n');
      const auto whole = static_cast<size_t>(buffer_.rend() - end);
      if (whole > 0) HandOver(whole, lines);
      if (used_ == buffer_.size()) {  // a line without an end: its beginning is enough
        if (!inside_) HandOver(used_, lines);
        used_ = 0;
        inside_ = true;
      }
    }
    if (empty_) return absl::InvalidArgumentError("empty");
    if (used_ > 0) HandOver(used_, lines);
    return absl::OkStatus();
  }

 private:
  // `size` more bytes, without every other one where they are UTF-16.
  void Take(size_t size) {
    char* const begin = buffer_.data() + used_;
    if (empty_ && size >= 2) {
      const auto first = static_cast<unsigned char>(begin[0]);
      const auto second = static_cast<unsigned char>(begin[1]);
      wide_ = (first == 0xff && second == 0xfe) || (first == 0xfe && second == 0xff);
    }
    empty_ = false;
    const char* const end = wide_ ? std::remove(begin, begin + size, '\0') : begin + size;
    used_ += static_cast<size_t>(end - begin);
  }

  // Without the escape sequences that colour a terminal, "\033[31m". They may stand within a word.
  std::string_view WithoutColors(std::string_view text) {
    constexpr char kEscape = '\033';
    if (text.find(kEscape) == std::string_view::npos) return text;
    plain_.clear();
    while (!text.empty()) {
      const size_t escape = std::min(text.find(kEscape), text.size());
      plain_ += text.substr(0, escape);
      text.remove_prefix(escape);
      if (!text.starts_with("\033[")) {
        plain_ += text.substr(0, 1);
        text.remove_prefix(std::min<size_t>(1, text.size()));
        continue;
      }
      const size_t end = text.find_first_not_of("0123456789;", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + (text[end] != '\n'));
    }
    return plain_;
  }

  // The first `size` bytes, which end a line. The rest of one that was cut before isn't a line.
  void HandOver(size_t size, const std::function<void(std::string_view)>& lines) {
    std::string_view text(buffer_.data(), size);
    if (inside_) text.remove_prefix(std::min(text.find('\n'), text.size()));
    inside_ = false;
    if (!text.empty()) lines(WithoutColors(text));
    std::copy(buffer_.begin() + static_cast<ptrdiff_t>(size),
              buffer_.begin() + static_cast<ptrdiff_t>(used_), buffer_.begin());
    used_ -= size;
  }

  int file_;
  std::vector<char> buffer_;
  std::string plain_;  // of the buffer, without colours
  size_t used_ = 0;
  bool empty_ = true, wide_ = false;
  bool inside_ = false;  // the beginning of this line was handed over
};

}  // namespace

absl::Status ReadLog(const std::string& path, const std::function<void(std::string_view)>& lines) {
  if (path == "-") return Source(STDIN_FILENO).Read(lines);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return absl::InvalidArgumentError(std::strerror(errno));
  struct stat about;
  absl::Status status;
  if (fstat(file, &about) == 0 && S_ISDIR(about.st_mode)) {
    status = absl::InvalidArgumentError("is a directory");
  } else {
    status = Source(file).Read(lines);
  }
  close(file);
  return status;
}

}  // namespace quantgate::cli
