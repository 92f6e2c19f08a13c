// What the expressions of a mapping see of a node as the file has it, before anything is resolved.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_FILE_SCOPE_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_FILE_SCOPE_H_

#include "core/lower/resolve/mapping.h"
#include "core/lower/resolve/plain_scope.h"

namespace quantgate {

class FileScope : public PlainScope {
 public:
  FileScope(const Model& model, const Node& node, const mapping::OpMapping& mapping)
      : PlainScope(model, node), mapping_(mapping) {}

  mapping::Value Attribute(std::string_view name) const override;  // its default where it is not written

 private:
  const mapping::OpMapping& mapping_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_FILE_SCOPE_H_
