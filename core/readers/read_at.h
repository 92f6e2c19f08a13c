// A part of an open file.
#ifndef QUANTGATE_CORE_READERS_READ_AT_H_
#define QUANTGATE_CORE_READERS_READ_AT_H_

#include <cstddef>
#include <cstdint>

namespace quantgate {

// Fills `out` with `size` bytes from `at` on; false where they can't be read.
bool ReadAt(int fd, uint64_t at, char* out, size_t size);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_READ_AT_H_
