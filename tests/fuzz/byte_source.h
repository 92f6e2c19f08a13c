// Decisions out of a fuzzer's bytes: the same bytes, the same decisions. When they run out, zeros.
#ifndef QUANTGATE_TESTS_FUZZ_BYTE_SOURCE_H_
#define QUANTGATE_TESTS_FUZZ_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace quantgate::fuzz {

class ByteSource {
 public:
  ByteSource(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool empty() const { return at_ >= size_; }

  // Within [low, high].
  int64_t Int(int64_t low, int64_t high) {
    const auto range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    const uint64_t bits = range <= 256 ? Take<uint8_t>() : Take<uint64_t>();
    return range == 0 ? static_cast<int64_t>(bits) : low + static_cast<int64_t>(bits % range);
  }
  bool Flag() { return Int(0, 1) != 0; }
  // True once in `n`.
  bool OneIn(int n) { return Int(1, n) == n; }
  size_t Index(size_t count) {
    return static_cast<size_t>(Int(0, static_cast<int64_t>(count) - 1));
  }
  template <typename List>
  const auto& Pick(const List& list) {
    return list[Index(list.size())];
  }
  float Bits() { return Take<float>(); }

 private:
  template <typename T>
  T Take() {
    T value{};
    const size_t left = size_ - at_;
    std::memcpy(&value, data_ + at_, left < sizeof(T) ? left : sizeof(T));
    at_ += left < sizeof(T) ? left : sizeof(T);
    return value;
  }

  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

}  // namespace quantgate::fuzz

#endif  // QUANTGATE_TESTS_FUZZ_BYTE_SOURCE_H_
