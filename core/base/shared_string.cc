#include "quantgate/shared_string.h"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>

namespace quantgate {
namespace {

std::atomic_ref<uint32_t> Owners(char* block) {
  return std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(block));
}

}  // namespace

void SharedString::Share(std::string_view text) {
  if (text.size() > std::numeric_limits<uint32_t>::max() - kHeader - 1) {
    throw std::length_error("SharedString: longer than 4 GiB");
  }
  Pointer p{static_cast<char*>(std::malloc(kHeader + text.size() + 1)),
            static_cast<uint32_t>(text.size())};
  if (p.block == nullptr) throw std::bad_alloc();
  new (p.block) uint32_t(1);
  std::memcpy(p.block + kHeader, text.data(), text.size());
  p.block[kHeader + text.size()] = 0;
  std::memset(bytes_, 0, sizeof bytes_);
  std::memcpy(bytes_, &p.block, sizeof p.block);
  std::memcpy(bytes_ + sizeof p.block, &p.size, sizeof p.size);
  bytes_[kInline] = kSharedTag;
}

void SharedString::Hold() const noexcept {
  Owners(Shared().block).fetch_add(1, std::memory_order_relaxed);
}

void SharedString::Drop() const noexcept {
  char* const block = Shared().block;
  const auto owners = Owners(block);
  // The only owner needs no locked instruction: nobody else can become one meanwhile.
  if (owners.load(std::memory_order_acquire) == 1 ||
      owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    std::free(block);
  }
}

}  // namespace quantgate
