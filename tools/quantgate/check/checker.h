// Models checked and reported one after the other.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CHECK_CHECKER_H_
#define QUANTGATE_TOOLS_QUANTGATE_CHECK_CHECKER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "quantgate/lower.h"
#include "quantgate/policy.h"
#include "quantgate/quantgate.h"
#include "quantgate/report_formats.h"
#include "tools/quantgate/check/flags.h"
#include "tools/quantgate/cli/output.h"

namespace quantgate::cli {

class Checker {
 public:
  // All must outlive it. `encodings` may be null.
  Checker(const CheckFlags& flags, const std::vector<Validator>& validators, Policy policy,
          std::string baseline, ReportNeeds needs, const Database& database,
          const EncodingsFile* encodings, Output& output, Reporter& reporter);

  // Reads, checks and reports all models of the flags.
  void Inputs(const ReadOptions& options);

  // Worth writing: something besides the error of a single input.
  bool has_output() const { return has_output_; }
  int exit_status() const;

  // Writes what stands at the end of a report, and the new baseline.
  absl::Status Close();

 private:
  // What became of one model of an input: a report per target, or why it can't be read.
  struct Outcome {
    std::string source;
    absl::Status status;
    std::vector<Checked> reports;
  };

  // May run on any thread.
  void Read(const std::string& path, const ReadOptions& options,
            absl::FunctionRef<void(Outcome)> use) const;
  // Of a model that is in no target's words.
  absl::Status WhyNot(const Model& model) const;
  Checked Check(const Validator& validator, const Model& model) const;
  // The graph that was evaluated for `report`; nullopt where the target knows no ops.
  std::optional<LoweredGraph> GraphOf(Model model, const Report& report,
                                      const Target& target) const;
  absl::Status WriteBaseline() const;
  void Tell(Outcome outcome);
  void Unreadable(const std::string& source, const absl::Status& status, bool alone);

  const CheckFlags& flags_;
  const std::vector<Validator>& validators_;
  Policy policy_;
  const std::string baseline_;
  const ReportNeeds needs_;
  const Database& database_;
  const EncodingsFile* encodings_;
  Output& output_;
  Reporter& reporter_;
  BaselineWriter new_baseline_;
  size_t checked_ = 0;
  bool has_output_ = false;
  int exit_status_ = kFine;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CHECK_CHECKER_H_
