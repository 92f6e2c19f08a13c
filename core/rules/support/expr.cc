#include "core/rules/support/expr.h"

#include <algorithm>
#include <array>

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

}  // namespace

std::optional<int64_t> Evaluate(std::span<const opdb::ExprOp> expr, const NodeView& node) {
  using opdb::ExprCode;
  constexpr size_t kDepth = 16;  // opdefc refuses deeper expressions
  std::array<int64_t, kDepth> stack;
  size_t top = 0;
  const auto param_value = [&](const opdb::ExprOp& op) -> std::optional<int64_t> {
    if (op.value == 0) return node.param_int(op.param);
    const auto ints = node.param_ints(op.param);
    if (static_cast<size_t>(op.value) > ints.size()) return std::nullopt;
    return ints[static_cast<size_t>(op.value - 1)];
  };
  for (const opdb::ExprOp& op : expr) {
    std::optional<int64_t> value;
    switch (op.code) {
      case ExprCode::kConst:
        value = op.value;
        break;
      case ExprCode::kRank:
        if (const Tensor* t = node.tensor(op.port); t && !t->unknown_rank) value = t->rank();
        break;
      case ExprCode::kDimConst:
        if (const Tensor* t = node.tensor(op.port)) value = DimOf(*t, op.value);
        break;
      case ExprCode::kDimParam:
        if (const Tensor* t = node.tensor(op.port)) {
          if (const auto axis = param_value(op)) value = DimOf(*t, *axis);
        }
        break;
      case ExprCode::kParam:
        value = param_value(op);
        break;
      case ExprCode::kElements:
        if (const Tensor* t = node.tensor(op.port)) value = Elements(*t);
        break;
      case ExprCode::kCount:
        if (const auto ints = node.param_ints(op.param); !ints.empty()) {
          value = static_cast<int64_t>(ints.size());
        }
        break;
      case ExprCode::kTotal:
        value = Total(node, op);
        break;
      case ExprCode::kNeg:
        if (top < 1) return std::nullopt;
        stack[top - 1] = -stack[top - 1];
        continue;
      default: {
        if (top < 2) return std::nullopt;
        const int64_t b = stack[--top];
        int64_t& a = stack[top - 1];
        bool overflow = false;
        switch (op.code) {
          case ExprCode::kAdd:
            overflow = __builtin_add_overflow(a, b, &a);
            break;
          case ExprCode::kSub:
            overflow = __builtin_sub_overflow(a, b, &a);
            break;
          case ExprCode::kMul:
            overflow = __builtin_mul_overflow(a, b, &a);
            break;
          case ExprCode::kDiv:
            if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
            a /= b;
            break;
          case ExprCode::kMax:
            a = std::max(a, b);
            break;
          case ExprCode::kMin:
            a = std::min(a, b);
            break;
          default:
            return std::nullopt;
        }
        if (overflow) return std::nullopt;
        continue;
      }
    }
    if (!value || top == kDepth) return std::nullopt;
    stack[top++] = *value;
  }
  if (top != 1) return std::nullopt;
  return stack[0];
}

}  // namespace quantgate::rules
