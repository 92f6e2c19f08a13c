// Large blocks on huge pages.
#ifndef QUANTGATE_CORE_BASE_HUGE_PAGES_H_
#define QUANTGATE_CORE_BASE_HUGE_PAGES_H_

#include <cstddef>
#include <vector>

namespace quantgate {

// Asks the system for huge pages where a block is so large that they pay; a hint, nothing depends on it. To be
// called before the block is written: the pages of a report on a million nodes, 4 KiB each, take 30 ms to get.
void PreferHugePages(void* block, size_t bytes);

// As reserve().
template <typename T>
void ReserveLarge(std::vector<T>& list, size_t count) {
  list.reserve(count);
  PreferHugePages(list.data(), list.capacity() * sizeof(T));
}

}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_HUGE_PAGES_H_
