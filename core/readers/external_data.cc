#include "core/readers/external_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "core/readers/text.h"

namespace quantgate {

std::string CheckExternalLocation(std::string_view location) {
  if (location.empty()) return "external data without a \"location\"";
  if (location.find('\0') != std::string_view::npos || location.size() > 4096) {
    return fmt::format("external data {} is not a file name", Quoted(location));
  }
  const std::filesystem::path path(location);
  bool leaves = path.is_absolute();
  for (const auto& part : path) leaves |= part == "..";
  if (!leaves) return {};
  return fmt::format("external data {} is outside the model's directory", Quoted(location));
}

std::optional<std::string> ReadExternal(std::string_view directory, std::string_view location,
                                        int64_t offset, size_t size, std::string* problem) {
  const std::filesystem::path path = std::filesystem::path(directory) / location;
  // Not blocking: a named pipe in place of the file must not hang the reader.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    *problem = fmt::format("external data {}: {}", Quoted(location), std::strerror(errno));
    return std::nullopt;
  }
  struct stat info {};
  std::string bytes;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    *problem = fmt::format("external data {} is not a file", Quoted(location));
  } else if (offset < 0 || offset > info.st_size ||
             size > static_cast<uint64_t>(info.st_size - offset)) {
    *problem = fmt::format("external data {} has {} bytes, {} at {} are needed", Quoted(location),
                           info.st_size, size, offset);
  } else {
    bytes.resize(size);
    size_t have = 0;
    while (have < size) {
      const ssize_t got =
          pread(fd, bytes.data() + have, size - have, offset + static_cast<off_t>(have));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      have += static_cast<size_t>(got);
    }
    if (have < size) *problem = fmt::format("external data {} can't be read", Quoted(location));
  }
  close(fd);
  if (!problem->empty()) return std::nullopt;
  return bytes;
}

}  // namespace quantgate
