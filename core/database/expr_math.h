// The arithmetic of a constraint's expression: of what is constant when the database is compiled, of the rest when a
// model is checked.
#ifndef QUANTGATE_CORE_DATABASE_EXPR_MATH_H_
#define QUANTGATE_CORE_DATABASE_EXPR_MATH_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/checked_math.h"
#include "core/database/tables.h"

namespace quantgate::opdb {

inline bool TakesTwo(ExprCode code) { return code >= ExprCode::kAdd && code <= ExprCode::kMin; }

// What a code that takes two makes of them; nothing where that is no number of 64 bits.
inline std::optional<int64_t> Combined(ExprCode code, int64_t a, int64_t b) {
  switch (code) {
    case ExprCode::kAdd:
      return Checked(a, '+', b);
    case ExprCode::kSub:
      return Checked(a, '-', b);
    case ExprCode::kMul:
      return Checked(a, '*', b);
    case ExprCode::kDiv:
      return Checked(a, '/', b);
    case ExprCode::kMax:
      return std::max(a, b);
    case ExprCode::kMin:
      return std::min(a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_EXPR_MATH_H_
