// Lines of a report for people, in colours and wrapped to the width of the terminal.
#ifndef QUANTGATE_CORE_REPORT_TEXT_PAGE_H_
#define QUANTGATE_CORE_REPORT_TEXT_PAGE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/report/reporter.h"
#include "quantgate/text.h"

namespace quantgate {

// What it is given is printed as it is: names of files go through Printable() first.
class TextPage {
 public:
  // `label_columns`: of "  found    ", before what Labelled() prints.
  explicit TextPage(const TextOptions& options, size_t label_columns = 0);

 protected:
  void Line(std::string_view line);
  void Wrapped(std::string_view text, Style style = Style::kPlain);
  // "  found    SFIXED_POINT_8 …", wrapped under its first word; nothing where `content` is empty.
  void Labelled(std::string_view label, std::string_view content, Style style = Style::kPlain);
  // "note: …", wrapped under its first word.
  void Note(std::string_view note);
  // What `print` adds to the page, taken off it.
  template <typename Print>
  std::string Captured(Print print) {
    std::string before = std::exchange(text_, {});
    print();
    return std::exchange(text_, std::move(before));
  }

  const Painter paint_;
  const size_t width_;
  std::string text_;

 private:
  // `start` before the first line, its columns before the others.
  void Hanging(std::string start, size_t columns, std::string_view content, Style style);

  const size_t label_columns_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_TEXT_PAGE_H_
