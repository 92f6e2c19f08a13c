// A real backend library queried about the nodes of models, and its responses compared with the
// verdicts (docs/guide/verify.md).
//
//   auto verifier = quantgate::verify::Verifier::Open("libQnnHtp.so", {.soc = "SM8550"});
//   if (!verifier.ok()) return verifier.status();
//   for (Model& model : models) {
//     auto compared = verifier->Add(std::move(model), name);   // and at the end Flush()
//     …
//   }
#ifndef QUANTGATE_VERIFY_H_
#define QUANTGATE_VERIFY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/consequence.h"
#include "quantgate/database.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/report_text.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace QUANTGATE_EXPORT quantgate {
namespace QUANTGATE_EXPORT verify {

// What a library responds to one node.

enum class Outcome : uint8_t {
  kNotQueried,
  kOk,
  kFails,
  kCrash,  // the process died: `signal`, or an exit status in `code` where signal is 0
  kHang,   // ran into the time limit
};

enum class Stage : uint8_t { kValidate, kPrepare, kExecute };
inline constexpr int kStageCount = 3;
std::string_view StageName(Stage stage);  // "validate"

struct StageAnswer {
  Outcome outcome = Outcome::kNotQueried;
  int32_t signal = 0;
  uint64_t code = 0;    // the library's error code
  std::string step;     // the call that failed: "create tensor in[1]", "finalize"
  std::string message;  // first line of the library's log that gives a reason
};

// What an executed node computed, against the float reference.
enum class Values : uint8_t { kNotEvaluated, kRight, kBetween, kWrong };
std::string_view ValuesName(Values values);  // "right"

struct Judgement {
  Values values = Values::kNotEvaluated;
  std::string reason;   // why not evaluated; empty = was not executed
  double steps = 0;     // largest error in steps of the output's encoding
  double fraction = 0;  // largest error as a part of the output's range
  double share = 0;     // of the elements that are not right
};

struct Answer {
  StageAnswer stages[kStageCount];
  // Why the node could not be put to the library, which then was not queried.
  std::string not_queried;
  // Stored bytes of constants, inputs and outputs, by tensor, while an executed node is compared;
  // a Comparison holds none.
  std::map<TensorId, std::vector<uint8_t>> data;
  // Of values that the library's own float kernels were compared with.
  Judgement judgement;

  StageAnswer& operator[](Stage stage) { return stages[static_cast<size_t>(stage)]; }
  const StageAnswer& operator[](Stage stage) const { return stages[static_cast<size_t>(stage)]; }
};

// "accepted", "rejected", "crash SIGFPE", "hang", "not queried" for op validation; "ok",
// "fails", ... for the other stages.
std::string OutcomeText(Stage stage, const StageAnswer& answer);

// The comparison.

enum class Agreement : uint8_t {
  kAgrees,
  kFalseRejection,   // quantgate expects a failure that does not come
  kFalseAcceptance,  // a failure that quantgate does not expect
  kUnknown,          // quantgate does not know
  kNotQueried,       // the library can't be queried
};
inline constexpr int kAgreementCount = 5;
std::string_view AgreementName(Agreement agreement);  // "false_rejection"
std::string_view AgreementText(Agreement agreement);  // "false rejection"

struct ComparedNode {
  std::string name;       // of the op as the backend gets it
  std::string op;         // QNN
  std::string source;     // node of the file; empty = the same
  std::string source_op;  // empty = the same
  Consequence verdict = Consequence::kAccepted;
  std::vector<std::string> constraints;  // ids, or codes of rules, of the findings that led to it
  std::string reason;                    // why `unchecked`
  Answer answer;
  Judgement judgement;
  Agreement agreement = Agreement::kAgrees;
  std::string known;  // the reason where the disagreement is listed
  // With VerifyOptions::record what the library was asked: the op by itself, without names.
  std::shared_ptr<const Model> alone;
};

struct Comparison {
  std::string model;
  std::string backend, sdk, arch, soc, route;
  std::string library, build_id;
  std::string about;  // what responded: "a compiler, not a chip"
  std::vector<Stage> asked;
  std::vector<std::string> notes;
  std::vector<ComparedNode> nodes;

  std::array<size_t, kAgreementCount> Counts() const;
  // Nodes by agreement: disagreements first, then unknown, not queried, the rest in order.
  std::vector<const ComparedNode*> Sorted() const;
  bool HasUnlistedDisagreement() const;
};

// The JSON of docs/schemas/verify.schema.json; `indent` 0 = one line. Ends without a line feed.
std::string ComparisonJson(const Comparison& comparison, int indent = 2);
// Disagreements in full, a table of the nodes, the counts. `verbose`: agreeing nodes too.
std::string ComparisonText(const Comparison& comparison, const TextOptions& options = {});

// Disagreements that are known, each with its reason.
// Of {"differences": [{"node", "op", "model", "agreement", "reason"}]}; `agreement` and `reason`
// are required, of the others at least one; what isn't given matches anything.
class KnownDifferences {
 public:
  KnownDifferences() = default;
  // InvalidArgument with "reason" or "PLACE: reason".
  static absl::StatusOr<KnownDifferences> Parse(std::string_view json);
  // The same of a file of 4 MiB at most.
  static absl::StatusOr<KnownDifferences> Read(const std::string& path);

  // Sets `known` of the disagreements that are listed.
  void Mark(Comparison& comparison);
  // Entries that matched nothing so far, in words.
  std::vector<std::string> Unused() const;

 private:
  struct Entry {
    std::string model, node, op, agreement, reason;
    bool used = false;
  };
  std::vector<Entry> entries_;
};

struct VerifyOptions {
  std::string route = {};
  // Also make and finalize a graph of each node alone; and run it, its values then being held
  // against a float reference.
  bool prepare = false, execute = false;
  // Values of inputs by name of tensor, random ones for others. Must outlive the verifier.
  const Model* inputs = nullptr;
  uint64_t seed = 1;         // of random values
  int timeout_seconds = 30;  // of one stage of one node
  int jobs = 1;              // processes that query the library
  // A Python with NumPy for the reference, or with the package that is queried; empty = .venv's,
  // else python3.
  std::string python;
  // For a Recorder (record.h): query each op without the names of the model, so that the
  // library's messages hold none.
  bool record = false;
  // Called now and then while the library is queried; null = not wanted.
  std::function<void(size_t queried, size_t of)> progress;
};

// Some inputs crash or hang a library: every call is made in a child process, whose end is a
// response too (Outcome::kCrash). Models wait until there are enough of them for one start of the
// library, which costs 0.1 s. Not for use by several threads at once.
class Verifier {
 public:
  // `library`: a file such as libQnnHtp.so, the folder of an SDK or of an unpacked wheel of
  // onnxruntime-qnn, or the name of a program of tools/quantgate/python/oracles, such as "vela".
  // Without an SDK or a backend in `spec` they are the library's own. InvalidArgument like
  // Target::Parse(); another error has the message of the library or the loader. `database` must
  // outlive the verifier.
  static absl::StatusOr<Verifier> Open(const std::string& library, const TargetSpec& spec,
                                       const VerifyOptions& options = {},
                                       const Database& database = Database::Embedded());
  Verifier(Verifier&&) noexcept;
  Verifier& operator=(Verifier&&) noexcept;
  ~Verifier();

  // The comparisons that are ready, in the order of the models; may be none. `source` stands for
  // the model in them. An error only where no child process can work at all.
  absl::StatusOr<std::vector<Comparison>> Add(Model model, std::string source);
  // Those of all models that wait.
  absl::StatusOr<std::vector<Comparison>> Flush();

 private:
  class Impl;
  explicit Verifier(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace verify
}  // namespace quantgate

#endif  // QUANTGATE_VERIFY_H_
