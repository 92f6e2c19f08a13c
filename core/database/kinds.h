// The table of constraint kinds (core/database/kinds.def), and names of arguments and conditions.
#ifndef QUANTGATE_CORE_DATABASE_KINDS_H_
#define QUANTGATE_CORE_DATABASE_KINDS_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/rule_id.h"
#include "core/database/tables.h"

namespace quantgate::opdb {

class Arguments;

// What a constraint is about.
enum SubjectBits : uint8_t { kOnPort = 1, kOnAll = 2, kOnParam = 4 };

// By ConstraintRow::port.
constexpr SubjectBits SubjectOf(int port) {
  return port == kPortAll ? kOnAll : port >= 0 ? kOnPort : kOnParam;
}

// What YAML may give for a field.
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
  std::string_view name;  // in YAML; in the compiled database it is that of `key`
  ArgKey key = ArgKey::kMin;
  FieldType type = FieldType::kInt;
  bool required = false;
  std::string_view choices = {};  // "scale|offset|both"
};

// Written into the table: at most kMost.
class FieldList {
 public:
  static constexpr size_t kMost = 10;
  constexpr FieldList() = default;
  consteval FieldList(std::initializer_list<Field> fields) {
    for (const Field& field : fields) fields_[count_++] = field;
  }
  constexpr const Field* begin() const { return fields_.data(); }
  constexpr const Field* end() const { return fields_.data() + count_; }
  constexpr bool empty() const { return count_ == 0; }

 private:
  std::array<Field, kMost> fields_{};
  size_t count_ = 0;
};

struct KindRow {
  Kind kind = Kind::kNote;
  std::string_view name;       // "same_encoding"
  std::optional<RuleId> rule = {};  // that checks it; nothing checks notes
  uint8_t subjects = 0;        // SubjectBits that it can be about
  FieldList fields = {};
  uint8_t min_fields = 0;  // so many of the fields at least
  // The field that a bare value stands for: `same_shape: in0`; "" = none.
  std::string_view principal = {};
  // A bare value with ".." is `min..max`.
  bool range = false;
  // What must hold, for people: one line, no full stop.
  std::string (*text)(const Arguments&) = nullptr;

  // "QG401"; "" for what nothing checks.
  constexpr std::string_view rule_code() const {
    return rule ? rules::NameOf(*rule).code : std::string_view();
  }
};

std::span<const KindRow> Kinds();  // in the order of Kind
const KindRow& RowOf(Kind kind);
// By name; null when unknown.
const KindRow* FindKind(std::string_view name);

std::string_view ArgKeyName(ArgKey key);    // "min_exclusive"
std::string_view CondKeyName(CondKey key);  // "any_dim_above"
std::string_view SourceKindName(SourceKind kind);  // "measured"
std::span<const std::string_view> SourceKindNames();  // in the order of their values

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_KINDS_H_
