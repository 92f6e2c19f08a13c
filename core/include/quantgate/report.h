// What a check found. Plain data; reporters print it and read nothing else.
#ifndef QUANTGATE_REPORT_H_
#define QUANTGATE_REPORT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "quantgate/as_run.h"
#include "quantgate/consequence.h"
#include "quantgate/export.h"
#include "quantgate/rule.h"
#include "quantgate/shared.h"
#include "quantgate/shared_string.h"

namespace QUANTGATE_EXPORT quantgate {

enum class Mode : uint8_t { kStrict, kWarn };
enum class Level : uint8_t { kNote, kWarning, kError };
// What the verdict of a node rests on, weakest first: nothing (unchecked), documents alone,
// measurements of another SDK's library, measurements of this one's (Report::measured_by).
enum class Basis : uint8_t { kNothing, kDocuments, kMeasuredElsewhere, kMeasured };
inline constexpr int kBasisCount = 4;
std::string_view BasisName(Basis basis);  // "nothing", "documents", "measuredElsewhere", "measured"
std::string_view ModeName(Mode mode);     // "strict", "warn"
std::string_view LevelName(Level level);  // "note", "warning", "error"

// One change to the model. `path` is like "tensors/w/encoding/perTensor/zeroPoint" or
// "nodes/n0/inputs/1"; `value` is JSON text.
struct Edit {
  std::string op;  // "set", "insert", "remove"
  std::string path;
  std::string value;

  bool operator==(const Edit&) const = default;
};

struct Fix {
  std::string summary;
  bool safe = false;  // keeps what the model computes, but for roundings: fix makes it
  std::vector<Edit> edits;
};

struct Finding {
  const Rule* rule = nullptr;  // never null; static storage
  SharedString constraint;      // "htp/Conv2d/in[1]/symmetric"; empty for graph and input rules
  Consequence consequence = Consequence::kRejected;
  Level level = Level::kError;
  int32_t node_index = -1;  // into Report::nodes; -1 = the model as a whole
  SharedString node;
  SharedString op;         // the QNN op, or the source op where there is none
  int32_t op_index = -1;  // into NodeReport::resolved; -1 = none
  SharedString port;       // "in[1]", a param's name, or empty
  SharedString tensor;
  SharedString message;  // one line with the values of this case
  SharedString found;    // what the model has there; may be empty
  SharedString allowed;  // what the target accepts there; may be empty
  // Of a finding about numbers: bits of the tensor's resolution that are lost. 0 = not counted.
  double lost_bits = 0;
  std::vector<Fix> fixes;
  // Ids of opdefs/sources.yaml: "docs-2.25", "measured-2.51".
  Shared<std::vector<std::string>> sources;
  std::vector<std::string> related;  // other ports: "in[0]"
  // Of the rule's data: "documents only", "measured on x86-64 2.51". May be empty.
  SharedString note;
  // Why this finding is accepted (a waiver of the database's overlay). Empty = it is not. It then
  // is a note and fails nothing; verdicts stay.
  SharedString waived;
};

struct NodeReport {
  SharedString name;
  SharedString op;                                // as in the file
  absl::InlinedVector<SharedString, 1> resolved;  // QNN ops; empty = none
  Consequence verdict = Consequence::kAccepted;
  Basis basis = Basis::kMeasured;
  SharedString into;      // the node that this one is part of (a Q/DQ, Constant, fused Relu)
  SharedString reason;    // why `unchecked`
  SharedString location;  // where the user wrote the node; may be empty
};

struct Report {
  Mode mode = Mode::kStrict;
  std::string model;  // the file
  // As checked for: "htp", "2.51", "v73", "SM8550" (may be empty), "onnxruntime".
  std::string backend, sdk, arch, soc, route;
  std::string knowledge_sdk;  // whose facts were used: below `sdk` where that one is not known
  bool measured = false;      // knowledge_sdk was measured on its library
  std::string measured_by;    // what the backend's measurements were made with; may be empty
  bool has_op_validation = true;  // the backend validates ops one by one, before the graph
  std::vector<std::string> notes;                   // head of the report
  std::vector<NodeReport> nodes;                    // every node of the file, in order
  std::vector<Finding> findings;                    // node order, in before out, port, rule code
  std::array<int64_t, kConsequenceCount> counts{};  // of nodes by verdict
  std::array<int64_t, kBasisCount> basis{};          // of nodes by Basis; the sum is all nodes
  Consequence verdict = Consequence::kAccepted;     // the worst
  bool failed = false;                              // the mode fails
  std::optional<AsRun> as_run;                      // where ValidatorOptions::as_run asks for it

  int ExitCode() const { return failed ? 1 : 0; }  // of a program that checks this model alone
};

}  // namespace quantgate

#endif  // QUANTGATE_REPORT_H_
