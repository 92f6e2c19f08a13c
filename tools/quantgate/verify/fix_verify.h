// `fix --verify`: what the fixed model computes on the CPU, against what it computed before.
#ifndef QUANTGATE_TOOLS_QUANTGATE_VERIFY_FIX_VERIFY_H_
#define QUANTGATE_TOOLS_QUANTGATE_VERIFY_FIX_VERIFY_H_

#include <string>

#include "absl/status/statusor.h"
#include "quantgate/compare_runs.h"
#include "quantgate/database.h"
#include "quantgate/model.h"

namespace quantgate::cli {

struct VerifyTask {
  std::string before, after;     // ONNX files
  const Model* model = nullptr;  // as it was
  std::string python;            // empty = as `verify --python`
  int timeout_seconds = 0;
};

// Errors name the flags that help.
absl::StatusOr<RunComparison> VerifyFixed(const VerifyTask& task, const Database& database);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_VERIFY_FIX_VERIFY_H_
