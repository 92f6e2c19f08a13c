// A whole model put to a backend library as one graph, and the smallest part of it that still fails
// (docs/guide/verify.md).
#ifndef QUANTGATE_VERIFY_GRAPH_H_
#define QUANTGATE_VERIFY_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/report_text.h"
#include "quantgate/target.h"
#include "quantgate/verify.h"

namespace QUANTGATE_EXPORT quantgate {
namespace QUANTGATE_EXPORT verify {

// The smallest part found that fails as the whole does.
struct ReducedGraph {
  Model model;
  size_t of = 0;                      // ops of the whole
  std::vector<std::string> findings;  // what quantgate says of it: constraints or rules
};

struct GraphComparison {
  // The ops that the backend gets, with their verdicts. Where values are compared each has the
  // judgement of what it computed within the graph; `answer` is of the graph alone.
  Comparison ops;
  Consequence verdict = Consequence::kAccepted;  // of the graph, the worst
  Answer answer;
  Judgement judgement;  // the worst of the ops
  // How far outputs are from those of a run that gives out every tensor, as a part of their
  // spread; negative = not compared.
  double apart = -1;
  Agreement agreement = Agreement::kAgrees;
  std::optional<ReducedGraph> reduced;

  // An op that computes something wrong without a finding is not predicted.
  bool AsPredicted() const;
};

// JSON of docs/schemas/verify_graph_library.schema.json. `file`: of the reduced model.
std::string GraphComparisonJson(const GraphComparison& graph, const std::string& file);
std::string GraphComparisonText(const GraphComparison& graph, const std::string& file,
                                const TextOptions& options = {});

struct VerifyGraphOptions {
  std::string route = {};
  uint64_t seed = 1;          // of inputs and weights, which are random
  int timeout_seconds = 600;  // of one step of one graph
  std::string python;         // with NumPy, for the float reference
  std::function<void(const std::string& what)> progress;  // null = not wanted
};

class GraphVerifier {
 public:
  // As Verifier::Open().
  static absl::StatusOr<GraphVerifier> Open(const std::string& library, const TargetSpec& spec,
                                            const VerifyGraphOptions& options,
                                            const Database& database);
  GraphVerifier(GraphVerifier&&) noexcept;
  GraphVerifier& operator=(GraphVerifier&&) noexcept;
  ~GraphVerifier();

  // InvalidArgument where nothing of the model can be put to the library.
  absl::StatusOr<GraphComparison> Compare(Model model, std::string source);
  // Of the model compared last. FailedPrecondition where nothing fails, or its ops don't without
  // those that the backend does not get.
  absl::StatusOr<ReducedGraph> Reduce();

 private:
  class Impl;
  explicit GraphVerifier(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace verify
}  // namespace quantgate

#endif  // QUANTGATE_VERIFY_GRAPH_H_
