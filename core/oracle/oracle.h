// Asks a real QNN backend library about the nodes of models, safely.
//
// Some inputs crash or hang the library: every call is made in a child process, and a child
// that dies is an answer and replaced by a new one. Children are forked with the questions in
// memory, so a batch costs one start of the library (about 0.1 s) and then the library's own
// time: microseconds per op validation.
#ifndef QUANTGATE_CORE_ORACLE_ORACLE_H_
#define QUANTGATE_CORE_ORACLE_ORACLE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/verify.h"
#include "core/oracle/backend.h"
#include "quantgate/model.h"

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

class Oracle {
 public:
  struct Info {
    std::string backend;   // "HTP_QTI_AISW"
    std::string build_id;  // may be empty
  };

  // Tries the library in a child process; an error says what the library or the loader said.
  static absl::StatusOr<Oracle> Open(std::string library, Device device);

  const Info& info() const { return info_; }

  // One answer per question, in order. An error only when no child can work at all.
  absl::StatusOr<std::vector<Answer>> Ask(std::span<const Question> questions,
                                          const AskOptions& options) const;
  // Op validation of one node. Starts the library anew: use Ask for many.
  absl::StatusOr<Answer> Validate(const Model& model, int32_t node) const;

 private:
  Oracle(std::string library, Device device) : library_(std::move(library)), device_(device) {}

  std::string library_;
  Device device_;
  Info info_;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_ORACLE_H_
