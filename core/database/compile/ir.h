// The database in memory between YAML and image: the rows of core/database/tables.h with owned
// strings and lists. Numbers of ports, params, groups and archs are resolved; sources go by id,
// so that databases can be merged.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_IR_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_IR_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/database/tables.h"

namespace quantgate::opdefs {

using opdb::SourceKind;

struct Tree {
  opdb::TreeType type = opdb::TreeType::kNull;
  std::string key, text;
  std::vector<Tree> children;  // a map's are sorted by key
  int64_t i = 0;
  double d = 0;
  uint32_t line = 0, column = 0;
};

struct Source {
  std::string title;
  SdkKey sdk = 0;
  SourceKind kind = SourceKind::kDocuments;
  // Asked about what changed only: evidence for what begins with this version.
  bool partial = false;
  // Those whose lines rest on it by where they stand; none: it is named or not used.
  std::vector<std::string> backends;
};

struct Soc {
  std::string name;
  std::vector<std::string> aliases;
  std::string arch;  // "" = unknown
  int16_t vtcm_mb = 0;
  std::vector<std::string> lacks;  // features of HTP
};

struct Port {
  std::string name, role;
  uint8_t flags = 0;
  int8_t channel_axis = -128;
  int first = 0;  // "in[1]" and "in[1..m]": 1
};

struct Param {
  std::string name;
  Dtype dtype = Dtype::kUndefined;
  bool required = false;
  int8_t rank = -1;
  std::vector<std::pair<std::string, int64_t>> values;
  std::vector<int64_t> default_ints;
  std::vector<double> default_reals;
};

struct Variant {
  std::string id;
  uint8_t group = 0;
  Consequence consequence = Consequence::kAccepted;
  SdkKey undocumented_until = 0;
  opdb::Range range;
  opdb::FeatureMask needs = 0;
  std::vector<DtypeMask> dtypes;
  std::vector<std::string> sources;
};

using Expr = std::vector<opdb::ExprOp>;

struct Arg {
  opdb::ArgKey key = opdb::ArgKey::kMin;
  opdb::ArgType type = opdb::ArgType::kInt;
  int64_t i = 0;
  double d = 0;
  std::string text;
  std::vector<int64_t> ints;
  std::vector<Expr> exprs;  // kExpr: one
};

struct Cond {
  opdb::CondKey key = opdb::CondKey::kDtype;
  int16_t port = -1, element = 0, param = -1;
  uint32_t mask = 0;
  std::vector<int64_t> ints;
};

struct Constraint {
  std::string id;
  opdb::Kind kind = opdb::Kind::kNote;
  int16_t port = opdb::kPortParam, element = -1, param = -1;
  Consequence consequence = Consequence::kRejected;
  SdkKey measured_since = kSdkOpen;
  Consequence measured_consequence = Consequence::kRejected;
  uint64_t groups = ~0ull;
  opdb::Range range;
  std::vector<Cond> when;
  std::vector<Arg> args;
  std::vector<std::vector<Constraint>> alternatives;
  std::vector<std::string> sources;
  std::string note;
  std::string profile;  // the profile an op takes it from; "" = it is the op's own
};

struct Op {
  uint8_t input_count = 0, output_count = 0;
  opdb::Range range;
  std::vector<Port> ports;
  std::vector<Param> params;
  std::vector<std::string> groups;
  std::vector<Variant> variants;
  std::vector<Constraint> constraints;
  std::vector<std::string> sources;
  Tree examples;  // kNull = none
};

struct Backend {
  std::vector<std::string> archs;
  int16_t default_arch = 0;
  SdkKey first_measured = kSdkOpen;
  SdkKey tuples_since = 0;
  std::string unlisted;        // why an op without a page is rejected; empty = it is unknown
  SdkKey unlisted_since = 0;   // from which SDK on
  std::string measured_by;     // what its measurements were made with
  bool has_op_validation = true;
  bool has_socs = false;
  std::string dialect, route;  // of files whose operators are its ops; empty = QNN's
  std::vector<SdkKey> sdks;
  std::vector<std::string> features;
  // Groups of rows that need one, with its bit.
  std::map<std::string, opdb::FeatureMask> group_needs;
  std::map<std::string, Op> ops;
};

// Names of constraints that changed, see opdb::RenameRow.
struct Rename {
  std::string since, backend, was;
  std::vector<std::string> places, now;
  std::string gone;
};

struct Ir {
  std::map<std::string, Source> sources;
  std::map<std::string, Backend> backends;
  std::map<int32_t, Soc> socs;
  std::map<std::string, Tree> documents;
  std::set<std::string> routes;  // of this folder and of the databases below

  // The backend whose archs and features the chips have; null where there is none.
  const Backend* BackendOfSocs() const {
    for (const auto& [name, backend] : backends) {
      if (backend.has_socs) return &backend;
    }
    return nullptr;
  }
  std::vector<Rename> renames;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_IR_H_
