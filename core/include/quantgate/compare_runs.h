// What a changed ONNX model computes, against what it computed before: both run on the CPU by
// ONNX Runtime, in a Python of the machine.
#ifndef QUANTGATE_COMPARE_RUNS_H_
#define QUANTGATE_COMPARE_RUNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "quantgate/dtype.h"
#include "quantgate/export.h"
#include "quantgate/model.h"

namespace QUANTGATE_EXPORT quantgate {

// An input of a model and the real values that it is given.
struct InputValues {
  std::string name;
  Dtype dtype = Dtype::kUndefined;
  std::vector<int64_t> dims;  // a dynamic one is 1
  double low = -1, high = 1;
  bool whole_type = false;  // quantized integers, which may be any of their type
};

// The inputs of an ONNX model with the ranges that it quantizes them to, -1 to 1 where it has none.
// InvalidArgument where an input has a type or rank of which no values can be made.
absl::StatusOr<std::vector<InputValues>> InputValuesOf(
    const Model& model, const Database& database = Database::Embedded());

struct CompareRunsOptions {
  std::string python;  // a program with onnxruntime; empty = .venv of the source tree, else python3
  int timeout_seconds = 300;  // 0 = none
  uint64_t seed = 1;
};

struct RunComparison {
  // By how much the outputs move, and by how much they do when the inputs move by half a step: root
  // mean square relative to that of the outputs, of the worst output.
  double difference = 0, noise = 0;
  // Why there is nothing to compare with; empty = both were run.
  std::string not_compared;
  // Why the changed model must not be used; empty = it may be. Rounding is no reason: outputs that
  // move by less than three times the noise, or by one part in a hundred.
  std::string worse;
};
// "on the CPU its outputs move by 0.10 %, and by 0.40 % when the inputs move by half a step"
std::string RunComparisonText(const RunComparison& comparison);

// Runs both files on the same random inputs. Unavailable where neither can be run, DeadlineExceeded
// after CompareRunsOptions::timeout_seconds.
absl::StatusOr<RunComparison> CompareRuns(const std::string& before, const std::string& after,
                                          const std::vector<InputValues>& inputs,
                                          const CompareRunsOptions& options = {});

}  // namespace quantgate

#endif  // QUANTGATE_COMPARE_RUNS_H_
