// Large blocks of memory on huge pages: a model of 100,000 nodes is 100 MB that are touched once, and
// with pages of 4 KiB the system's part of it took a quarter of a check's time.
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

// Sanitizers have an operator new of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define QUANTGATE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define QUANTGATE_SANITIZED
#endif
#endif

#if defined(__GLIBC__) && !defined(QUANTGATE_SANITIZED)
#include <sys/mman.h>

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() - kHugePage;  // that can be rounded up

void* Allocate(std::size_t size) {
  if (size < kHugePage || size > kMost) return std::malloc(size);
  void* const block = std::aligned_alloc(kHugePage, (size + kHugePage - 1) / kHugePage * kHugePage);
  if (block != nullptr) ::madvise(block, size, MADV_HUGEPAGE);  // a hint: nothing depends on it
  return block;
}

}  // namespace

void* operator new(std::size_t size) {
  for (;;) {
    if (void* const block = Allocate(size == 0 ? 1 : size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
#endif
