// Names of constraint kinds, of their arguments and conditions, and the rule that checks a kind.
#ifndef QUANTGATE_CORE_DATABASE_KINDS_H_
#define QUANTGATE_CORE_DATABASE_KINDS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "core/database/tables.h"

namespace quantgate::opdb {

// What a constraint is about.
enum SubjectBits : uint8_t { kOnPort = 1, kOnAll = 2, kOnParam = 4 };

// By ConstraintRow::port.
constexpr SubjectBits SubjectOf(int port) {
  return port == kPortAll ? kOnAll : port >= 0 ? kOnPort : kOnParam;
}

std::string_view KindName(Kind kind);       // "same_encoding"
uint8_t KindSubjects(Kind kind);            // SubjectBits that it can be about
std::string_view KindRule(Kind kind);       // "QG401"; "" for kinds that nothing checks
std::string_view ArgKeyName(ArgKey key);    // "min_exclusive"
std::string_view CondKeyName(CondKey key);  // "any_dim_above"
std::string_view SourceKindName(SourceKind kind);  // "measured"
std::span<const std::string_view> SourceKindNames();  // in the order of their values

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_KINDS_H_
