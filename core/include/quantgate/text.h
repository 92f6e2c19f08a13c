// Text for people: names made safe to print, "did you mean", and lines for a terminal. For programs
// that print findings in a form of their own.
#ifndef QUANTGATE_TEXT_H_
#define QUANTGATE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

// Control characters as \xNN, bytes that aren't UTF-8 as U+FFFD, so that a name of a file can
// neither move the cursor nor break a line. At most `max_columns` characters: the middle of
// a longer text is replaced by an ellipsis. Line feeds become spaces.
std::string Printable(std::string_view text, size_t max_columns = 2000);

// At most `count` of `candidates`, nearest first, equal ones in the order given. A candidate is
// near when at most a third of `name` has to change (at least 1, at most 4 characters), or when
// one of both is the beginning of the other and 3 characters or longer. Case is ignored.
std::vector<std::string> Nearest(std::string_view name,
                                 std::span<const std::string_view> candidates, size_t count = 3);

// " (did you mean A, B or C?)", or "" when nothing is near. Ready to follow a message.
std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates);

// For any range of string-likes.
template <typename Range>
std::string DidYouMeanOf(std::string_view name, const Range& candidates) {
  const std::vector<std::string_view> views(std::begin(candidates), std::end(candidates));
  return DidYouMean(name, std::span<const std::string_view>(views));
}

// Columns of UTF-8 text, escape sequences of colours not counted: one per code point.
size_t Columns(std::string_view text);

// `text` padded with spaces to `columns`.
std::string PadRight(std::string text, size_t columns);
std::string PadLeft(std::string text, size_t columns);

// Lines of at most `columns`, broken at spaces only: a longer word keeps a line of its own, so
// that names can be copied whole.
std::vector<std::string> Wrap(std::string_view text, size_t columns);

// "1 node", "2 nodes": of nouns whose plural ends in s.
std::string Counted(size_t count, std::string_view noun);

std::string Join(std::span<const std::string> items, std::string_view separator = ", ");

enum class Style : uint8_t {
  kPlain,
  kBold,
  kDim,
  kRed,
  kGreen,
  kYellow,
  kBlue,
  kMagenta,
  kCyan,
  kGrey
};

// Text in the colours of a terminal; as it is where `color` is false.
class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}
  std::string operator()(Style style, std::string_view text, bool bold = false) const;

 private:
  bool color_;
};

}  // namespace quantgate

#endif  // QUANTGATE_TEXT_H_
