// A value whose copies share it until one of them is edited.
#ifndef QUANTGATE_SHARED_H_
#define QUANTGATE_SHARED_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

namespace quantgate {

// Reads like a `const T`; a default one is T() and takes no memory. Copies of one value may be read
// and dropped by several threads.
template <typename T>
class Shared {
 public:
  Shared() noexcept = default;
  Shared(T value) : box_(new Box{{1}, std::move(value)}) {}  // NOLINT: a value like T itself
  Shared(const Shared& other) noexcept : box_(other.box_) {
    if (box_ != nullptr) box_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {}
  Shared& operator=(const Shared& other) noexcept { return *this = Shared(other); }
  Shared& operator=(Shared&& other) noexcept {
    std::swap(box_, other.box_);
    return *this;
  }
  ~Shared() {
    if (box_ != nullptr) Drop(box_);
  }

  const T& get() const { return box_ != nullptr ? box_->value : Default(); }
  const T& operator*() const { return get(); }
  const T* operator->() const { return &get(); }
  operator const T&() const { return get(); }  // NOLINT: a value like T itself

  // To change it, for this copy alone. Valid until this is copied or assigned.
  T& Edit() {
    if (box_ == nullptr || box_->owners.load(std::memory_order_acquire) != 1) *this = Shared(get());
    return box_->value;
  }

  bool HasOwn() const { return box_ != nullptr; }  // false: it is the default one
  // Known to be equal without being compared.
  bool SharesWith(const Shared& other) const { return box_ == other.box_; }
  friend bool operator==(const Shared& a, const Shared& b) {
    return a.box_ == b.box_ || a.get() == b.get();
  }
  friend bool operator==(const Shared& a, const T& b) { return a.get() == b; }

 private:
  struct Box {
    std::atomic<int32_t> owners;
    T value;
  };

  static const T& Default() {
    static const T* const value = new T();  // never freed: others may end later
    return *value;
  }
  static void Drop(Box* box) {
    if (box->owners.load(std::memory_order_acquire) == 1 ||
        box->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete box;
    }
  }

  Box* box_ = nullptr;
};

// A value that few objects have: 8 bytes where there is none. Copies share it as above.
template <typename T>
class SharedOptional {
 public:
  SharedOptional() noexcept = default;
  SharedOptional(std::nullopt_t) noexcept {}            // NOLINT: as std::optional
  SharedOptional(T value) : value_(std::move(value)) {}  // NOLINT
  SharedOptional(std::optional<T> value) {               // NOLINT
    if (value) value_ = Shared<T>(*std::move(value));
  }

  SharedOptional& operator=(T value) {
    value_ = Shared<T>(std::move(value));
    return *this;
  }

  operator std::optional<T>() const {  // NOLINT: reads as one
    return value_.HasOwn() ? std::optional<T>(value_.get()) : std::nullopt;
  }
  explicit operator bool() const { return value_.HasOwn(); }
  const T& operator*() const { return value_.get(); }
  const T* operator->() const { return &value_.get(); }
  void reset() { value_ = {}; }
  friend bool operator==(const SharedOptional& a, const SharedOptional& b) {
    return bool{a} == bool{b} && a.value_ == b.value_;
  }

 private:
  Shared<T> value_;
};

}  // namespace quantgate

#endif  // QUANTGATE_SHARED_H_
