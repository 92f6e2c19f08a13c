// A file of findings that are known, so that only new ones fail.
#ifndef QUANTGATE_TOOLS_QUANTGATE_BASELINE_H_
#define QUANTGATE_TOOLS_QUANTGATE_BASELINE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/policy/policy.h"
#include "core/report/checked.h"

namespace quantgate::cli {

// A model as the baseline file at `path` calls it: relative to the file's folder, so that both can
// be moved together.
std::string BaselineModel(const std::string& path, const std::string& model);

// "FILE:LINE:COLUMN: …" on errors.
absl::StatusOr<Baseline> ReadBaseline(const std::string& path);

// Collects findings and writes them, sorted, one a line: made to be reviewed and merged.
class BaselineWriter {
 public:
  explicit BaselineWriter(std::string path) : path_(std::move(path)) {}
  void Add(const Checked& checked);
  absl::Status Write() const;
  size_t count() const { return count_; }

 private:
  std::string path_;
  std::map<std::string, std::map<std::string, std::string>> models_;  // model, fingerprint, line
  size_t count_ = 0;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_BASELINE_H_
