#include "core/lower/encodings/recipe_pattern.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace quantgate {
namespace {

#ifdef __GLIBCXX__
// Without it libstdc++ matches by trying all ways, which may take for ever.
constexpr auto kSyntax = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto kSyntax = std::regex::ECMAScript;
#endif

// At most, and no further than the longest: every count as if it stood for the whole pattern.
// "a{2}b{,3}" is 9 * 2 * 3. Of a pattern without huge numbers, which from_chars would pass over.
size_t LengthWrittenOut(std::string_view pattern) {
  constexpr size_t kTooLong = kLongestWrittenOut + 1;
  const char* const end = pattern.data() + pattern.size();
  size_t length = std::min(pattern.size(), kTooLong);
  for (const char* at = pattern.data(); (at = std::find(at, end, '{')) != end;) {
    do {
      size_t count = 0;
      at = std::from_chars(at + 1, end, count).ptr;
      length = std::min(length * std::clamp<size_t>(count, 1, kTooLong), kTooLong);
    } while (at != end && *at == ',');
  }
  return length;
}

// std::regex reads the number of a back reference without looking at its size.
bool HasHugeNumber(std::string_view pattern) {
  constexpr size_t kLongestNumber = 9;  // digits
  size_t digits = 0;
  for (const char c : pattern) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > kLongestNumber) return true;
  }
  return false;
}

}  // namespace

std::optional<std::regex> CompilePattern(const std::string& pattern) {
  if (pattern.size() > kLongestPattern || HasHugeNumber(pattern) ||
      LengthWrittenOut(pattern) > kLongestWrittenOut) {
    return std::nullopt;
  }
  try {
    return std::regex(pattern, kSyntax);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

bool Fits(const std::regex& pattern, const std::string& name) {
  try {
    return name.size() <= kLongestName && std::regex_match(name, pattern);
  } catch (const std::regex_error&) {
    return false;
  }
}

}  // namespace quantgate
