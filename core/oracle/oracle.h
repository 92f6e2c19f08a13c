// Asks a real QNN backend library about the nodes of models, safely.
//
// Some inputs crash or hang the library: every call is made in a child process, and a child
// that dies is an answer and replaced by a new one. Children are forked with the questions in
// memory, so a batch costs one start of the library (about 0.1 s) and then the library's own
// time: microseconds per op validation.
#ifndef QUANTGATE_CORE_ORACLE_ORACLE_H_
#define QUANTGATE_CORE_ORACLE_ORACLE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/oracle/backend.h"
#include "core/oracle/queried_backend.h"
#include "quantgate/model.h"
#include "quantgate/verify.h"

namespace quantgate::verify {

class Oracle : public QueriedBackend {
 public:
  // Tries the library in a child process; an error has the message of the library or the loader.
  static absl::StatusOr<Oracle> Open(std::string library, Device device);

  absl::StatusOr<std::vector<Answer>> Ask(std::span<const Question> questions,
                                          const AskOptions& options) const override;
  // Op validation of one node. Starts the library anew: use Ask for many.
  absl::StatusOr<Answer> Validate(const Model& model, int32_t node) const;

 private:
  Oracle(std::string library, Device device) : library_(std::move(library)), device_(device) {}

  std::string library_;
  Device device_;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_ORACLE_H_
