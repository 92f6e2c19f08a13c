#include "core/lower/resolve/file_scope.h"

namespace quantgate {

using mapping::Value;

Value FileScope::Attribute(std::string_view name) const {
  Value written = PlainScope::Attribute(name);
  if (!written.null()) return written;
  const mapping::Expr* value = mapping_.Default(name);
  return value != nullptr ? value->Eval(*this) : Value::Null();
}

}  // namespace quantgate
