// Values by the bytes that they were read from: parts of a network mostly repeat what others have,
// and share it then.
#ifndef QUANTGATE_CORE_READERS_REPEATS_H_
#define QUANTGATE_CORE_READERS_REPEATS_H_

#include <cstddef>
#include <string>
#include <type_traits>

#include "absl/container/flat_hash_map.h"

namespace quantgate {

// Copies of a T share what is large.
template <typename T>
class Repeats {
 public:
  static constexpr size_t kMostBytes = 1024;  // of a key

  // Null: none yet. Valid until the next Insert().
  const T* Find(const std::string& key) const {
    const auto at = known_.find(key);
    return at != known_.end() ? &at->second : nullptr;
  }
  void Insert(const std::string& key, const T& value) {
    constexpr size_t kMost = 4096;
    if (known_.size() < kMost && key.size() <= kMostBytes) known_.emplace(key, value);
  }

 private:
  absl::flat_hash_map<std::string, T> known_;
};

// Appends the bytes of a number to a key.
template <typename N>
void AppendKey(N number, std::string& key) {
  static_assert(std::is_arithmetic_v<N>);
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_REPEATS_H_
