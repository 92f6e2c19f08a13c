// Whole numbers of 64 bits that are computed without overflow.
#ifndef QUANTGATE_CORE_BASE_CHECKED_MATH_H_
#define QUANTGATE_CORE_BASE_CHECKED_MATH_H_

#include <cstdint>
#include <limits>
#include <optional>

namespace quantgate {

// a op b, where op is one of + - * / %; nothing where the result is no number of 64 bits.
inline std::optional<int64_t> Checked(int64_t a, char op, int64_t b) {
  int64_t result = 0;
  switch (op) {
    case '+':
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case '-':
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case '*':
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    default:
      if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1)) return std::nullopt;
      return op == '/' ? a / b : a % b;
  }
}

}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_CHECKED_MATH_H_
