// One constraint of an op's YAML.
#ifndef QUANTGATE_CORE_OPDEFS_YAML_CONSTRAINT_READER_H_
#define QUANTGATE_CORE_OPDEFS_YAML_CONSTRAINT_READER_H_

#include "core/opdefs_yaml/schema.h"
#include "core/opdefs_yaml/symbols.h"

namespace quantgate::opdefs {

class ConstraintReader {
 public:
  ConstraintReader(const Symbols& symbols, const Reporter& reporter)
      : symbols_(symbols), reporter_(reporter) {}

  // What can't be read is an error and stays at its default.
  Constraint Read(const Node& node);

 private:
  // Port, kind, fields and `when`: what an alternative of any_of has, too.
  void ReadCore(MapReader& map, Constraint& out, bool inner);
  void ReadSubject(MapReader& map, Constraint& out, const KindSchema& kind, bool inner);
  void ReadFields(MapReader& map, Constraint& out, const KindSchema& kind);
  void ReadField(const Node& node, const Field& field, Constraint& out);
  bool ReadValue(const Node& node, const Field& field, const Constraint& of, Arg& arg);
  bool ReadNumbers(const Node& node, const Field& field, const Param* param, Arg& arg);
  std::optional<Expr> ReadExpr(const Node& node, const Param* param);
  void ReadDefault(const Node& node, Constraint& out);
  void ReadAlternatives(MapReader& map, Constraint& out);
  void ReadMeasured(MapReader& map, Constraint& out);
  void ReadGroups(MapReader& map, Constraint& out);
  const Param* ParamOf(const Constraint& constraint) const;

  const Symbols& symbols_;
  const Reporter& reporter_;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_OPDEFS_YAML_CONSTRAINT_READER_H_
