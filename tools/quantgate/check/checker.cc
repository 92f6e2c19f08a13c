#include "tools/quantgate/check/checker.h"

#include <algorithm>
#include <utility>

#include "quantgate/model_files.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/in_order.h"
#include "tools/quantgate/show/progress.h"

namespace quantgate::cli {
namespace {

// The names of each node's outputs.
std::vector<std::vector<std::string>> OutputNames(const Model& model) {
  std::vector<std::vector<std::string>> names(model.nodes.size());
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    for (const TensorId output : model.nodes[i].outputs) {
      if (output == kNoTensor) continue;
      names[i].push_back(model.tensors[static_cast<size_t>(output)].name);
    }
  }
  return names;
}

}  // namespace

Checker::Checker(const CheckFlags& flags, const std::vector<Validator>& validators, Policy policy,
                 std::string baseline, ReportNeeds needs, const Database& database,
                 const EncodingsFile* encodings, Output& output, Reporter& reporter)
    : flags_(flags),
      validators_(validators),
      policy_(std::move(policy)),
      baseline_(std::move(baseline)),
      needs_(needs),
      database_(database),
      encodings_(encodings),
      output_(output),
      reporter_(reporter),
      new_baseline_(flags.write_baseline) {}

void Checker::Inputs(const ReadOptions& options) {
  const auto jobs = static_cast<size_t>(JobsOf(flags_));
  // Files of many models are reported model by model: they need not fit into memory together.
  const bool lines = std::any_of(flags_.models.begin(), flags_.models.end(), [&](const auto& m) {
    return m == "-" || m.ends_with(".jsonl") || options.format == InputFormat::kModelJsonl;
  });
  InOrder<std::vector<Outcome>>(
      flags_.models.size(), lines ? 1 : jobs,
      [&](size_t i) {
        std::vector<Outcome> outcomes;
        const auto keep = [&](Outcome outcome) { outcomes.push_back(std::move(outcome)); };
        const auto tell = [&](Outcome outcome) { Tell(std::move(outcome)); };
        if (lines) {
          Read(flags_.models[i], options, tell);
        } else {
          Read(flags_.models[i], options, keep);
        }
        return outcomes;
      },
      [&](std::vector<Outcome> outcomes) {
        for (Outcome& outcome : outcomes) Tell(std::move(outcome));
      });
}

int Checker::exit_status() const {
  return flags_.exit_zero && exit_status_ != kUnusable ? kFine : exit_status_;
}

absl::Status Checker::Close() {
  output_.Write(reporter_.Finish());
  for (const std::string& note : reporter_.notes()) Note(note);
  for (const std::string& note : policy_.Notes()) Note(note);
  if (flags_.write_baseline.empty()) return absl::OkStatus();
  if (const absl::Status status = WriteBaseline(); !status.ok()) return status;
  Note(flags_.write_baseline + ": " + std::to_string(new_baseline_.count()) + " findings");
  // What was found is known now.
  if (exit_status_ != kUnusable) exit_status_ = kFine;
  return absl::OkStatus();
}

void Checker::Read(const std::string& path, const ReadOptions& options,
                   absl::FunctionRef<void(Outcome)> use) const {
  const absl::Status status = ReadModels(path, options, [&](const ReadModel& read) {
    Outcome outcome{read.source, read.model.status(), {}};
    if (read.model.ok()) outcome.status = WhyNot(*read.model);
    if (outcome.status.ok()) {
      for (const Validator& validator : validators_) {
        outcome.reports.push_back(Check(validator, *read.model));
        outcome.reports.back().report.model = read.source;
      }
      if (needs_.lines && path != "-") {
        for (Checked& checked : outcome.reports) checked.lines = NodeLines(path, *read.model);
      }
    }
    use(std::move(outcome));
  });
  if (!status.ok()) use(Outcome{path, status, {}});
}

absl::Status Checker::WhyNot(const Model& model) const {
  std::string first;
  for (const Validator& validator : validators_) {
    const std::string reason = validator.target().WhyNot(DialectName(model.dialect));
    if (reason.empty()) return absl::OkStatus();
    if (first.empty()) first = reason;
  }
  return first.empty() ? absl::OkStatus() : absl::InvalidArgumentError(first);
}

Checked Checker::Check(const Validator& validator, const Model& model) const {
  Checked checked;
  checked.report =
      encodings_ != nullptr ? validator.Check(model, *encodings_) : validator.Check(model);
  if (!needs_.graph) return checked;
  checked.graph = GraphOf(model, checked.report, validator.target());
  checked.outputs = OutputNames(model);
  return checked;
}

std::optional<LoweredGraph> Checker::GraphOf(Model model, const Report& report,
                                             const Target& target) const {
  if (!target.unsupported().empty() || model.nodes.empty()) return std::nullopt;
  // What does not fit is in the report already.
  if (encodings_ != nullptr) ApplyEncodings(*encodings_, model, database_);
  return Lower(std::move(model), target, report.route, database_);
}

absl::Status Checker::WriteBaseline() const {
  absl::StatusOr<Output> output = Output::Open(flags_.write_baseline);
  if (!output.ok()) return output.status();
  output->Write(new_baseline_.Text());
  return output->Commit();
}

void Checker::Tell(Outcome outcome) {
  if (!outcome.status.ok()) {
    // Models of a .jsonl are distinguished by their line.
    const bool alone = flags_.models.size() == 1 && outcome.source == flags_.models.front();
    return Unreadable(outcome.source, outcome.status, alone);
  }
  for (size_t i = 0; i < outcome.reports.size(); ++i) {
    Checked& checked = outcome.reports[i];
    policy_.Apply(validators_[i].options(), BaselineModel(baseline_, outcome.source), checked);
    if (!flags_.write_baseline.empty()) new_baseline_.Add(checked);
    exit_status_ = std::max(exit_status_, checked.report.ExitCode());
    output_.Write(reporter_.Add(checked));
    has_output_ = true;
  }
  // On a terminal each report is seen when it is there; an error of writing is Commit()'s to
  // tell.
  if (output_.is_terminal()) output_.Flush().IgnoreError();
  ++checked_;
  Progress::Tell(checked_, checked_ == 1 ? "model checked" : "models checked");
}

void Checker::Unreadable(const std::string& source, const absl::Status& status, bool alone) {
  const ReadError error = ParseReadError(status);
  Fail(error.Text(source));
  exit_status_ = kUnusable;
  if (alone) return;
  output_.Write(reporter_.AddUnreadable(source, error.place, error.reason));
  has_output_ = true;
}

}  // namespace quantgate::cli
