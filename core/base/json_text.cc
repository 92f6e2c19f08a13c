#include "core/base/json_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/text.h"

namespace quantgate::json {
namespace {

// Where a string needs a closer look: its end, escapes, control characters.
constexpr std::array<bool, 256> kStopsString = [] {
  std::array<bool, 256> table = TableOf("\"\\");
  for (size_t c = 0; c < 0x20; ++c) table[c] = true;
  return table;
}();

// Strings are closed and hold no control characters, as they are.
Broken FindBrokenString(std::string_view text) {
  size_t control = std::string_view::npos;
  for (size_t i = text.find('"'); i != std::string_view::npos; i = text.find('"', i + 1)) {
    const size_t begin = i++;
    for (;; ++i) {
      while (i < text.size() && !In(kStopsString, text[i])) ++i;
      if (i >= text.size()) return {"the string is not closed", std::min(begin, control)};
      if (text[i] == '"') break;
      if (text[i] == '\\') {
        ++i;
      } else {
        control = std::min(control, i);
      }
    }
  }
  if (control == std::string_view::npos) return {};
  return {"control character in a string", control};
}

// Over the digits at the beginning; false when there are none.
bool SkipDigits(std::string_view& text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits > 0;
}

enum class Writing { kNone, kInteger, kFraction };

// Which number of JSON a token is.
Writing WritingOf(std::string_view token) {
  if (token.starts_with('-')) token.remove_prefix(1);
  const bool zero = token.starts_with('0');
  const std::string_view digits = token;
  if (!SkipDigits(token) || (zero && digits.size() - token.size() > 1)) return Writing::kNone;
  if (token.empty()) return Writing::kInteger;
  if (token.starts_with('.')) {
    token.remove_prefix(1);
    if (!SkipDigits(token)) return Writing::kNone;
  }
  if (token.starts_with('e') || token.starts_with('E')) {
    token.remove_prefix(1);
    if (token.starts_with('-') || token.starts_with('+')) token.remove_prefix(1);
    if (!SkipDigits(token)) return Writing::kNone;
  }
  return token.empty() ? Writing::kFraction : Writing::kNone;
}

// The nearest double; nothing where that is infinite.
std::optional<double> Nearest(std::string_view token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  // Said of what is too small for a double, too.
  if (error == std::errc::result_out_of_range)
    value = std::strtod(std::string(token).c_str(), nullptr);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// The four hexadecimal digits of an escape; nothing where they are none.
std::optional<uint32_t> HexDigits(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
  return error == std::errc() && end == text.data() + 4 ? std::optional(value) : std::nullopt;
}

void AppendUtf8(uint32_t code, std::string* out) {
  const auto put = [out](uint32_t byte) { *out += static_cast<char>(byte); };
  const auto rest = [&](int shift) { put(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    rest(6);
    rest(0);
  } else {
    put(0xF0 | code >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

// Takes `\uXXXX`, or the two of a surrogate pair, from the text behind the `u`.
bool AppendUnicode(std::string_view& text, std::string* out) {
  const auto first = HexDigits(text);
  if (!first) return false;
  text.remove_prefix(4);
  uint32_t code = *first;
  if (code >= 0xDC00 && code < 0xE000) return false;
  if (code >= 0xD800 && code < 0xDC00) {
    if (!text.starts_with("\\u")) return false;
    const auto second = HexDigits(text.substr(2));
    if (!second || *second < 0xDC00 || *second >= 0xE000) return false;
    text.remove_prefix(6);
    code = 0x10000 + ((code - 0xD800) << 10) + (*second - 0xDC00);
  }
  AppendUtf8(code, out);
  return true;
}

}  // namespace

Broken FindBroken(std::string_view text) {
  if (Broken broken = FindBrokenString(text); !broken.reason.empty()) return broken;
  if (text.find_first_not_of(kSpace) == std::string_view::npos) {
    return {"no JSON value", text.size()};
  }
  if (IsUtf8(text)) return {};
  // The line that is not.
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (!IsUtf8(text.substr(begin, end - begin))) return {"not UTF-8", begin};
    begin = end + 1;
  }
  return {"not UTF-8", 0};
}

bool Unescape(std::string_view text, std::string* out) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  while (!text.empty()) {
    const size_t plain = std::min(text.find('\\'), text.size());
    out->append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char escape = text[1];  // a string doesn't end behind a backslash
    text.remove_prefix(2);
    if (escape == 'u') {
      if (!AppendUnicode(text, out)) return false;
      continue;
    }
    const size_t known = kEscapes.find(escape);
    if (known == std::string_view::npos) return false;
    *out += kMeanings[known];
  }
  return true;
}

std::optional<double> ParseDouble(std::string_view token) {
  return WritingOf(token) == Writing::kNone ? std::nullopt : Nearest(token);
}

Number ParseNumber(std::string_view token) {
  switch (WritingOf(token)) {
    case Writing::kNone:
      return {};
    case Writing::kInteger:
      if (const auto number = ParseAll<int64_t>(token)) return *number;
      if (const auto number = ParseAll<uint64_t>(token)) return *number;
      return {};
    case Writing::kFraction:
      if (const auto number = Nearest(token)) return *number;
      return {};
  }
  return {};
}

}  // namespace quantgate::json
