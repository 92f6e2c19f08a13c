// Which of many texts a long text holds, in one pass over it (Aho and Corasick, 1975).
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LITERAL_INDEX_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LITERAL_INDEX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate::cli {

class LiteralIndex {
 public:
  using State = uint32_t;

  // Nothing is found twice for a text that is there twice: both numbers are given at its end.
  explicit LiteralIndex(std::span<const std::string_view> texts);

  static constexpr State kStart = 0;

  // The state after one more byte. Ends() of a state are the texts that end with this byte.
  State Next(State state, char byte) const {
    return next_[state * classes_ + class_[static_cast<unsigned char>(byte)]];
  }
  bool Hit(State state) const { return state >= first_hit_; }
  std::span<const uint32_t> Ends(State state) const;

 private:
  size_t classes_ = 1;  // of bytes; 0 = in none of the texts
  std::array<uint8_t, 256> class_ = {};
  std::vector<State> next_;  // [state][class]
  State first_hit_ = 0;      // states with texts that end there come last
  std::vector<uint32_t> begin_,
      ends_;  // of state first_hit_ + i: ends_[begin_[i] .. begin_[i + 1])
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LITERAL_INDEX_H_
