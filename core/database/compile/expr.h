// Expressions of constraints, over ranks, dims and params: "rank(in0)-1", "max(dim(in0, axis), 2)".
// The grammar is that of core/base/expression.h; here names become numbers of ports and params.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_EXPR_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_EXPR_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/database/compile/symbols.h"

namespace quantgate::opdefs {

// Postfix steps, constants folded: an expression without ports and params is one kConst.
// The error's message says what is wrong and where in the text ("… at character 7").
absl::StatusOr<Expr> ParseExpr(std::string_view text, const Symbols& symbols);

// The value of an expression that is one constant.
std::optional<int64_t> ConstantOf(const Expr& expr);

// "0.5", "1/65536", "-3/4"; nothing for other text, for division by zero and what isn't finite.
std::optional<double> ParseFraction(std::string_view text);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_EXPR_H_
