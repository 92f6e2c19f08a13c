// The characters of JSON: what its strings, numbers and spaces may be.
#ifndef QUANTGATE_CORE_BASE_JSON_TEXT_H_
#define QUANTGATE_CORE_BASE_JSON_TEXT_H_

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

namespace quantgate::json {

inline constexpr std::string_view kSpace = " \t\r\n";

constexpr std::array<bool, 256> TableOf(std::string_view bytes) {
  std::array<bool, 256> table{};
  for (const char c : bytes) table[static_cast<unsigned char>(c)] = true;
  return table;
}
inline constexpr std::array<bool, 256> kIsSpace = TableOf(kSpace);
inline constexpr std::array<bool, 256> kEndsToken = TableOf(" \t\r\n,:{}[]\"");
inline bool In(const std::array<bool, 256>& table, char c) {
  return table[static_cast<unsigned char>(c)];
}

// What is wrong with the characters of a text, whatever they mean: strings that are not closed or
// hold control characters, bytes that are not UTF-8, nothing but space.
struct Broken {
  std::string_view reason;  // empty = nothing
  size_t at = 0;
};
Broken FindBroken(std::string_view text);

// What a string says that holds escapes; false for those that JSON doesn't have. No single
// backslash stands at the end.
bool Unescape(std::string_view text, std::string* out);

// The nearest double of a number of JSON; nothing where it isn't one, or the double is infinite.
std::optional<double> ParseDouble(std::string_view token);

// An integer where it is written as one and has 64 bits; nothing as above.
using Number = std::variant<std::monostate, int64_t, uint64_t, double>;
Number ParseNumber(std::string_view token);

template <typename T>
std::optional<T> ParseAll(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace quantgate::json

#endif  // QUANTGATE_CORE_BASE_JSON_TEXT_H_
