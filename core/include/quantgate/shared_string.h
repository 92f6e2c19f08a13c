// Text that is never changed: a name, an op, a reason. 16 bytes; copies share what is long.
#ifndef QUANTGATE_SHARED_STRING_H_
#define QUANTGATE_SHARED_STRING_H_

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

// Up to 15 bytes lie in the object, longer text in a block that copies share (counted, so that
// copies may be made and dropped by several threads). Reads like a std::string_view that owns its
// text; assigning replaces it. Always followed by a 0.
class SharedString {
 public:
  SharedString() noexcept { Clear(); }
  SharedString(std::string_view text) { Set(text); }              // NOLINT: as std::string does
  SharedString(const std::string& text) { Set(text); }            // NOLINT
  SharedString(const char* text) { Set(std::string_view(text)); }  // NOLINT
  SharedString(const SharedString& other) noexcept {
    std::memcpy(bytes_, other.bytes_, sizeof bytes_);
    if (IsShared()) Hold();
  }
  SharedString(SharedString&& other) noexcept {
    std::memcpy(bytes_, other.bytes_, sizeof bytes_);
    other.Clear();
  }
  SharedString& operator=(const SharedString& other) noexcept {
    if (IsShared() || other.IsShared()) return *this = SharedString(other);
    std::memcpy(bytes_, other.bytes_, sizeof bytes_);
    return *this;
  }
  SharedString& operator=(SharedString&& other) noexcept {
    char mine[sizeof bytes_];
    std::memcpy(mine, bytes_, sizeof mine);
    std::memcpy(bytes_, other.bytes_, sizeof mine);
    std::memcpy(other.bytes_, mine, sizeof mine);
    return *this;
  }
  ~SharedString() {
    if (IsShared()) Drop();
  }

  const char* data() const { return IsShared() ? Shared().block + kHeader : bytes_; }
  const char* c_str() const { return data(); }
  size_t size() const {
    return IsShared() ? Shared().size : kInline - static_cast<size_t>(bytes_[kInline]);
  }
  bool empty() const { return bytes_[kInline] == kInline; }
  std::string_view view() const { return {data(), size()}; }
  std::string str() const { return std::string(view()); }
  operator std::string_view() const { return view(); }  // NOLINT: as std::string does
  operator std::string() const { return str(); }        // NOLINT: a copy
  const char* begin() const { return data(); }
  const char* end() const { return data() + size(); }
  char operator[](size_t i) const { return data()[i]; }
  size_t find(std::string_view text, size_t from = 0) const { return view().find(text, from); }
  size_t rfind(std::string_view text, size_t from = std::string_view::npos) const {
    return view().rfind(text, from);
  }
  std::string_view substr(size_t from, size_t count = std::string_view::npos) const {
    return view().substr(from, count);
  }
  // Another text for this copy alone.
  SharedString& operator+=(std::string_view more) { return *this = str().append(more); }

  friend bool operator==(const SharedString& a, const SharedString& b) {
    if (std::memcmp(a.bytes_, b.bytes_, sizeof a.bytes_) == 0) return true;
    return a.IsShared() && b.IsShared() && a.view() == b.view();
  }
  template <std::convertible_to<std::string_view> T>
    requires(!std::same_as<T, SharedString>)
  friend bool operator==(const SharedString& a, const T& b) {
    return a.view() == std::string_view(b);
  }
  friend std::strong_ordering operator<=>(const SharedString& a, const SharedString& b) {
    return a.view().compare(b.view()) <=> 0;
  }
  friend std::string operator+(std::string a, const SharedString& b) {
    return std::move(a.append(b.view()));
  }
  friend std::string operator+(const SharedString& a, std::string_view b) {
    return a.str().append(b);
  }
  template <typename Char, typename Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                                      const SharedString& text) {
    return out << text.view();
  }
  template <typename H>
  friend H AbslHashValue(H state, const SharedString& text) {
    return H::combine(H::combine_contiguous(std::move(state), text.data(), text.size()),
                      text.size());
  }

 private:
  static constexpr size_t kInline = 15;      // bytes; bytes_[15] says how many of them are free
  static constexpr char kSharedTag = 0x7F;   // ... or that the text is shared
  static constexpr size_t kHeader = sizeof(uint32_t);  // of a block: its count of owners

  struct Pointer {
    char* block;
    uint32_t size;
  };
  Pointer Shared() const {
    Pointer p;
    std::memcpy(&p.block, bytes_, sizeof p.block);
    std::memcpy(&p.size, bytes_ + sizeof p.block, sizeof p.size);
    return p;
  }
  bool IsShared() const { return bytes_[kInline] == kSharedTag; }
  void Clear() {
    std::memset(bytes_, 0, sizeof bytes_);
    bytes_[kInline] = kInline;
  }
  void Set(std::string_view text) {
    if (text.size() > kInline) return Share(text);
    std::memset(bytes_, 0, sizeof bytes_);
    if (!text.empty()) std::memcpy(bytes_, text.data(), text.size());
    bytes_[kInline] = static_cast<char>(kInline - text.size());
  }
  void Share(std::string_view text);
  void Hold() const noexcept;
  void Drop() const noexcept;

  alignas(char*) char bytes_[kInline + 1];
};
static_assert(sizeof(SharedString) == 16);

}  // namespace quantgate

#endif  // QUANTGATE_SHARED_STRING_H_
