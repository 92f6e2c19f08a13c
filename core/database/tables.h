// The compiled database: a few large arrays of plain rows that refer to each other by index.
//
// One image = a header, then the sections below, each an aligned array. Nothing is parsed or
// constructed when it is opened; rows hold no pointers. Images are read on machines of the byte
// order they were built on, by versions of quantgate with the same kImageVersion (image.h), which
// is raised with each change of the rows or of what their numbers stand for; View::Open checks
// every index before the first use.
//
//   BackendRow ─ ops ─> OpRow ─ ports ─> PortRow
//                        ├─ params ──> ParamRow ─ values ─> EnumRow
//                        ├─ variants ─> VariantRow ─ dtypes ─> DtypeMask (one per port)
//                        └─ constraints ─> ConstraintRow ─ when ─> CondRow
//                                            └─ args ─> ArgRow ─> ints, reals, strings, exprs
#ifndef QUANTGATE_CORE_DATABASE_TABLES_H_
#define QUANTGATE_CORE_DATABASE_TABLES_H_

#include <cstdint>

#include "quantgate/consequence.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "quantgate/target.h"

namespace quantgate::opdb {

// A string in the string pool.
struct Str {
  uint32_t offset = 0, size = 0;
};

// `count` rows of the section of T from `begin` on.
template <typename T>
struct Slice {
  uint32_t begin = 0, count = 0;
};

// SDK range [since, until), archs as a bit mask over the backend's ordered list.
struct Range {
  SdkKey since = 0;
  SdkKey until = kSdkOpen;
  uint32_t archs = ~0u;
};

// Documents of an SDK, its revision history, measurements of a real library.
enum class SourceKind : uint8_t { kDocuments, kRevision, kMeasured };

// Features of a chip, bits of BackendRow::features.
using FeatureMask = uint8_t;

struct SourceRow {
  Str id;     // "docs-2.25", "measured-2.51"
  Str title;  // what it is, for people
  SdkKey sdk = 0;
  SourceKind kind = SourceKind::kDocuments;
  uint8_t partial = 0;  // 1 = queried about what changed only
  Slice<Str> backends;  // whose lines rest on it by where they stand in their files

  bool measured() const { return kind == SourceKind::kMeasured; }
};

struct SocRow {
  Str name;
  Slice<Str> aliases;
  int32_t id = 0;
  int16_t arch = -1;  // index into the HTP arch list; -1 = unknown
  int16_t vtcm_mb = 0;
  Str arch_name;  // as the sources say, also for archs below the first supported
  FeatureMask lacks = 0;  // features of HTP
};

struct EnumRow {
  Str name;
  int64_t value = 0;
};

enum PortFlags : uint8_t { kPortOptional = 1, kPortVariadic = 2 };

struct PortRow {
  Str name;  // "in[1]", "in[0..m]"
  Str role;  // "activation", "weight", "bias", ...; may be empty
  uint8_t flags = 0;
  int8_t channel_axis = -128;  // -128 = none
};

struct ParamRow {
  Str name;
  Dtype dtype = Dtype::kUndefined;
  uint8_t required = 0;
  int8_t rank = -1;  // of a tensor param; -1 = scalar
  Slice<EnumRow> values;
  // The default where it is known: ints or reals (either may be empty).
  Slice<int64_t> default_ints;
  Slice<double> default_reals;
};

struct VariantRow {
  Str id;  // without the op: "INT8.1"
  uint8_t group = 0;
  // kAccepted, or kUndocumented (accepted by the library, numbers not executed).
  Consequence consequence = Consequence::kAccepted;
  // Below this SDK (but within range) the row counts as undocumented. 0 = nowhere.
  SdkKey undocumented_until = 0;
  Range range;
  FeatureMask needs = 0;  // of the chip
  // One mask per port of the op, inputs then outputs; 0 = the port must be absent.
  Slice<DtypeMask> dtypes;
  Slice<uint16_t> sources;
};

// ---- constraints ----------------------------------------------------------------------

// The kinds and their arguments are the rows of core/database/kinds.def.
enum class Kind : uint8_t {
#define KIND(symbol, ...) symbol,
#include "core/database/kinds.def"
};
inline constexpr int kKindCount = 0
#define KIND(symbol, ...) +1
#include "core/database/kinds.def"
    ;

enum class ArgKey : uint8_t {
#define ARG(symbol, name) symbol,
#include "core/database/kinds.def"
};
inline constexpr int kArgKeyCount = 0
#define ARG(symbol, name) +1
#include "core/database/kinds.def"
    ;

// How the argument's value is stored.
enum class ArgType : uint8_t {
  kFlag,       // v.i = 0 or 1
  kInt,        // v.i
  kReal,       // v.d
  kString,     // a = string index into the Str section (see View::str)
  kPort,       // v.i = port index of the op (inputs then outputs)
  kDtypeMask,  // v.i
  kEncMask,    // v.i: bits of QnnEncoding
  kInts,       // a, b = slice of ints
  kReals,      // a, b = slice of reals
  kStrings,    // a, b = slice of Str
  kExpr,       // a, b = slice of ExprOp (postfix)
  kExprs,      // a, b = slice of Slice<ExprOp>
};

struct ArgRow {
  ArgKey key = ArgKey::kMin;
  ArgType type = ArgType::kInt;
  uint32_t a = 0, b = 0;
  union {
    int64_t i;
    double d;
  } v{0};
};

// Postfix expressions over ranks, dims and params: "rank(in[0])-1", "dim(in[0],axis)-1".
enum class ExprCode : uint8_t {
  kConst,     // push value
  kRank,      // push rank of port
  kDimConst,  // push dim `value` of port (negative counts from the end)
  kDimParam,  // push dim of port at the value of param `param`
  kParam,     // push the value of param `param`
  kAdd, kSub, kMul, kDiv, kMax, kMin, kNeg,
  kElements,    // push the number of elements of port
  kCount,       // push the number of elements of param `param`
  kTotal,       // push the sum over a port's tensors of the dim at the value of param `param`
};
struct ExprOp {
  ExprCode code = ExprCode::kConst;
  int16_t port = -1;
  int16_t param = -1;
  int64_t value = 0;  // kDimParam, kParam: number of the element + 1, 0 = the single value
};

enum class CondKey : uint8_t {
  kDtype,          // mask: dtype of `port` is one of them (port -1 = the constraint's own)
  kDtypeNot,       // mask
  kBits,           // ints: effective bits of `port`
  kEncoding,       // mask of QnnEncoding: of `port`
  kParam,          // ints: value of `param` (the default counts when it is not given)
  kParamNot,       // ints
  kRank,           // ints: rank of `port`
  kRankMin,        // ints[0]
  kAnyDimAbove,    // ints[0]
  kAnyDimNotMultiple,  // ints = dim, n, dim, n, ...
  kM,              // ints: index of the last given variadic input
  kMMin,           // ints[0]
  kStatic,         // ints[0] = 0 or 1: `port` is static
  kPresent,        // ints[0] = 0 or 1: `port` is given
  kAxesInclude,    // ints: param `axes` holds one of them (negative counts from the end)
  kSymmetricPeer,  // ints[0] = 0 or 1: encoding of `port` is symmetric
  kDimEq,          // ints = dim, value, dim, value, ...: of `port`
  kNoop,           // ints[0] = 1: the op does nothing (output shape equals input shape of in[0])
  kGraphInput,     // ints[0] = 0 or 1: `port` is an input of the graph
};

struct CondRow {
  CondKey key = CondKey::kDtype;
  int16_t port = -1;
  int16_t element = 0;  // of a variadic port
  int16_t param = -1;
  uint32_t mask = 0;
  Slice<int64_t> ints;
};

enum ConstraintPort : int16_t { kPortParam = -1, kPortAll = -2 };

struct AltRow;

struct ConstraintRow {
  Str id;  // without backend and op: "in[1]/symmetric"
  Kind kind = Kind::kNote;
  int16_t port = kPortParam;  // index, kPortAll, or kPortParam when it is about `param`
  int16_t element = -1;       // of a variadic port: this tensor only; -1 = each of them
  int16_t param = -1;
  Consequence consequence = Consequence::kRejected;
  // From this SDK on `measured_consequence` holds instead; kSdkOpen = never.
  SdkKey measured_since = kSdkOpen;
  Consequence measured_consequence = Consequence::kRejected;
  uint64_t groups = ~0ull;  // bit per group of the op
  Range range;
  Slice<CondRow> when;
  Slice<ArgRow> args;
  Slice<AltRow> alternatives;  // kAnyOf
  Slice<uint16_t> sources;
  Str note;
  Str profile;  // of opdefs/<backend>/profiles.yaml; empty = the op's own
};

// One inner list of any_of: constraints that hold together. They live in a section of their own.
struct AltRow {
  Slice<ConstraintRow> all_of;  // into the section of alternatives' constraints
};

struct OpRow {
  Str name;
  uint8_t input_count = 0, output_count = 0;  // declared ports; a variadic one counts once
  Range range;
  Slice<PortRow> ports;  // inputs then outputs
  Slice<ParamRow> params;
  Slice<Str> groups;
  Slice<VariantRow> variants;
  Slice<ConstraintRow> constraints;
  Slice<uint16_t> sources;
  uint32_t examples = ~0u;  // Tree node: list of {inputs, outputs, params, static, tag}
};

struct BackendRow {
  Str name;
  Slice<Str> archs;  // oldest first; the bit order of Range::archs; at most 32
  int16_t default_arch = 0;
  SdkKey first_measured = kSdkOpen;
  // From this SDK on rows are single accepted combinations; below it each port's list stands
  // alone, an unknown combination is `undocumented`. 0 = always, kSdkOpen = never.
  SdkKey tuples_since = 0;
  Slice<SdkKey> sdks;  // with knowledge of their own, oldest first
  Slice<Str> features;  // that only some chips have; the bit order of FeatureMask
  Slice<EnumRow> group_needs;  // groups of rows that need such features, and which
  Slice<OpRow> ops;    // sorted by name
  // The dialect whose operators are its ops, as a file of it has them; empty = QNN's.
  Str dialect;
  Str route;  // the usual one of such files
  // Why an op without a page is rejected from this SDK on; empty = nothing is known of it.
  Str unlisted;
  SdkKey unlisted_since = 0;
  Str measured_by;  // what its measurements were made with; empty = not stated
  uint8_t has_op_validation = 1;  // it validates ops one by one, before it gets a graph
  uint8_t has_socs = 0;           // the chips' archs and features are its own; of one backend at most
};

// A document kept as a tree (source-operator mappings, routes, examples): see View::tree.
enum class TreeType : uint8_t { kNull, kBool, kInt, kReal, kString, kList, kMap };
struct TreeRow {
  TreeType type = TreeType::kNull;
  Str key;            // of this entry in its map
  Slice<TreeRow> children;  // kList, kMap; a map's entries are sorted by key
  Str text;           // kString; for scalars the text as written
  union {
    int64_t i;
    double d;
  } v{0};
  uint32_t line = 0, column = 0;  // in the YAML file, from 1
};

// Constraints that an earlier version of quantgate called otherwise (opdefs/renamed_ids.yaml). Of
// the rows of a name the one that lists the place holds, else the one without places.
struct RenameRow {
  Str since;          // the version that changed the name: "0.2"
  Str backend, was;   // "htp", "zero-scale"
  Slice<Str> places;  // "Conv2d/in[1]"; none = all others, but for what is still called so
  Slice<Str> now;     // the names at the same place
  Str gone;           // why there is none
};

struct DocumentRow {
  Str name;  // "resolve/onnx", "routes/onnxruntime"
  uint32_t root = 0;
};

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_TABLES_H_
