#include "core/report/text_page.h"

#include <algorithm>
#include <utility>

namespace quantgate {
namespace {

constexpr int kLeastWidth = 40;

}  // namespace

TextPage::TextPage(const TextOptions& options, size_t label_columns)
    : paint_(options.color),
      width_(static_cast<size_t>(std::max(options.width, kLeastWidth))),
      label_columns_(label_columns) {}

void TextPage::Line(std::string_view line) {
  text_ += line;
  text_ += '\n';
}

void TextPage::Wrapped(std::string_view text, Style style) {
  for (const std::string& line : Wrap(text, width_)) Line(paint_(style, line));
}

void TextPage::Labelled(std::string_view label, std::string_view content, Style style) {
  if (content.empty()) return;
  Hanging("  " + paint_(Style::kBlue, label, true), label_columns_, content, style);
}

void TextPage::Note(std::string_view note) {
  constexpr size_t kColumns = 6;
  Hanging(paint_(Style::kCyan, "note:", true), kColumns, note, Style::kPlain);
}

void TextPage::Hanging(std::string start, size_t columns, std::string_view content, Style style) {
  for (const std::string& line : Wrap(content, width_ - columns)) {
    Line(PadRight(std::move(start), columns) + paint_(style, line));
    start.clear();
  }
}

}  // namespace quantgate
