// Text with holes, "Failed to validate op {node} with error {code:code}", against lines of a log.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_PATTERN_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_PATTERN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate::cli {

class LogPattern {
 public:
  using Captures = std::map<std::string, std::string, std::less<>>;

  // A hole is {name} or {name:type}. By type it catches, at least one character of:
  //   (none)  the shortest text up to the words after it; at the end of the pattern up to the next
  //           blank, without a dot or comma there
  //   int     digits
  //   code    digits, "0x" and hexadecimal digits, or the name of an error, "QNN_GRAPH_ERROR_…"
  //   word    what is no blank, quote, comma or bracket
  //   rest    everything to the end of the line, or nothing
  // A pattern that isn't well formed matches nothing; `wrong` says what is wrong with it.
  explicit LogPattern(std::string_view pattern);

  // Looks for the pattern anywhere in the line. Takes time in proportion to the product of both
  // lengths at most.
  std::optional<Captures> Match(std::string_view line) const;

  // The longest words that every matching line holds.
  std::string_view Literal() const;

  // Whether it has a hole of this name.
  bool Catches(std::string_view name) const;

  const std::string& wrong() const { return wrong_; }

 private:
  enum class Type : uint8_t { kWords, kText, kInt, kCode, kWord, kRest };
  struct Part {
    Type type;
    std::string text;  // the words, or the name of the hole
  };
  static std::optional<Type> TypeOf(std::string_view name);
  static size_t Reach(Type type, std::string_view text);
  void AddHole(std::string_view hole);
  std::optional<size_t> Caught(size_t part, std::string_view rest) const;
  std::optional<Captures> MatchAt(std::string_view line, size_t begin) const;

  std::vector<Part> parts_;
  std::string wrong_;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_PATTERN_H_
