#include "core/database/compile/document/errors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quantgate::opdefs {

std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  std::string out = "\"";
  for (const char c : text.substr(0, kShown)) out += absl::ascii_isprint(c) ? c : '?';
  return out + (text.size() > kShown ? "…\"" : "\"");
}

namespace {

// Names that a file holds come into the hints of reasons as they are.
std::string Printable(std::string_view text) {
  constexpr std::string_view kCut = "…";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kCut)) {
      out += kCut;
      i += kCut.size() - 1;
    } else {
      out += absl::ascii_isprint(static_cast<unsigned char>(text[i])) ? text[i] : '?';
    }
  }
  return out;
}

std::string Line(std::string_view file, int line, int column, const std::string& reason) {
  std::string place(file);
  if (line > 0) absl::StrAppend(&place, ":", line, ":", column);
  return absl::StrCat(place, ": ", Printable(reason));
}

}  // namespace

void Errors::Add(std::string_view file, int line, int column, std::string reason) {
  std::string text = Line(file, line, column, reason);
  if (std::find(lines_.begin(), lines_.end(), text) != lines_.end()) return;
  if (++count_ <= kMax) lines_.push_back(std::move(text));
}

void Errors::Warn(std::string_view file, int line, int column, std::string reason) {
  warnings_.push_back(Line(file, line, column, reason));
}

absl::Status Errors::status() const {
  if (empty()) return absl::OkStatus();
  std::string text = absl::StrJoin(lines_, "\n");
  if (count_ > lines_.size()) absl::StrAppend(&text, "\nand ", count_ - lines_.size(), " more");
  return absl::InvalidArgumentError(text);
}

}  // namespace quantgate::opdefs
