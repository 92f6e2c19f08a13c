#include "core/readers/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/text.h"
#include "core/readers/limits.h"
#include "core/readers/onnx/outline.h"
#include "core/readers/read_at.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

constexpr size_t kPipeChunk = size_t{1} << 16;
// Reading less than this ahead costs little memory and saves waiting for a disk page by page.
constexpr size_t kReadAheadBelow = size_t{16} << 20;

class Descriptor {
 public:
  Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (owned_ && fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

absl::Status ReadPipe(int fd, const FileBytes::FirstLook& first_look, std::string* out) {
  bool looked = false;
  for (;;) {
    const size_t size = out->size();
    if (size > kMaxPipeBytes) return Invalid("more than 2 GiB from a pipe; give a file instead");
    out->resize(size + kPipeChunk);
    const ssize_t got = read(fd, out->data() + size, kPipeChunk);
    out->resize(size + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Invalid(std::strerror(errno));
    if (got == 0) break;
    if (!looked) {
      looked = true;
      if (const absl::Status status = first_look(*out); !status.ok()) return status;
    }
  }
  return out->empty() ? Invalid("the input is empty") : absl::OkStatus();
}

// In a browser nothing is mapped: a file is read whole, and of a long ONNX file all but its
// weights, which stay where they are until they are wanted.
#ifdef __EMSCRIPTEN__
constexpr uint64_t kReadWhole = uint64_t{32} << 20;
constexpr uint64_t kMostText = uint64_t{1} << 30;

absl::StatusOr<std::string> Load(int fd, uint64_t size, const std::string& path) {
  const auto read = [fd](uint64_t at, char* out, size_t want) { return ReadAt(fd, at, out, want); };
  if (size > kReadWhole) {
    std::string begin(64, '\0');
    if (!read(0, begin.data(), begin.size())) return Invalid("the file can't be read");
    const absl::StatusOr<InputFormat> format = GuessFormat(path, begin);
    if (format.ok() && *format == InputFormat::kOnnx) {
      if (size > kMaxFileBytes) return Invalid("larger than 4 GiB");
      return onnx::Outline(size, std::filesystem::path(path).filename().string(), read);
    }
    if (size > kMostText) return Invalid("larger than 1 GiB, which is too much for a browser");
  }
  std::string bytes(static_cast<size_t>(size), '\0');
  if (!read(0, bytes.data(), bytes.size())) return Invalid("the file can't be read");
  return bytes;
}
#endif

}  // namespace

absl::StatusOr<FileBytes> FileBytes::Open(const std::string& path, const FirstLook& first_look) {
  const bool is_stdin = path == "-";
  const Descriptor fd(is_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC),
                      !is_stdin);
  if (fd.get() < 0) {
    return Invalid(errno == ENOENT ? "there is no such file" : std::strerror(errno));
  }
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) return Invalid(std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return Invalid("is a directory, not a model file");
  FileBytes file;
  if (!S_ISREG(info.st_mode)) {
    if (absl::Status status = ReadPipe(fd.get(), first_look, &file.read_); !status.ok())
      return status;
    return file;
  }
  if (info.st_size == 0) return Invalid("the file is empty");
#ifdef __EMSCRIPTEN__
  absl::StatusOr<std::string> loaded = Load(fd.get(), static_cast<uint64_t>(info.st_size), path);
  if (!loaded.ok()) return loaded.status();
  file.read_ = *std::move(loaded);
#else
  void* map = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (map == MAP_FAILED) return Invalid(std::strerror(errno));
  file.map_ = static_cast<char*>(map);
  file.size_ = static_cast<size_t>(info.st_size);
#endif
  return file;
}

void FileBytes::ExpectJumps() const {
  // Advice only: where it isn't taken, the file is read all the same.
  if (map_ != nullptr && size_ >= kReadAheadBelow) madvise(map_, size_, MADV_RANDOM);
}

void FileBytes::Forget(std::string_view part) const {
  if (map_ == nullptr || part.data() < map_ || part.data() >= map_ + size_) return;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (static_cast<size_t>(part.data() - map_) + page - 1) / page * page;
  const size_t end = (static_cast<size_t>(part.data() - map_) + part.size()) / page * page;
  if (end > begin) madvise(map_ + begin, end - begin, MADV_DONTNEED);
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)), size_(other.size_), read_(std::move(other.read_)) {}

FileBytes::~FileBytes() {
  if (map_ != nullptr) munmap(map_, size_);
}

}  // namespace quantgate
