#include "tools/quantgate/check/survey.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "quantgate/model_files.h"
#include "quantgate/survey.h"
#include "tools/quantgate/check/all_socs.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/show/progress.h"

namespace quantgate::cli {
namespace {

// The table of chips, reported in text or JSON.
class SurveyTeller {
 public:
  SurveyTeller(const CheckFlags& flags, const Surveyor& surveyor, Output& output, bool json,
               const TextOptions& text)
      : flags_(flags), surveyor_(surveyor), output_(output), json_(json), text_(text) {}

  void Input(const std::string& path, const ReadOptions& options) {
    const absl::Status status = ReadModels(path, options, [&](const ReadModel& read) {
      const bool alone = flags_.models.size() == 1 && read.source == path;
      if (read.model.ok()) {
        Tell(*read.model, read.source, alone);
      } else {
        Unreadable(read.source, read.model.status(), alone);
      }
    });
    if (!status.ok()) Unreadable(path, status, flags_.models.size() == 1);
  }

  bool has_output() const { return has_output_; }
  int exit_status() const {
    return flags_.exit_zero && exit_status_ != kUnusable ? kFine : exit_status_;
  }

 private:
  void Tell(const Model& model, const std::string& source, bool alone) {
    const auto start = std::chrono::steady_clock::now();
    TimedSurvey timed{source, surveyor_.Check(model), 0};
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    timed.milliseconds = took.count();
    exit_status_ = std::max(exit_status_, SurveyExitCode(timed.survey));
    if (json_) {
      output_.Write(SurveyJson(timed, alone ? 2 : 0) + "\n");
    } else {
      if (has_output_) output_.Write("\n");
      output_.Write(SurveyText(timed, text_));
    }
    has_output_ = true;
  }

  void Unreadable(const std::string& source, const absl::Status& status, bool alone) {
    const ReadError error = ParseReadError(status);
    Fail(error.Text(source));
    exit_status_ = kUnusable;
    if (alone) return;
    if (json_) output_.Write(ReportErrorJson(source, error.place, error.reason) + "\n");
    has_output_ = true;
  }

  const CheckFlags& flags_;
  const Surveyor& surveyor_;
  Output& output_;
  const bool json_;
  const TextOptions text_;
  bool has_output_ = false;
  int exit_status_ = kFine;
};

}  // namespace

absl::Status CheckAllSocs(const CheckFlags& flags) {
  for (const auto& [given, name] :
       {std::pair(!flags.target.soc.empty(), "--soc"),
        std::pair(!flags.target.arch.empty(), "--arch"), std::pair(flags.as_run, "--as-run"),
        std::pair(!flags.encodings.empty(), "--encodings"),
        std::pair(!flags.save_node.empty(), "--save-node"),
        std::pair(flags.suggest, "--suggest")}) {
    if (given) return absl::InvalidArgumentError(std::string("--all-socs can't go with ") + name);
  }
  return absl::OkStatus();
}

int RunSurvey(const CheckFlags& flags, const Config& config, const ReadOptions& input, bool json,
              const Database& database) {
  const TargetSpec& spec = config.targets.front().spec;
  ValidatorOptions options = OptionsOf(config, {});
  options.route = config.targets.front().route;
  const absl::StatusOr<Surveyor> surveyor =
      Surveyor::Make(spec.backend, spec.sdk, options, database);
  if (!surveyor.ok()) return Fail(surveyor.status());
  absl::StatusOr<Output> output = Output::Open(flags.output, flags.models);
  if (!output.ok()) return Fail(output.status());
  const absl::StatusOr<bool> color = flags.color.Decide(*output);
  if (!color.ok()) return Fail(color.status());
  const Progress progress("checking");
  SurveyTeller teller(flags, *surveyor, *output, json,
                      {.color = *color, .verbose = flags.verbose, .width = TextWidth(*output)});
  for (const std::string& model : flags.models) teller.Input(model, input);
  if (!teller.has_output()) return teller.exit_status();
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return teller.exit_status();
}

}  // namespace quantgate::cli
