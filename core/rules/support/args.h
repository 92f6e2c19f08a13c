// Arguments of a constraint.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_ARGS_H_
#define QUANTGATE_CORE_RULES_SUPPORT_ARGS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/rules/support/expr.h"
#include "core/rules/support/node_view.h"

namespace quantgate::rules {

class Args {
 public:
  Args(const NodeView& node, const opdb::ConstraintRow& constraint)
      : node_(node), rows_(node.db().get(constraint.args)) {}

  const opdb::ArgRow* find(opdb::ArgKey key) const {
    for (const auto& row : rows_) {
      if (row.key == key) return &row;
    }
    return nullptr;
  }
  std::span<const opdb::ArgRow> rows() const { return rows_; }
  bool has(opdb::ArgKey key) const { return find(key) != nullptr; }
  // A number: flag, int, port or the value of an expression.
  std::optional<int64_t> number(opdb::ArgKey key) const {
    const opdb::ArgRow* row = find(key);
    return row == nullptr ? std::nullopt : number(*row);
  }
  std::optional<int64_t> number(const opdb::ArgRow& row) const;
  std::optional<double> real(opdb::ArgKey key) const;
  // Several numbers: a list, a list of expressions, or one.
  // Returns how many were written into `out`; nothing when one of them is unknown.
  std::optional<size_t> numbers(opdb::ArgKey key, std::span<int64_t> out) const {
    const opdb::ArgRow* row = find(key);
    return row == nullptr ? std::nullopt : numbers(*row, out);
  }
  std::optional<size_t> numbers(const opdb::ArgRow& row, std::span<int64_t> out) const;
  std::string_view text(opdb::ArgKey key) const;
  bool flag(opdb::ArgKey key, bool otherwise) const;

 private:
  std::optional<int64_t> expr(uint32_t begin, uint32_t count) const {
    return Evaluate(node_.db().get(opdb::Slice<opdb::ExprOp>{begin, count}), node_);
  }
  const NodeView& node_;
  std::span<const opdb::ArgRow> rows_;
};

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_ARGS_H_
