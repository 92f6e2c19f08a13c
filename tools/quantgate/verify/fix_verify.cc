#include "tools/quantgate/verify/fix_verify.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/quantgate/show/progress.h"

namespace quantgate::cli {

absl::StatusOr<RunComparison> VerifyFixed(const VerifyTask& task, const Database& database) {
  const absl::StatusOr<std::vector<InputValues>> inputs = InputValuesOf(*task.model, database);
  if (!inputs.ok()) {
    return absl::InvalidArgumentError("--verify: " + std::string(inputs.status().message()));
  }
  const absl::StatusOr<RunComparison> compared = [&] {
    const Progress progress("running the model before and after on the CPU");
    return CompareRuns(task.before, task.after, *inputs,
                       {.python = task.python, .timeout_seconds = task.timeout_seconds});
  }();
  if (compared.ok()) return compared;
  const std::string why = "--verify: " + std::string(compared.status().message());
  if (compared.status().code() == absl::StatusCode::kDeadlineExceeded) {
    return absl::DeadlineExceededError(why + "; --verify-timeout allows more");
  }
  return absl::UnavailableError(why + "; it needs a Python with onnxruntime (--python)");
}

}  // namespace quantgate::cli
