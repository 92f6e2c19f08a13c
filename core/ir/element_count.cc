#include "core/ir/element_count.h"

namespace quantgate {

std::optional<int64_t> ElementCount(const int64_t* dims, size_t rank) {
  // A zero anywhere makes the product 0, but the others must still be sane.
  int64_t count = 1;
  bool empty = false;
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] == 0) empty = true;
    if (dims[i] <= 0) continue;
    if (__builtin_mul_overflow(count, dims[i], &count)) return std::nullopt;
  }
  return empty ? 0 : count;
}

}  // namespace quantgate
