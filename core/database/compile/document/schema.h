// The closed vocabulary of constraints: which kind takes which fields.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_SCHEMA_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_SCHEMA_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "core/database/tables.h"

namespace quantgate::opdefs {

enum class FieldType : uint8_t {
  kExpr,   // number or expression
  kExprs,  // one or a list of them; dimensions, axes
  kDims,   // as kExprs, or `all`
  kInt,
  kInts,  // one or a list
  kReal,  // number or fraction as text
  kFlag,
  kTrue,  // only `true`; says what holds anyway
  kPort,
  kPorts,     // list of one or two
  kPortPair,  // list
  kDtype,
  kDtypes,     // list, as mask
  kEncodings,  // list, as mask
  kArch,
  kChoice,  // one of `choices`
  kText,
  kValue,   // of the constraint's param: number, name, flag, expression, real
  kValues,  // one or a list of them
};

struct Field {
  std::string_view name;
  opdb::ArgKey key;
  FieldType type;
  bool required = false;
  std::string_view choices = {};  // "scale|offset|both"
};

struct KindSchema {
  opdb::Kind kind;
  std::span<const Field> fields;
  uint8_t min_fields = 0;  // so many of the fields at least
  // The field that a bare value stands for: `same_shape: in0`; "" = none.
  std::string_view principal = {};
  // A bare value with ".." is `min..max`.
  bool range = false;
};

std::span<const KindSchema> Kinds();
// By name; null when unknown.
const KindSchema* FindKind(std::string_view name);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_SCHEMA_H_
