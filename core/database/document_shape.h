// What a document of the database may hold, as a table: its keys, their types, what they name.
// The compiler checks documents by these tables and `opdefc schema` prints them for editors.
#ifndef QUANTGATE_CORE_DATABASE_DOCUMENT_SHAPE_H_
#define QUANTGATE_CORE_DATABASE_DOCUMENT_SHAPE_H_

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace quantgate::opdb {

enum class ValueType : uint8_t {
  kText,
  kFlag,
  kInteger,     // `min` to `max`
  kNumber,      // whole or not
  kScalar,      // text, number or flag
  kExpression,  // of mappings: a number, text, or a list of such
  kChoice,      // one of `choices`
  // Names that must be known.
  kDtype,
  kOp,     // of any backend
  kOpSet,  // of op_sets.yaml
  kRule,   // by its slug
  kBackend,
  kArch,        // of any backend
  kSdk,         // quoted: "2.47"
  kPort,        // "in[0]", "out[1]"
  kParam,       // of the op that `to` or `op` next to it names
  kParamValue,  // a named value of the param that `param` next to it names
  kList,        // of `item`
  kMap,         // of `keys`
  kNamed,       // a map whose keys are free: each holds an `item`; at most `max` of them
  kParams,      // the same, keys are params of the op that `to` or `op` next to it names
};

struct DocumentShape;

struct DocumentKey {
  std::string_view name;
  const DocumentShape* shape;
  bool required = false;
  std::string_view with = {};  // only next to this key
};

struct DocumentShape {
  ValueType type;
  std::string_view what = {};  // kMap: "a row of `refused`"
  std::span<const DocumentKey> keys = {};
  // kMap: just one of these keys ("a|b"). Where it has `unless`, none will do too.
  std::string_view one_of = {};
  std::string_view unless = {};
  const DocumentShape* item = nullptr;
  std::string_view choices = {};  // kChoice: "a|b"
  int64_t min = std::numeric_limits<int64_t>::min(), max = std::numeric_limits<int64_t>::max();
  // Instead, where a map or a list stands.
  const DocumentShape* as_map = nullptr;
  const DocumentShape* as_list = nullptr;
};

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_DOCUMENT_SHAPE_H_
