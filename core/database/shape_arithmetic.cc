#include "core/database/shape_arithmetic.h"

#include <algorithm>

namespace quantgate::opdb {

static bool IsComputed(const ArgRow& arg, const View& db) {
  if (arg.key != ArgKey::kEq || arg.type != ArgType::kExpr) return false;
  const auto ops = db.get(Slice<ExprOp>{arg.a, arg.b});
  return std::any_of(ops.begin(), ops.end(), [](const ExprOp& op) {
    return op.code == ExprCode::kDimConst || op.code == ExprCode::kDimParam || op.code == ExprCode::kElements ||
           op.code == ExprCode::kTotal;
  });
}

bool IsShapeArithmetic(const ConstraintRow& constraint, const View& db) {
  if (constraint.kind == Kind::kSameDims) return true;
  if (constraint.kind != Kind::kDim && constraint.kind != Kind::kDimProduct) return false;
  const auto args = db.get(constraint.args);
  return std::any_of(args.begin(), args.end(), [&](const ArgRow& arg) { return IsComputed(arg, db); });
}

}  // namespace quantgate::opdb
