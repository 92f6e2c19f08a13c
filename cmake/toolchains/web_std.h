// What the standard library of emscripten 3.1 (libc++ 13) lacks of C++20, seen by every file of
// ours that is compiled for browsers. Programs there have one thread.
#if defined(__cplusplus) && __cplusplus >= 202002L
#include <atomic>
#include <charconv>

#include "absl/strings/charconv.h"

namespace std {

template <typename Float>
from_chars_result quantgate_from_chars(const char* first, const char* last, Float& value) {
  const auto [end, error] = absl::from_chars(first, last, value);
  return {end, error};
}
inline from_chars_result from_chars(const char* first, const char* last, float& value) {
  return quantgate_from_chars(first, last, value);
}
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  return quantgate_from_chars(first, last, value);
}

template <typename T>
class atomic_ref {
 public:
  explicit atomic_ref(T& object) : object_(&object) {}
  T load(memory_order = memory_order_seq_cst) const { return *object_; }
  T fetch_add(T more, memory_order = memory_order_seq_cst) const {
    const T before = *object_;
    *object_ += more;
    return before;
  }
  T fetch_sub(T less, memory_order = memory_order_seq_cst) const {
    const T before = *object_;
    *object_ -= less;
    return before;
  }

 private:
  T* object_;
};

}  // namespace std
#endif
