#include "core/readers/onnx/external_data.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/base/text.h"
#include "core/readers/read_at.h"

namespace quantgate {

namespace {

constexpr size_t kMaxLocationBytes = 4096;  // PATH_MAX of Linux

bool Within(const std::filesystem::path& path, const std::string& folder) {
  if (folder.empty()) return false;
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(folder, error);
  if (error) return false;
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end() && rest != path.end();
}

}  // namespace

ExternalData ExternalDataOf(const std::string& path, const std::string& given) {
  ExternalData data;
  if (path == "-") return data;
  const std::filesystem::path file(path);
  data.directory = file.parent_path().empty() ? "." : file.parent_path().string();
  data.given = given;
  std::error_code error;
  // Hugging Face's cache: a folder of links into one of files that are named by their hashes.
  if (std::filesystem::is_symlink(file, error)) {
    data.behind_link = std::filesystem::canonical(file, error).parent_path().string();
  }
  return data;
}

std::string CheckExternalLocation(std::string_view location, bool may_leave) {
  if (location.empty()) return "external data without a \"location\"";
  if (location.find('\0') != std::string_view::npos || location.size() > kMaxLocationBytes) {
    return fmt::format("external data {} is not a file name", Quoted(location));
  }
  const std::filesystem::path path(location);
  bool leaves = path.is_absolute();
  for (const auto& part : path) leaves |= part == "..";
  if (!leaves || may_leave) return {};
  return fmt::format("external data {} is outside the model's directory", Quoted(location));
}

namespace {

constexpr size_t kVisitedBytes = size_t{1} << 20;  // divisible by every element's size

// An open part of an external file; the problem instead where there is none.
class Part {
 public:
  Part(const ExternalData& data, std::string_view location, int64_t offset, size_t size)
      : location_(location), offset_(offset) {
    std::error_code error;
    const std::filesystem::path path =
        std::filesystem::canonical(std::filesystem::path(data.directory) / location, error);
    if (error) {
      problem_ =
          fmt::format("external data {}: {}", Quoted(location), std::strerror(error.value()));
      return;
    }
    if (!Within(path, data.directory) && !Within(path, data.behind_link) &&
        !Within(path, data.given)) {
      problem_ =
          fmt::format("external data {} leads out of the model's directory", Quoted(location));
      return;
    }
    // Not blocking: a named pipe in place of the file must not hang the reader.
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    struct stat info {};
    if (fd_ < 0) {
      problem_ = fmt::format("external data {}: {}", Quoted(location), std::strerror(errno));
    } else if (fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
      problem_ = fmt::format("external data {} is not a file", Quoted(location));
    } else if (offset < 0 || offset > info.st_size ||
               size > static_cast<uint64_t>(info.st_size - offset)) {
      problem_ = fmt::format("external data {} has {} bytes, {} at {} are needed", Quoted(location),
                             info.st_size, size, offset);
    }
  }
  ~Part() {
    if (fd_ >= 0) close(fd_);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  const std::string& problem() const { return problem_; }

  // Fills `out` from `at` bytes behind the part's begin.
  bool Read(size_t at, char* out, size_t size) {
    if (ReadAt(fd_, static_cast<uint64_t>(offset_) + at, out, size)) return true;
    problem_ = fmt::format("external data {} can't be read", Quoted(location_));
    return false;
  }

 private:
  std::string_view location_;
  int64_t offset_;
  int fd_ = -1;
  std::string problem_;
};

}  // namespace

std::optional<std::string> ReadExternal(const ExternalData& data, std::string_view location,
                                        int64_t offset, size_t size, std::string* problem) {
  Part part(data, location, offset, size);
  std::string bytes;
  if (part.problem().empty()) {
    bytes.resize(size);
    part.Read(0, bytes.data(), size);
  }
  *problem = part.problem();
  if (!problem->empty()) return std::nullopt;
  return bytes;
}

bool VisitExternal(const ExternalData& data, std::string_view location, int64_t offset, size_t size,
                   const std::function<void(std::string_view)>& visit) {
  Part part(data, location, offset, size);
  if (!part.problem().empty()) return false;
  std::string window(std::min(size, kVisitedBytes), '\0');
  for (size_t at = 0; at < size; at += window.size()) {
    const size_t now = std::min(window.size(), size - at);
    if (!part.Read(at, window.data(), now)) return false;
    visit(std::string_view(window).substr(0, now));
  }
  return true;
}

}  // namespace quantgate
