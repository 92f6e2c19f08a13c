// Text with holes, "Failed to validate op {node} with error {code}", against lines of a log.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_PATTERN_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_PATTERN_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate::cli {

class LogPattern {
 public:
  using Captures = std::map<std::string, std::string, std::less<>>;

  explicit LogPattern(std::string_view pattern);

  // Looks for the pattern anywhere in the line; a hole catches the shortest text up to the words
  // after it, at least one character, one at the end of the pattern up to the next blank. Those
  // called number, index and expected catch digits, code also "0x" and hexadecimal ones. Takes
  // time in proportion to the product of both lengths at most.
  std::optional<Captures> Match(std::string_view line) const;

 private:
  struct Part {
    std::string text;  // words; empty = a hole
    std::string hole;
  };
  std::optional<Captures> MatchAt(std::string_view line, size_t begin) const;

  std::vector<Part> parts_;
};

// `text` with {name} replaced by what was caught.
std::string Filled(std::string_view text, const LogPattern::Captures& captures);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_PATTERN_H_
