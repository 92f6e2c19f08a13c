// The short form in which a constraint is written:
//
//   rank: ..5                                   the name is the kind, the value its main field
//   rank-f16: {rank: ..4, when: {dtype: F16}}   a name of its own
//   encoding-given: encoding_defined            a kind without fields
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_CONSTRAINT_FORM_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_CONSTRAINT_FORM_H_

#include <optional>
#include <span>
#include <string_view>

#include "core/database/compile/document/map_reader.h"
#include "core/database/kinds.h"

namespace quantgate::opdefs {

using opdb::Field;
using opdb::FieldType;
using opdb::KindRow;

// A constraint with its kind and the fields of that kind found; what it says besides (`when`,
// `breach`, ...) is still in `node`.
struct ConstraintForm {
  const KindRow* kind = nullptr;
  Node fields;  // a map, at the place of what it was read from
};

// Keys that any constraint may have, but for `each` (template.h).
std::span<const std::string_view> CommonKeys();
bool IsCommonKey(std::string_view key);
// Those of a constraint within any_of.
bool IsInnerKey(std::string_view key);

// `name`: that of a constraint of an op or of the profiles, "" within any_of. Errors where no kind
// or more than one is named.
std::optional<ConstraintForm> FindForm(const Node& node, std::string_view name,
                                       const Reporter& reporter);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_CONSTRAINT_FORM_H_
