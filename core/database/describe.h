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
  std::string Holds(const ConstraintRow& row) const;
  std::string Condition(const CondRow& row, const ConstraintRow& of) const;
  std::string Value(const ArgRow& arg, int param) const;
  std::string ParamValue(int param, int64_t value) const;
  const ArgRow* Find(const ConstraintRow& row, ArgKey key) const;
  std::string Bounds(const ConstraintRow& row, std::string_view unit) const;
  // The ports that a list under `as` names.
  std::vector<std::string> Ports(const ConstraintRow& row) const;
  std::string Listed(const ConstraintRow& row) const;

  const View& db_;
  const BackendRow& backend_;
  const OpRow& op_;
};

std::vector<std::string> DtypeNames(DtypeMask mask);
std::vector<std::string> EncodingNames(EncodingMask mask);

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_DESCRIBE_H_
