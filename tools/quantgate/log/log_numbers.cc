#include "tools/quantgate/log/log_numbers.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <system_error>

namespace quantgate::cli {

std::optional<int64_t> NumberOf(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string SizeText(double bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"bytes", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  std::string text = fmt::format("{:.1f}", bytes);
  if (text.ends_with(".0") || bytes >= 100) text = fmt::format("{:.0f}", bytes);
  return fmt::format("{} {}", text, kUnits[unit]);
}

}  // namespace quantgate::cli
