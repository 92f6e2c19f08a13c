// Values of the database's postfix expressions for a node: "rank(in[0])-1".
#ifndef QUANTGATE_CORE_RULES_SUPPORT_EXPR_H_
#define QUANTGATE_CORE_RULES_SUPPORT_EXPR_H_

#include <cstdint>
#include <optional>
#include <span>

#include "core/rules/support/node_view.h"

namespace quantgate::rules {

// Nothing where a rank, dimension or param is not known.
std::optional<int64_t> Evaluate(std::span<const opdb::ExprOp> expr, const NodeView& node);

// A dimension of a tensor; negative counts from the end. Nothing when out of range, dynamic or
// the rank is unknown.
std::optional<int64_t> DimOf(const Tensor& tensor, int64_t dim);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_EXPR_H_
