// quantgate check MODEL…
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quantgate/config.h"
#include "quantgate/model_files.h"
#include "quantgate/policy.h"
#include "quantgate/quantgate.h"
#include "quantgate/report_formats.h"
#include "tools/quantgate/check/checker.h"
#include "tools/quantgate/check/flags.h"
#include "tools/quantgate/check/save_node.h"
#include "tools/quantgate/check/setup.h"
#include "tools/quantgate/check/survey.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/database_flags.h"
#include "tools/quantgate/cli/input.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/cli/watch.h"
#include "tools/quantgate/show/progress.h"

namespace quantgate::cli {
namespace {

absl::StatusOr<ReportFormat> ParseReportFormat(std::string_view text) {
  const absl::StatusOr<size_t> index = OneOf("--format", text, ReportFormatNames());
  if (!index.ok()) return index.status();
  return static_cast<ReportFormat>(*index);
}

std::vector<std::string> InputsOf(const CheckFlags& flags) {
  std::vector<std::string> inputs = flags.models;
  if (!flags.encodings.empty()) inputs.push_back(flags.encodings);
  return inputs;
}

int SaveOneNode(const CheckFlags& flags, const ReadOptions& reading, const Target& target,
                const ValidatorOptions& options, const Database& database,
                const std::optional<EncodingsFile>& encodings, Output& output) {
  if (flags.models.size() != 1) return Fail("--save-node takes one model");
  const SaveNode save = {flags.save_node, flags.output, encodings ? &*encodings : nullptr};
  int exit_status = kFine;
  size_t count = 0;
  const absl::Status status = ReadModels(flags.models[0], reading, [&](ReadModel read) {
    if (++count > 1) return;
    exit_status = read.model.ok() ? WriteSmallest(save, target, options, database,
                                                  *std::move(read.model), read.source, output)
                                  : Fail(ParseReadError(read.model.status()).Text(read.source));
  });
  if (!status.ok()) return Fail(ParseReadError(status).Text(flags.models[0]));
  if (count > 1) return Fail(flags.models[0] + ": --save-node takes a file with one model");
  if (exit_status == kUnusable) return exit_status;
  if (const absl::Status done = output.Commit(); !done.ok()) return Fail(done);
  return exit_status;
}

int PrintConfig(const Config& config, ReportFormat format) {
  absl::StatusOr<Output> output = Output::Open("");
  output->Write(ShowConfig(config, format == ReportFormat::kJson));
  const absl::Status status = output->Commit();
  return status.ok() ? kFine : Fail(status);
}

ReportView ViewOf(const CheckFlags& flags, ReportFormat format, size_t targets) {
  if (flags.statistics) return ReportView::kStatistics;
  return targets > 1 && HasView(format, ReportView::kTargets) ? ReportView::kTargets
                                                              : ReportView::kFindings;
}

absl::Status CheckGiven(const CheckFlags& flags, ReportFormat format) {
  if (flags.models.empty() && !flags.show_config) {
    return absl::InvalidArgumentError("check: MODEL is required");
  }
  if (flags.statistics && !HasView(format, ReportView::kStatistics)) {
    return absl::InvalidArgumentError("--statistics: comes as text or json, not as " + flags.format);
  }
  if (std::count(flags.models.begin(), flags.models.end(), "-") + (flags.encodings == "-") > 1) {
    return absl::InvalidArgumentError("standard input ('-') can be read once only");
  }
  return absl::OkStatus();
}

int RunCheck(const CheckFlags& flags) {
  const absl::StatusOr<ReportFormat> format = ParseReportFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  const absl::StatusOr<ReadOptions> input = flags.reading.Parse();
  if (!input.ok()) return Fail(input.status());
  if (const absl::Status status = CheckGiven(flags, *format); !status.ok()) return Fail(status);
  absl::StatusOr<Config> config = EffectiveConfig(GivenOf(flags), flags.models);
  if (!config.ok()) return Fail(config.status());
  const absl::StatusOr<const Database*> database = DatabaseFlags{flags.opdefs.file, config->opdefs}.Load();
  if (!database.ok()) return Fail(database.status());
  if (const absl::Status status = SetTargets(GivenOf(flags), **database, *config); !status.ok()) {
    return Fail(status);
  }
  if (flags.all_socs) {
    if (const absl::Status status = CheckAllSocs(flags); !status.ok()) return Fail(status);
    const bool json = *format == ReportFormat::kJson;
    if (!flags.show_config && (json || *format == ReportFormat::kText)) {
      return RunSurvey(flags, *config, *input, json, **database);
    }
  }
  const absl::StatusOr<std::vector<Validator>> validators =
      ValidatorsOf(*config, flags.all_socs, ExtrasOf(flags), **database);
  if (!validators.ok()) return Fail(validators.status());
  if (flags.show_config) return PrintConfig(*config, *format);
  absl::StatusOr<Policy> policy = PolicyOf(*config);
  if (!policy.ok()) return Fail(policy.status());
  const Progress progress("checking");
  const absl::StatusOr<std::optional<EncodingsFile>> encodings = LoadEncodings(flags.encodings);
  if (!encodings.ok()) return Fail(encodings.status());
  absl::StatusOr<Output> output = Output::Open(flags.output, InputsOf(flags));
  if (!output.ok()) return Fail(output.status());
  const absl::StatusOr<bool> color = flags.color.Decide(*output);
  if (!color.ok()) return Fail(color.status());

  if (!flags.save_node.empty()) {
    const Validator& validator = validators->front();
    return SaveOneNode(flags, *input, validator.target(), validator.options(), **database,
                       *encodings, *output);
  }
  const bool single = flags.models.size() == 1 && validators->size() == 1;
  const ReportView view = ViewOf(flags, *format, validators->size());
  const absl::StatusOr<std::unique_ptr<Reporter>> reporter = MakeReporter(
      *format, {.view = view,
                .text = {.color = *color, .verbose = flags.verbose, .width = TextWidth(*output)},
                .only = single ? flags.models.front() : "",
                .root = WorkingDirectory(),
                .rules = AllRules()});
  if (!reporter.ok()) return Fail(reporter.status());
  Checker checker(flags, *validators, *std::move(policy), config->baseline,
                  NeedsOf(*format, view), **database,
                  encodings->has_value() ? &**encodings : nullptr, *output, **reporter);
  checker.Inputs(*input);
  if (!checker.has_output()) return checker.exit_status();
  if (const absl::Status status = checker.Close(); !status.ok()) return Fail(status);
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return checker.exit_status();
}

int RunOrWatch(const CheckFlags& given) {
  absl::StatusOr<std::vector<std::string>> expanded = ExpandFolders(given.models);
  if (!expanded.ok()) return Fail(expanded.status());
  CheckFlags flags = given;
  flags.models = *std::move(expanded);
  if (!flags.watch) return RunCheck(flags);
  std::vector<std::string> files = flags.models;
  if (std::count(files.begin(), files.end(), "-") > 0) return Fail("--watch: needs files");
  if (const auto config = EffectiveConfig(GivenOf(flags), flags.models); config.ok()) {
    files.push_back(config->file);
  }
  Watch(files, [&] { RunCheck(flags); });
}

}  // namespace

void AddCheck(CommandLine& line) {
  const auto flags = std::make_shared<CheckFlags>();
  line.AddVerb(
      "check", "Say what a backend makes of a model", [flags] { return RunOrWatch(*flags); },
      [flags](VerbFlags verb) {
        AddCheckFlags(verb, *flags);
        verb.Footer(
            "Examples:\n"
            "  quantgate check model.onnx --soc SM8550\n"
            "  quantgate check model.onnx --arch v68 --sdk 2.25 --format json -o report.json\n"
            "  quantgate check model.onnx --soc SM8550 --as-run\n"
            "  quantgate check model.onnx --all-socs\n"
            "  quantgate check model.onnx --all-socs --format html -o report.html\n"
            "  quantgate check a.onnx b.onnx --mode warn\n"
            "  quantgate check model.onnx --encodings model.encodings --soc SM8650\n"
            "  quantgate check net.json --route direct --fail-on altered\n"
            "  cat model.onnx | quantgate check - --soc SM8750\n\n"
            "Exit status: 0 fine, 1 findings that fail the mode, 2 unusable input or arguments.");
      });
}

}  // namespace quantgate::cli
