// `fix --verify`: what the fixed model computes on the CPU, against what it computed before.
#ifndef QUANTGATE_TOOLS_QUANTGATE_FIX_VERIFY_H_
#define QUANTGATE_TOOLS_QUANTGATE_FIX_VERIFY_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/database/view.h"
#include "quantgate/model.h"

namespace quantgate::cli {

struct Verification {
  // Root mean square relative to that of the outputs, of the worst output.
  double difference = 0, noise = 0;
  // Why there is nothing to compare with; empty = both were run.
  std::string not_compared;
  // Why the fixed model must not be written; empty = it may be.
  std::string worse;
};

struct VerifyTask {
  std::string before, after;     // ONNX files
  const Model* model = nullptr;  // as it was
  std::string python;            // empty = as `verify --python`
  int timeout_seconds = 0;
};

// Runs both on the same random inputs within the ranges that the inputs are quantized with. Fails
// where neither can be run.
absl::StatusOr<Verification> VerifyFixed(const VerifyTask& task, const opdb::View& database);

// "outputs move by 0.1 %, and by 0.4 % when the inputs move by half a step"
std::string Describe(const Verification& verification);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_FIX_VERIFY_H_
