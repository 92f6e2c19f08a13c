#include "core/readers/read_at.h"

#include <unistd.h>

#include <cerrno>

namespace quantgate {
namespace {

ssize_t ReadSome(int fd, uint64_t at, char* out, size_t size) {
#ifdef __EMSCRIPTEN__
  // Its pread() (3.1.6) drops the upper half of an offset.
  if (lseek(fd, static_cast<off_t>(at), SEEK_SET) < 0) return -1;
  return read(fd, out, size);
#else
  return pread(fd, out, size, static_cast<off_t>(at));
#endif
}

}  // namespace

bool ReadAt(int fd, uint64_t at, char* out, size_t size) {
  for (size_t have = 0; have < size;) {
    const ssize_t got = ReadSome(fd, at + have, out + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    have += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace quantgate
