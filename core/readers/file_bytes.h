// The bytes of an input: mapped where it is a regular file, read where it is a pipe.
#ifndef QUANTGATE_CORE_READERS_FILE_BYTES_H_
#define QUANTGATE_CORE_READERS_FILE_BYTES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quantgate {

class FileBytes {
 public:
  // Sees the first bytes of a pipe before the rest is read: an endless pipe of something that is
  // no model is refused at once.
  using FirstLook = std::function<absl::Status(std::string_view)>;

  // "-" = stdin. Errors say the reason without the path.
  static absl::StatusOr<FileBytes> Open(const std::string& path, const FirstLook& first_look);

  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&&) = delete;
  FileBytes(const FileBytes&) = delete;
  ~FileBytes();

  // The reader will jump over most of the file: no page is loaded before it is touched.
  void ExpectJumps() const;

  // The whole pages of `part`, a view into bytes(), are not needed in memory any more; reading them
  // again stays possible.
  void Forget(std::string_view part) const;

  // The same for the first `size` bytes.
  void Forget(size_t size) const { Forget(bytes().substr(0, size)); }

  std::string_view bytes() const {
    return map_ != nullptr ? std::string_view(map_, size_) : std::string_view(read_);
  }

 private:
  FileBytes() = default;

  char* map_ = nullptr;
  size_t size_ = 0;
  std::string read_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_FILE_BYTES_H_
