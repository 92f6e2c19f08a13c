// The versioned constraint database.
#ifndef QUANTGATE_DATABASE_H_
#define QUANTGATE_DATABASE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quantgate/consequence.h"
#include "quantgate/export.h"
#include "quantgate/target.h"

namespace quantgate::opdb {
class View;
}

namespace QUANTGATE_EXPORT quantgate {

// What the encoding of a port must be, with a row of dtypes and whatever shapes and params are.
struct EncodingRule {
  std::string port;                                  // "in[1]"
  std::string constraint;                            // "htp/Conv2d/in[1]/symmetric"
  std::string kind;                                  // "symmetric"
  Consequence consequence = Consequence::kRejected;  // of breaking it, for the target
  std::vector<std::string> encodings;                // that it holds for: "AXIS_SCALE_OFFSET"
  bool forbids = false;                              // these encodings are refused altogether
  // By kind; QNN's axis (negative counts from the end) and offset (-zero point).
  std::optional<int64_t> axis;
  std::optional<double> scale;
  std::optional<int64_t> offset;
  std::string same_as;  // the port whose encoding it must have
  std::string aspect;   // "both", "scale", "offset", "equal_or_larger_scale", ...
};

// Texts of one op for a target, ready to print: `quantgate query`, the bindings, the docs.
struct OpInfo {
  struct Port {
    std::string name;  // "in[1]"
    std::string role;  // "weight"
    bool optional = false;
    bool variadic = false;
    int channel_axis = -128;  // per-channel axis, negative counts from the end; -128 = none
  };
  struct Param {
    std::string name;
    std::string dtype;
    bool required = false;
    std::vector<std::pair<std::string, int64_t>> values;  // names of numbers
    int rank = -1;                                        // of a tensor; -1 = scalar
    std::string default_value;                            // "[1, 1]"; "" = not known
  };
  struct Variant {
    std::string id;                                // "htp/Conv2d#INT8.1"
    std::string group;                             // "INT8"
    std::vector<std::vector<std::string>> dtypes;  // per port, inputs then outputs; empty = absent
    Consequence consequence = Consequence::kAccepted;  // or kUndocumented
    std::string since, until, archs;                   // "2.25", "" = open, "v73+"
    std::vector<std::string> sources;
    bool documented = false, measured = false;  // by its sources
    std::vector<EncodingRule> encoding_rules;
    std::string undocumented_until;  // below this SDK undocumented, whatever `consequence` says
  };
  struct Constraint {
    std::string id;  // "htp/Conv2d/in[1]/symmetric"
    std::string port;
    std::string kind;                                  // "symmetric"
    std::string rule;                                  // "QG301"
    std::string text;                                  // one line: what must hold, and when
    Consequence consequence = Consequence::kRejected;  // for this target
    std::string since, until, archs;
    std::vector<std::string> groups;  // empty = all
    std::vector<std::string> sources;
    std::string note;
    std::string profile;                        // of the backend's profiles; "" = the op's own
    bool documented = false, measured = false;  // by its sources
    // From that SDK on the other consequence holds. "" = never.
    std::string measured_since;
    Consequence measured_consequence = Consequence::kRejected;
  };
  std::string name, backend;
  bool lists_per_port = false;  // the dtypes of a variant are a list per port, no combinations
  std::vector<Port> inputs, outputs;
  std::vector<Param> params;
  std::vector<Variant> variants;        // those of the target
  std::vector<Constraint> constraints;  // those of the target
  std::string since, until, archs;      // where the op is known
};

// What became of a constraint's id of an earlier version of quantgate.
struct RenamedId {
  std::string since;             // the version that changed it: "0.2"
  std::vector<std::string> now;  // "htp/Conv2d/in[1]/static-fp16"; several where it was split
  std::string gone;              // why nothing replaces it, where `now` is empty
};

// What an id leads to. For a constraint's id of an earlier version: those that replace it.
struct Entries {
  std::vector<OpInfo::Constraint> constraints;
  std::vector<OpInfo::Variant> rows;
  std::optional<RenamedId> renamed;
};

struct SocInfo {
  std::string name;
  std::vector<std::string> other_names;
  int id = 0;
  std::string arch;  // "" = unknown
  int vtcm_mb = 0;   // 0 = unknown
  std::vector<std::string> lacks;  // what other chips of its arch have: "float16"
  uint8_t lacks_bits = 0;          // as Target::lacks()
};

// "executorch@1.0": a route, and the release of its client that a model meets; empty = any that comes with the SDK.
struct RouteName {
  std::string_view name, release;
};
RouteName ParseRouteName(std::string_view text);

class Database {
 public:
  // The database compiled into the library; nothing is constructed at start.
  static const Database& Embedded();
  // Of a compiled image (opdefs/README.md), which is verified first: InvalidArgument says what is
  // wrong with it.
  static absl::StatusOr<Database> FromImage(std::string image);
  // The same of a file. Errors are "FILE: reason".
  static absl::StatusOr<Database> FromFile(const std::string& path);

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  std::vector<std::string> Backends() const;
  std::vector<std::string> Sdks(std::string_view backend) const;   // oldest first
  std::vector<std::string> Archs(std::string_view backend) const;  // oldest first
  std::vector<SocInfo> Socs() const;
  std::vector<std::string> Routes() const;  // the tools on the way to a backend, by name
  std::vector<std::string> Ops(const Target& target) const;
  // NotFound with the nearest names.
  absl::StatusOr<OpInfo> Query(std::string_view op, const Target& target) const;
  // Every row and constraint of every SDK and arch, with the consequences of the newest SDK.
  // NotFound like Query.
  absl::StatusOr<OpInfo> QueryEverySdk(std::string_view op, std::string_view backend) const;
  std::vector<std::string> OpsOfEverySdk(std::string_view backend) const;

  // By the id of a constraint, "htp/Conv2d/in[1]/symmetric", or of a row, "htp/Conv2d#INT8.1": with
  // the consequences of the newest SDK. NotFound with the nearest ids.
  absl::StatusOr<Entries> FindById(std::string_view id) const;
  // Nothing for an id that never changed. An id may have been given to another constraint since.
  std::optional<RenamedId> Renamed(std::string_view constraint_id) const;

  // InvalidArgument where a route is named with a release ("executorch@1.0") that is no version, or has none.
  absl::Status CheckRelease(std::string_view route) const;

  // From this SDK on the backend's documents list combinations of dtypes, before it a list a port
  // (OpInfo::lists_per_port). "" = all do; absent = none does, or there is no such backend.
  std::optional<std::string> CombinationsSince(std::string_view backend) const;
  // The texts of a list in a document of the database that is no op: "shared_output_encodings" of
  // "routes/executorch". Empty where there is none.
  std::vector<std::string> TextsOf(std::string_view document, std::string_view key) const;

  // The layout of the image, which is not part of the interface.
  const opdb::View& view() const { return *view_; }

 private:
  explicit Database(std::unique_ptr<const opdb::View> view, std::string image);
  std::string image_;
  std::unique_ptr<const opdb::View> view_;
};

}  // namespace quantgate

#endif  // QUANTGATE_DATABASE_H_
