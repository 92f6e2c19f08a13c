// The patterns of a recipe: regular expressions of others, made safe to try on any name.
#ifndef QUANTGATE_CORE_LOWER_ENCODINGS_RECIPE_PATTERN_H_
#define QUANTGATE_CORE_LOWER_ENCODINGS_RECIPE_PATTERN_H_

#include <cstddef>
#include <optional>
#include <regex>
#include <string>

namespace quantgate {

// Longer ones are nobody's names, and matching needs time in proportion to both; of a pattern its
// length when counted repeats are written out.
inline constexpr size_t kLongestPattern = 512;
inline constexpr size_t kLongestWrittenOut = 2048;
inline constexpr size_t kLongestName = 512;

// Nothing for what is no regular expression, or one that is too long to be tried.
std::optional<std::regex> CompilePattern(const std::string& pattern);
// Whether the pattern fits the whole name.
bool Fits(const std::regex& pattern, const std::string& name);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ENCODINGS_RECIPE_PATTERN_H_
