// Expressions over ranks, dims and params: "rank(in[0])-1", "max(dim(in[0], axis), 2)".
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_EXPR_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_EXPR_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/database/compile/symbols.h"

namespace quantgate::opdefs {

// Postfix steps, constants folded: an expression without ports and params is one kConst.
// The error's message says what is wrong and where in the text ("at 7: …").
absl::StatusOr<Expr> ParseExpr(std::string_view text, const Symbols& symbols);

// The value of an expression that is one constant.
std::optional<int64_t> ConstantOf(const Expr& expr);

// "0.5", "1/65536", "-3/4"; nothing for other text, for division by zero and what isn't finite.
std::optional<double> ParseFraction(std::string_view text);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_EXPR_H_
