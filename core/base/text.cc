#include "core/base/text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/absl_view.h"

namespace quantgate {
namespace {

constexpr size_t kQuotedBytes = 100;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the UTF-8 sequence at the beginning of `bytes`; 0 = none. As Unicode's table 3-7 has
// it: no longer than needed, no surrogates, nothing beyond U+10FFFF.
size_t SequenceLength(std::string_view bytes) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length > bytes.size()) return 0;
  const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (at(1) < least || at(1) > most) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string Quoted(std::string_view name) {
  if (name.size() <= kQuotedBytes &&
      std::all_of(name.begin(), name.end(), [](char c) { return c >= 0x20 && c < 0x7F; })) {
    std::string plain;
    plain.reserve(name.size() + 2);
    plain += '"';
    plain += name;
    plain += '"';
    return plain;
  }
  std::string out = "\"";
  const bool cut = name.size() > kQuotedBytes;
  const std::string clean = Utf8(cut ? name.substr(0, kQuotedBytes) : name);
  for (const char c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += cut ? "...\"" : "\"";
  return out;
}

bool IsUtf8(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size();) {
    uint64_t eight;
    while (bytes.size() - i >= sizeof(eight)) {
      std::memcpy(&eight, bytes.data() + i, sizeof(eight));
      if ((eight & 0x8080808080808080) != 0) break;
      i += sizeof(eight);
    }
    if (i == bytes.size()) break;
    const size_t length = SequenceLength(bytes.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string Utf8(std::string_view bytes) {
  if (IsUtf8(bytes)) return std::string(bytes);
  std::string out;
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = SequenceLength(bytes.substr(i));
    out += length == 0 ? kReplacement : bytes.substr(i, length);
    i += std::max<size_t>(length, 1);
  }
  return out;
}

std::string LineColumn(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n');
  const size_t column =
      line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return absl::StrCat(line, ":", column);
}

absl::Status Invalid(std::string_view message) { return absl::InvalidArgumentError(Absl(message)); }

absl::Status InvalidAt(std::string_view place, std::string_view reason) {
  if (place.empty()) return Invalid(reason);
  return absl::InvalidArgumentError(absl::StrCat(Absl(place), ": ", Absl(reason)));
}

}  // namespace quantgate
