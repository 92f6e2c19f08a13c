#include "core/rules/support/args.h"

#include <algorithm>

namespace quantgate::rules {

using opdb::ArgKey;
using opdb::ArgType;

std::optional<int64_t> Args::number(const opdb::ArgRow& row) const {
  switch (row.type) {
    case ArgType::kFlag:
    case ArgType::kInt:
    case ArgType::kPort:
    case ArgType::kDtypeMask:
    case ArgType::kEncMask:
      return row.v.i;
    case ArgType::kExpr:
      return expr(row.a, row.b);
    case ArgType::kInts:
    case ArgType::kExprs: {
      int64_t value = 0;
      const auto count = numbers(row, {&value, 1});
      if (count == size_t{1}) return value;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<double> Args::real(ArgKey key) const {
  const opdb::ArgRow* row = find(key);
  if (row == nullptr) return std::nullopt;
  if (row->type == ArgType::kReal) return row->v.d;
  if (row->type == ArgType::kExpr && row->b == 1) {
    // A param by itself may be real.
    const auto& op = node_.db().get(opdb::Slice<opdb::ExprOp>{row->a, 1})[0];
    if (op.code == opdb::ExprCode::kParam && op.value == 0) {
      if (const auto value = node_.param_real(op.param)) return value;
    }
  }
  if (const auto n = number(key)) return static_cast<double>(*n);
  return std::nullopt;
}

std::optional<size_t> Args::numbers(const opdb::ArgRow& row, std::span<int64_t> out) const {
  if (row.type == ArgType::kInts) {
    const auto ints = node_.db().get(opdb::Slice<int64_t>{row.a, row.b});
    if (ints.size() > out.size()) return std::nullopt;
    std::copy(ints.begin(), ints.end(), out.begin());
    return ints.size();
  }
  if (row.type == ArgType::kExprs) {
    const auto exprs = node_.db().get(opdb::Slice<opdb::Slice<opdb::ExprOp>>{row.a, row.b});
    if (exprs.size() > out.size()) return std::nullopt;
    for (size_t i = 0; i < exprs.size(); ++i) {
      const auto value = expr(exprs[i].begin, exprs[i].count);
      if (!value) return std::nullopt;
      out[i] = *value;
    }
    return exprs.size();
  }
  if (const auto one = number(row); one && !out.empty()) {
    out[0] = *one;
    return 1;
  }
  return std::nullopt;
}

std::string_view Args::text(ArgKey key) const {
  const opdb::ArgRow* row = find(key);
  if (row == nullptr || row->type != ArgType::kString) return {};
  const auto strs = node_.db().get(opdb::Slice<opdb::Str>{row->a, 1});
  return node_.db().str(strs[0]);
}

bool Args::flag(ArgKey key, bool otherwise) const {
  const auto n = number(key);
  return n ? *n != 0 : otherwise;
}

}  // namespace quantgate::rules
