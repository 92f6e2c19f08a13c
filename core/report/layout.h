// Lines of text for a terminal: width, wrapping, colours, and names made safe to print.
#ifndef QUANTGATE_CORE_REPORT_LAYOUT_H_
#define QUANTGATE_CORE_REPORT_LAYOUT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate {

// Control characters as \xNN, bytes that aren't UTF-8 as U+FFFD, so that a name of a file can
// neither move the cursor nor break a line. At most `max_columns` characters: the middle of
// a longer text is replaced by an ellipsis. Line feeds become spaces.
std::string Printable(std::string_view text, size_t max_columns = 2000);

// Columns of UTF-8 text, escape sequences of colours not counted: one per code point.
size_t Columns(std::string_view text);

// `text` padded with spaces to `columns`.
std::string PadRight(std::string text, size_t columns);
std::string PadLeft(std::string text, size_t columns);

// Lines of at most `columns`, broken at spaces only: a longer word keeps a line of its own, so
// that names can be copied whole.
std::vector<std::string> Wrap(std::string_view text, size_t columns);

std::string Join(std::span<const std::string> items, std::string_view separator = ", ");

enum class Style { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan, kGrey };

class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}
  std::string operator()(Style style, std::string_view text, bool bold = false) const;

 private:
  bool color_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_LAYOUT_H_
