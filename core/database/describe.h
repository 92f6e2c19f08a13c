// Texts of the database for people: what must hold, and when.
#ifndef QUANTGATE_CORE_DATABASE_DESCRIBE_H_
#define QUANTGATE_CORE_DATABASE_DESCRIBE_H_

#include <string>
#include <vector>

#include "core/database/view.h"

namespace quantgate::opdb {

// Names the ports, params and archs of one op.
class Describer {
 public:
  Describer(const View& db, const BackendRow& backend, const OpRow& op)
      : db_(db), backend_(backend), op_(op) {}

  // One line, no full stop: "offset 0 (symmetric), when its encoding is AXIS_SCALE_OFFSET".
  std::string Constraint(const ConstraintRow& row) const;
  std::string When(const ConstraintRow& row) const;     // without "when"; "" = always
  std::string Port(int port, int element = -1) const;   // "in[1]", "all"
  std::string Subject(const ConstraintRow& row) const;  // its port or param
  std::string Expr(Slice<ExprOp> expr) const;           // "rank(in[0]) - 1"
  // "v73+", "v68..v75", "v69, v73"; "" = all.
  std::string Archs(const Range& range) const;

 private:
  friend class Arguments;

  std::string Operand(const ExprOp& step) const;  // "rank(in[0])"
  std::string Condition(const CondRow& row, const ConstraintRow& of) const;
  std::string Value(const ArgRow& arg, int param) const;
  std::string ParamValue(int param, int64_t value) const;

  const View& db_;
  const BackendRow& backend_;
  const OpRow& op_;
};

// The arguments of one constraint as a kind puts them into its text (core/database/kinds.def).
class Arguments {
 public:
  Arguments(const Describer& describer, const ConstraintRow& row);

  const ConstraintRow& row() const { return row_; }
  const ArgRow* Find(ArgKey key) const;               // null = not given
  std::string Text(ArgKey key) const;                 // "" = not given
  bool Flag(ArgKey key, bool otherwise) const;        // `otherwise` = not given
  std::string Bounds(std::string_view of) const;      // "rank >= 1 and <= 5"; "" = none
  std::string Listed() const;                         // what is allowed and denied: "8, 16, not 4"
  std::string Product() const;                        // of the ports under `as`: "in[0] * in[1]"
  std::string Alternatives() const;                   // "in[0] rank = 2; or in[0] signed"

 private:
  const Describer& describer_;
  const ConstraintRow& row_;
};

std::vector<std::string> DtypeNames(DtypeMask mask);
std::vector<std::string> EncodingNames(EncodingMask mask);

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_DESCRIBE_H_
