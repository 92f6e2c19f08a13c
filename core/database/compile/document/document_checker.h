// Checks a document of the database against its table, with places and nearest names.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_DOCUMENT_CHECKER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_DOCUMENT_CHECKER_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/document/map_reader.h"
#include "core/database/compile/ir.h"
#include "core/database/document_shape.h"

namespace quantgate::opdefs {

// The names that documents may use: those of a database with all its ops and sets.
struct DocumentNames {
  explicit DocumentNames(const Ir& ir);

  std::set<std::string, std::less<>> ops, archs, backends, op_sets;
  const Ir& ir;
  // A param of the op in any backend, its values joined; null when unknown.
  std::vector<const Param*> ParamsOf(std::string_view op) const;
};

class DocumentChecker {
 public:
  DocumentChecker(const DocumentNames& names, const Reporter& reporter)
      : names_(names), reporter_(reporter) {}

  // `what` names the node in errors: "`ops`".
  void Check(const Node& node, const opdb::DocumentShape& shape, std::string_view what);

 private:
  void CheckMap(const Node& node, const opdb::DocumentShape& shape);
  void CheckOneOf(const Node& node, const opdb::DocumentShape& shape);
  void CheckEach(const Node& node, const opdb::DocumentShape& shape, std::string_view what);
  void CheckParams(const Node& node, const opdb::DocumentShape& shape, std::string_view what);
  void CheckNamedValue(const Node& value, std::string_view op, std::string_view param);
  void CheckExpression(const Node& node, std::string_view what);
  // Scalars that are a name of something.
  void CheckName(const Node& node, opdb::ValueType type, std::string_view what);
  // Others.
  void CheckScalar(const Node& node, const opdb::DocumentShape& shape, std::string_view what);
  void CheckParam(const Node& node);
  void CheckParamValue(const Node& node);

  const DocumentNames& names_;
  const Reporter& reporter_;
  std::vector<const Node*> maps_;  // from the root to the one at hand
};

// What no table says of a document: it is the one that its name says; in mappings temps are written
// before they are read and every case can be chosen; in recipes the forms exist that layers name.
void CheckRelations(std::string_view document, const Node& node, const Reporter& reporter);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_DOCUMENT_CHECKER_H_
