// A real backend that can be queried about the nodes of models, whatever it is: a shared library,
// or a compiler or interpreter that a program runs.
#ifndef QUANTGATE_CORE_ORACLE_QUERIED_BACKEND_H_
#define QUANTGATE_CORE_ORACLE_QUERIED_BACKEND_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/model.h"
#include "quantgate/verify.h"

namespace quantgate::verify {

struct Question {
  // All nodes of the model as one graph, in their order.
  static constexpr int32_t kWholeGraph = -1;

  const Model* model = nullptr;
  int32_t node = 0;  // index into model->nodes, or kWholeGraph
};

struct AskOptions {
  // Also make, finalize and (with execute) run a graph of the node alone. A node that op
  // validation refuses is not prepared unless `prepare_refused`; one with a sparse tensor
  // never is.
  bool prepare = false;
  bool execute = false;
  bool prepare_refused = false;
  // Keep the bytes of every tensor of an executed node.
  bool keep_data = false;
  // Names of tensors that are handed over in the matrix unit's own layout.
  std::vector<std::string> native;
  uint64_t seed = 1;
  int timeout_seconds = 30;  // of one stage of one node
  int jobs = 1;              // processes
  // Called now and then with the number of questions taken up; null = not wanted.
  std::function<void(size_t)> progress;
};

// Crashes and hangs are answers: whoever implements this makes every call in a child process.
class QueriedBackend {
 public:
  struct Info {
    std::string backend;   // "HTP_QTI_AISW"; of a program, the backend of the database
    std::string build_id;  // may be empty
    std::string sdk;       // the version that it says it is, "2.51"; may be empty
    std::string about;     // what answers: "a compiler, not a chip"
    // Placing and preparing an op are one step: both are always answered.
    bool always_prepares = false;
    // Brings values of its own to compare with; otherwise it keeps data for the float reference.
    bool judges_values = false;
  };

  virtual ~QueriedBackend() = default;

  const Info& info() const { return info_; }
  // One answer per question, in order. An error only when no child can work at all.
  virtual absl::StatusOr<std::vector<Answer>> Ask(std::span<const Question> questions,
                                                  const AskOptions& options) const = 0;

 protected:
  Info info_;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_QUERIED_BACKEND_H_
