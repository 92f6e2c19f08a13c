#include "quantgate/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace quantgate {
namespace {

// Length in bytes of the UTF-8 sequence at `text[i]`, nullopt where it is none (RFC 3629).
std::optional<size_t> SequenceAt(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<uint8_t>(text[k]); };
  const uint8_t lead = byte(i);
  if (lead < 0x80) return 1;
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || i + size > text.size()) return std::nullopt;
  for (size_t k = 1; k < size; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return std::nullopt;
  }
  const uint8_t second = byte(i + 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool too_large = lead == 0xF4 && second > 0x8F;
  if (overlong || surrogate || too_large) return std::nullopt;
  return size;
}

// Characters that steer a terminal although they aren't ASCII control characters: C1 controls
// and the marks that change the direction of writing.
bool Steers(std::string_view sequence) {
  if (sequence.size() == 2)
    return sequence[0] == '\xC2' && static_cast<uint8_t>(sequence[1]) < 0xA0;
  if (sequence.size() != 3 || sequence[0] != '\xE2') return false;
  const auto second = static_cast<uint8_t>(sequence[1]);
  const auto third = static_cast<uint8_t>(sequence[2]);
  // U+200E, U+200F, U+2028..U+202E, U+2066..U+2069.
  return (second == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xA8 && third <= 0xAE))) ||
         (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

// Byte position of the `n`-th code point.
size_t Position(std::string_view text, size_t n) {
  size_t i = 0;
  for (; i < text.size(); ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xC0) == 0x80) continue;
    if (n-- == 0) break;
  }
  return i;
}

}  // namespace

std::string Printable(std::string_view text, size_t max_columns) {
  // Work and memory follow what will be shown, not what a hostile file holds.
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  if (text.size() <= max_columns && std::all_of(text.begin(), text.end(), plain)) {
    return std::string(text);
  }
  const size_t most_bytes = 4 * max_columns + 16;
  std::string cut;
  if (text.size() > 2 * most_bytes) {
    cut.append(text.substr(0, most_bytes)).append(text.substr(text.size() - most_bytes));
    text = cut;
  }
  std::string safe;
  safe.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const std::optional<size_t> size = SequenceAt(text, i);
    if (!size) {
      safe += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    const std::string_view sequence = text.substr(i, *size);
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte == '\n' || byte == '\t') {
      safe += ' ';
    } else if (byte < 0x20 || byte == 0x7F) {
      safe += fmt::format("\\x{:02x}", byte);
    } else if (Steers(sequence)) {
      safe += "\xEF\xBF\xBD";
    } else {
      safe += sequence;
    }
    i += *size;
  }
  const size_t columns = Columns(safe);
  if (columns <= max_columns) return safe;
  const size_t head = max_columns / 2;
  const size_t tail = max_columns - head - 1;
  return safe.substr(0, Position(safe, head)) + "…" + safe.substr(Position(safe, columns - tail));
}

std::string Counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

size_t Columns(std::string_view text) {
  size_t columns = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
      if (i == std::string_view::npos) break;
      continue;
    }
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80) ++columns;
  }
  return columns;
}

std::string PadRight(std::string text, size_t columns) {
  const size_t used = Columns(text);
  if (used < columns) text.append(columns - used, ' ');
  return text;
}

std::string PadLeft(std::string text, size_t columns) {
  const size_t used = Columns(text);
  if (used < columns) text.insert(0, columns - used, ' ');
  return text;
}

std::vector<std::string> Wrap(std::string_view text, size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  size_t used = 0;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (word.empty()) continue;
    const size_t width = Columns(word);
    if (used > 0 && used + 1 + width > columns) {
      lines.push_back(std::move(line));
      line.clear();
      used = 0;
    }
    if (used > 0) {
      line += ' ';
      ++used;
    }
    line += word;
    used += width;
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string Join(std::span<const std::string> items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += separator;
    text += item;
  }
  return text;
}

std::string Painter::operator()(Style style, std::string_view text, bool bold) const {
  if (!color_ || text.empty() || (style == Style::kPlain && !bold)) return std::string(text);
  std::string_view code;
  switch (style) {
    case Style::kPlain:
      break;
    case Style::kBold:
      code = "1";
      break;
    case Style::kDim:
      code = "2";
      break;
    case Style::kRed:
      code = "31";
      break;
    case Style::kGreen:
      code = "32";
      break;
    case Style::kYellow:
      code = "33";
      break;
    case Style::kBlue:
      code = "34";
      break;
    case Style::kMagenta:
      code = "35";
      break;
    case Style::kCyan:
      code = "36";
      break;
    case Style::kGrey:
      code = "90";
      break;
  }
  return fmt::format("\x1b[{}{}{}m{}\x1b[0m", bold ? "1" : "", bold && !code.empty() ? ";" : "",
                     code, text);
}

}  // namespace quantgate
