// Numbers in messages.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_NUMBERS_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quantgate::cli {

// "3110" and "0xc26"; nothing else may stand next to the digits.
std::optional<int64_t> NumberOf(std::string_view text);

// 0x2400000 bytes are "36 MiB".
std::string SizeText(double bytes);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_NUMBERS_H_
