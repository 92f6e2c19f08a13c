// One constraint of an op's YAML.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_CONSTRAINT_READER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_CONSTRAINT_READER_H_

#include <string_view>
#include <vector>

#include "core/database/compile/constraint_form.h"
#include "core/database/compile/section.h"
#include "core/database/compile/symbols.h"
#include "core/database/kinds.h"

namespace quantgate::opdefs {

// Where a constraint stands: from it follow its range and its sources.
struct Place {
  const Section& section;
  const Evidence& evidence;
  // Sources of a whole file, instead of those that follow from the section; empty = none.
  const std::vector<std::string>& sources;
};

class ConstraintReader {
 public:
  ConstraintReader(Symbols& symbols, const Reporter& reporter)
      : symbols_(symbols), reporter_(reporter) {}

  // `name`: the constraint's; `subject`: the port, param or "all" that it is about, as the files
  // write it ("in1"). What can't be read is an error and stays at its default.
  Constraint Read(const Node& node, std::string_view name, std::string_view subject,
                  const Place& place);

 private:
  Constraint ReadInner(const Node& node, std::string_view subject);
  // The subject, the kind's fields, `when`: what an alternative of any_of has, too.
  void ReadCore(const Node& node, const ConstraintForm& form, std::string_view subject,
                Constraint& out, bool inner);
  void ReadSubject(const Node& node, std::string_view subject, const KindRow& kind, bool inner,
                   Constraint& out);
  void ReadFields(MapReader& map, Constraint& out, const KindRow& kind);
  void ReadField(const Node& node, const Field& field, Constraint& out);
  bool ReadValue(const Node& node, const Field& field, const Constraint& of, Arg& arg);
  bool ReadPort(const Node& node, const Field& field, Arg& arg);
  bool ReadPorts(const Node& node, const Field& field, Arg& arg);
  bool ReadChoice(const Node& node, const Field& field, Arg& arg);
  bool Wrong(const Node& node, const Field& field, std::string_view expected);
  bool ReadNumbers(const Node& node, const Field& field, const Param* param, Arg& arg);
  std::optional<Expr> ReadExpr(const Node& node, const Param* param);
  void ReadDefault(const Node& node, Constraint& out);
  void ReadAlternatives(MapReader& fields, std::string_view subject, Constraint& out);
  void ReadMeasured(MapReader& map, const Place& place, Constraint& out);
  void ReadSources(MapReader& map, const Place& place, Constraint& out);
  void ReadGroups(MapReader& map, Constraint& out);
  const Param* ParamOf(const Constraint& constraint) const;

  Symbols& symbols_;
  const Reporter& reporter_;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_CONSTRAINT_READER_H_
