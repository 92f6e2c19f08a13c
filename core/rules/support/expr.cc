#include "core/rules/support/expr.h"

#include <array>

#include "core/base/checked_math.h"
#include "core/database/expr_math.h"
#include "core/database/image.h"

namespace quantgate::rules {

std::optional<int64_t> DimOf(const Tensor& tensor, int64_t dim) {
  if (tensor.unknown_rank) return std::nullopt;
  const auto rank = static_cast<int64_t>(tensor.dims.size());
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank) return std::nullopt;
  const int64_t size = tensor.dims[static_cast<size_t>(dim)];
  if (size == kDynamicDim) return std::nullopt;
  return size;
}

namespace {

using opdb::ExprCode;

std::optional<int64_t> Elements(const Tensor& tensor) {
  if (tensor.unknown_rank) return std::nullopt;
  int64_t product = 1;
  for (const int64_t size : tensor.dims) {
    if (size == kDynamicDim || __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  }
  return product;
}

std::optional<int64_t> Total(const NodeView& node, const opdb::ExprOp& op) {
  const auto axis = node.param_int(op.param);
  if (!axis) return std::nullopt;
  int64_t sum = 0;
  for (int i = 0; i < node.tensors(op.port).count; ++i) {
    const Tensor* tensor = node.tensor(op.port, i);
    if (tensor == nullptr) return std::nullopt;
    const auto size = DimOf(*tensor, *axis);
    if (!size || __builtin_add_overflow(sum, *size, &sum)) return std::nullopt;
  }
  return sum;
}

std::optional<int64_t> ValueOfParam(const NodeView& node, const opdb::ExprOp& op) {
  if (op.value == 0) return node.param_int(op.param);
  const auto ints = node.param_ints(op.param);
  if (static_cast<size_t>(op.value) > ints.size()) return std::nullopt;
  return ints[static_cast<size_t>(op.value - 1)];
}

// What a step without operands stands for; nothing where it can't be computed.
std::optional<int64_t> Operand(const NodeView& node, const opdb::ExprOp& op) {
  switch (op.code) {
    case ExprCode::kConst:
      return op.value;
    case ExprCode::kParam:
      return ValueOfParam(node, op);
    case ExprCode::kTotal:
      return Total(node, op);
    case ExprCode::kCount: {
      const auto ints = node.param_ints(op.param);
      return ints.empty() ? std::nullopt : std::optional(static_cast<int64_t>(ints.size()));
    }
    default:
      break;
  }
  const Tensor* tensor = node.tensor(op.port);
  if (tensor == nullptr) return std::nullopt;
  switch (op.code) {
    case ExprCode::kRank:
      return tensor->unknown_rank ? std::nullopt : std::optional<int64_t>(tensor->rank());
    case ExprCode::kDimConst:
      return DimOf(*tensor, op.value);
    case ExprCode::kDimParam: {
      const auto axis = ValueOfParam(node, op);
      return axis ? DimOf(*tensor, *axis) : std::nullopt;
    }
    case ExprCode::kElements:
      return Elements(*tensor);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<int64_t> Evaluate(std::span<const opdb::ExprOp> expr, const NodeView& node) {
  constexpr size_t kDepth = opdb::kMaxExprDepth;
  std::array<int64_t, kDepth> stack;
  size_t top = 0;
  for (const opdb::ExprOp& op : expr) {
    if (op.code == ExprCode::kNeg) {
      if (top < 1) return std::nullopt;
      const std::optional<int64_t> negated = Checked(0, '-', stack[top - 1]);
      if (!negated) return std::nullopt;
      stack[top - 1] = *negated;
    } else if (opdb::TakesTwo(op.code)) {
      if (top < 2) return std::nullopt;
      --top;
      const std::optional<int64_t> combined = opdb::Combined(op.code, stack[top - 1], stack[top]);
      if (!combined) return std::nullopt;
      stack[top - 1] = *combined;
    } else {
      const std::optional<int64_t> value = Operand(node, op);
      if (!value || top == kDepth) return std::nullopt;
      stack[top++] = *value;
    }
  }
  if (top != 1) return std::nullopt;
  return stack[0];
}

}  // namespace quantgate::rules
