// Which of many texts a long text holds, in one pass over it: each is looked for by its key, the
// four bytes of it that fewest others have, and compared where they stand.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LITERAL_INDEX_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LITERAL_INDEX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace quantgate::cli {

class LiteralIndex {
 public:
  // The texts outlive it. An empty one is never found.
  explicit LiteralIndex(std::span<const std::string_view> texts);

  // A byte, not before `from`, of a text that is there, with none in the lines before; npos where
  // there is no text any more.
  size_t First(std::string_view in, size_t from) const;

  // Adds the numbers of all texts that are there; one may be added more than once.
  void FindAll(std::string_view in, std::vector<uint32_t>& found) const;

 private:
  static constexpr size_t kKeyBytes = 4;
  static constexpr size_t kBuckets = size_t{1} << 16;
  struct Text {
    std::string_view text;
    uint32_t number;
    uint32_t key_end;  // in the text
  };

  // Calls see(text, end of its key) for each long text that is there until it returns false.
  template <typename See>
  void Each(std::string_view in, size_t from, const See& see) const;

  std::vector<Text> texts_;              // by bucket
  std::vector<uint32_t> begin_;          // texts_[begin_[b] .. begin_[b + 1])
  std::array<bool, kBuckets> used_ = {};  // less to fetch than begin_
  std::vector<Text> short_;              // without a key
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LITERAL_INDEX_H_
