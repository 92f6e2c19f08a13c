#include "tools/quantgate/show/markdown.h"

#include <algorithm>

#include "quantgate/text.h"

namespace quantgate::cli {
namespace {

class Renderer {
 public:
  Renderer(bool color, size_t width) : paint_(color), color_(color), width_(width) {}

  std::string Render(std::string_view markdown) && {
    while (!markdown.empty()) {
      const size_t end = markdown.find('\n');
      Line(markdown.substr(0, end));
      markdown.remove_prefix(end == std::string_view::npos ? markdown.size() : end + 1);
    }
    Paragraph();
    // One line feed at the end, whatever the source had.
    while (text_.ends_with("\n\n")) text_.pop_back();
    return std::move(text_);
  }

 private:
  void Line(std::string_view line) {
    if (line.starts_with("```")) {
      Paragraph();
      code_ = !code_;
      return;
    }
    if (code_) {
      text_ += "    " + paint_(Style::kCyan, line) + "\n";
      return;
    }
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view words = line.substr(indent);
    if (words.empty()) {
      Paragraph();
      if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
    } else if (words.starts_with('#')) {
      Paragraph();
      const size_t level = words.find_first_not_of('#');
      if (level == std::string_view::npos) return;
      text_ += paint_(Style::kBold, words.substr(words.find_first_not_of(' ', level))) + "\n";
    } else if (words.starts_with("- ") || words.starts_with("* ")) {
      Paragraph();
      bullet_ = true;
      paragraph_ = words.substr(2);
    } else if (words.starts_with('|')) {  // tables are aligned by whoever wrote them
      Paragraph();
      text_ += "  " + std::string(words) + "\n";
    } else {
      if (!paragraph_.empty()) paragraph_ += ' ';
      paragraph_ += words;
    }
  }

  void Paragraph() {
    if (paragraph_.empty()) return;
    std::string start = bullet_ ? "  • " : "  ";
    const size_t indent = Columns(start);
    for (const std::string& line : Wrap(paragraph_, width_ - indent)) {
      text_ += start + Inline(line) + "\n";
      start.assign(indent, ' ');
    }
    paragraph_.clear();
    bullet_ = false;
  }

  // `code`; without colours the backticks stay, they are readable as they are.
  // A span that goes on over a line break keeps its style.
  std::string Inline(std::string_view line) {
    if (!color_) return std::string(line);
    std::string text;
    while (!line.empty()) {
      const size_t tick = line.find('`');
      text += paint_(in_code_ ? Style::kCyan : Style::kPlain, line.substr(0, tick));
      if (tick == std::string_view::npos) break;
      in_code_ = !in_code_;
      line.remove_prefix(tick + 1);
    }
    return text;
  }

  const Painter paint_;
  const bool color_;
  const size_t width_;
  bool code_ = false, bullet_ = false, in_code_ = false;
  std::string paragraph_, text_;
};

}  // namespace

std::string RenderMarkdown(std::string_view markdown, bool color, size_t width) {
  return Renderer(color, width).Render(markdown);
}

}  // namespace quantgate::cli
