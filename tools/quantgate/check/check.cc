// quantgate check MODEL…
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "quantgate/config.h"
#include "quantgate/lower.h"
#include "quantgate/model_files.h"
#include "quantgate/policy.h"
#include "quantgate/quantgate.h"
#include "quantgate/report_formats.h"
#include "quantgate/survey.h"
#include "tools/quantgate/all_socs.h"
#include "tools/quantgate/check_setup.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/database_flags.h"
#include "tools/quantgate/cli/in_order.h"
#include "tools/quantgate/cli/input.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/cli/watch.h"
#include "tools/quantgate/save_node.h"
#include "tools/quantgate/show/progress.h"

namespace quantgate::cli {
namespace {

struct CheckFlags {
  std::optional<VerbFlags> parser;  // knows what was given
  DatabaseFlags opdefs;
  std::vector<std::string> models;
  TargetSpec target;
  RouteFlag route;
  ReadFlags reading;
  FailFlags fail;
  std::string format = "text", output, encodings, save_node;
  ColorFlag color;
  bool verbose = false;
  std::vector<std::string> select, ignore;
  std::string baseline, write_baseline;
  bool statistics = false, exit_zero = false;
  std::string config;
  bool isolated = false, show_config = false, watch = false;
  bool as_run = false, all_socs = false, suggest = false;
  int jobs = 0;
};

int JobsOf(const CheckFlags& flags) {
  return flags.jobs > 0 ? flags.jobs
                        : std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8);
}

// What became of one model of an input: a report per target, or why it can't be read.
struct Outcome {
  std::string source;
  absl::Status status;
  std::vector<Checked> reports;
};

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

class Checker {
 public:
  // `encodings` may be null.
  Checker(const CheckFlags& flags, const std::vector<Validator>& validators, Policy policy,
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

  void Inputs(const ReadOptions& options) {
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

  // Worth writing: something besides the error of a single input.
  bool has_output() const { return has_output_; }
  int exit_status() const {
    return flags_.exit_zero && exit_status_ != kUnusable ? kFine : exit_status_;
  }

  absl::Status Close() {
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

 private:
  // May run on any thread.
  template <typename Use>
  void Read(const std::string& path, const ReadOptions& options, const Use& use) const {
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

  // Of a model that is in no target's words.
  absl::Status WhyNot(const Model& model) const {
    std::string first;
    for (const Validator& validator : validators_) {
      const std::string reason = validator.target().WhyNot(DialectName(model.dialect));
      if (reason.empty()) return absl::OkStatus();
      if (first.empty()) first = reason;
    }
    return first.empty() ? absl::OkStatus() : absl::InvalidArgumentError(first);
  }

  Checked Check(const Validator& validator, const Model& model) const {
    Checked checked;
    checked.report =
        encodings_ != nullptr ? validator.Check(model, *encodings_) : validator.Check(model);
    if (!needs_.graph) return checked;
    checked.graph = GraphOf(model, checked.report, validator.target());
    checked.outputs = OutputNames(model);
    return checked;
  }

  // The graph that was evaluated for `report`; nullopt where the target knows no ops.
  std::optional<LoweredGraph> GraphOf(Model model, const Report& report,
                                      const Target& target) const {
    const std::optional<Route> route = RouteFromName(report.route);
    if (!target.unsupported().empty() || model.nodes.empty() || !route) return std::nullopt;
    // What does not fit is in the report already.
    if (encodings_ != nullptr) ApplyEncodings(*encodings_, model, database_);
    return Lower(std::move(model), target, *route, database_);
  }

  absl::Status WriteBaseline() const {
    absl::StatusOr<Output> output = Output::Open(flags_.write_baseline);
    if (!output.ok()) return output.status();
    output->Write(new_baseline_.Text());
    return output->Commit();
  }

  void Tell(Outcome outcome) {
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

  void Unreadable(const std::string& source, const absl::Status& status, bool alone) {
    const ReadError error = ParseReadError(status);
    Fail(error.Text(source));
    exit_status_ = kUnusable;
    if (alone) return;
    output_.Write(reporter_.AddUnreadable(source, error.place, error.reason));
    has_output_ = true;
  }

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

absl::StatusOr<ReportFormat> ParseReportFormat(std::string_view text) {
  const absl::StatusOr<size_t> index = OneOf("--format", text, ReportFormatNames());
  if (!index.ok()) return index.status();
  return static_cast<ReportFormat>(*index);
}

GivenFlags GivenOf(const CheckFlags& flags) {
  const auto given = [&](const char* flag, const std::string& value) {
    return flags.parser->Given(flag) ? value : std::string();
  };
  return {.backend = given("--backend", flags.target.backend),
          .sdk = flags.target.sdk,
          .soc = flags.target.soc,
          .arch = flags.target.arch,
          .route = flags.route.value,
          .mode = given("--mode", flags.fail.mode),
          .fail_on = given("--fail-on", flags.fail.fail_on),
          .baseline = flags.baseline,
          .config = flags.config,
          .select = flags.select,
          .ignore = flags.ignore,
          .opdefs = flags.opdefs.folders,
          .isolated = flags.isolated};
}

Extras ExtrasOf(const CheckFlags& flags) {
  // What is left over where there are fewer models than jobs shares the work on each.
  const int models = std::max(static_cast<int>(flags.models.size()), 1);
  return {.as_run = flags.as_run,
          .suggest = flags.suggest,
          .threads = std::max(JobsOf(flags) / models, 1)};
}

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

// What --all-socs has no use for.
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

int RunCheck(const CheckFlags& flags) {
  const absl::StatusOr<ReportFormat> format = ParseReportFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  const absl::StatusOr<ReadOptions> input = flags.reading.Parse();
  if (!input.ok()) return Fail(input.status());
  if (flags.models.empty() && !flags.show_config) return Fail("check: MODEL is required");
  if (flags.statistics && !HasView(*format, ReportView::kStatistics)) {
    return Fail("--statistics: comes as text or json, not as " + flags.format);
  }
  if (std::count(flags.models.begin(), flags.models.end(), "-") + (flags.encodings == "-") > 1) {
    return Fail("standard input ('-') can be read once only");
  }
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

void AddFindingFlags(VerbFlags verb, CheckFlags& flags) {
  constexpr const char* kGroup = "Findings";
  verb.AddList({.name = "--select",
                .type = "RULE",
                .words = "Report these rules only: QG301, QG3, a name",
                .group = kGroup},
               flags.select);
  verb.AddList(
      {.name = "--ignore", .type = "RULE", .words = "Leave these rules out", .group = kGroup},
      flags.ignore);
  verb.Add({.name = "--baseline",
            .type = "FILE",
            .words = "Findings listed in this file don't fail",
            .group = kGroup},
           flags.baseline);
  verb.Add({.name = "--write-baseline",
            .type = "FILE",
            .words = "Write the findings of this run into a baseline file",
            .group = kGroup},
           flags.write_baseline);
  verb.Add({.name = "--statistics",
            .words = "Count findings per rule instead of listing",
            .group = kGroup},
           flags.statistics);
  verb.Add(
      {.name = "--exit-zero", .words = "Exit status 0 also where the model fails", .group = kGroup},
      flags.exit_zero);
}

}  // namespace

void AddCheck(CommandLine& line) {
  const auto flags = std::make_shared<CheckFlags>();
  line.AddVerb(
      "check", "Say what a backend makes of a model", [flags] { return RunOrWatch(*flags); },
      [flags](VerbFlags verb) {
        flags->parser = verb;
        verb.Add({.name = "MODEL", .words = "Model files, or folders of them; '-' = standard input"}, flags->models);
        verb.Add({.name = "--encodings",
                  .type = "FILE",
                  .words = "AIMET encodings or mllm recipe for the model; see docs/guide/formats.md"},
                 flags->encodings);
        AddTargetFlags(verb, flags->target);
        flags->opdefs.Add(verb);
        flags->route.Add(verb);
        flags->fail.Add(verb);
        verb.Add({.name = "--as-run",
                  .words = "Show what runs instead of what was written, node by node, and where"},
                 flags->as_run);
        verb.Add({.name = "--suggest",
                  .words = "Try what else would run each refused node; fixes are then the cheapest "
                           "first"},
                 flags->suggest);
        verb.Add(
            {.name = "--all-socs",
             .words =
                 "A table of all chips: on which the model fits, falls back to the CPU or "
                 "fails; the exit status is 1 where no chip passes the mode. As html: a report "
                 "per chip"},
            flags->all_socs);
        AddFindingFlags(verb, *flags);
        verb.Add({.name = "--format",
                  .type = "FORMAT",
                  .words = "text, json, html, sarif, github, junit or model-explorer"},
                 flags->format);
        AddOutputFlag(verb, flags->output);
        verb.Add(
            {.name = "--save-node",
             .type = "NODE",
             .words = "Instead of a report: the smallest model in which this node gets the same "
                      "findings, as Model JSON or, by the name of the output, .binpb"},
            flags->save_node);
        flags->reading.Add(verb);
        verb.Add(
            {.name = "--config",
             .type = "FILE",
             .words = "Configuration file; else quantgate.yaml or pyproject.toml upwards of the "
                      "model"},
            flags->config);
        verb.Add({.name = "--isolated", .words = "Read no configuration file"}, flags->isolated);
        verb.Add({.name = "--show-config", .words = "Print what counts, and check nothing"},
                 flags->show_config);
        verb.Add({.name = "--watch", .words = "Check again whenever a model changes"},
                 flags->watch);
        verb.Add(
            {.name = "-j,--jobs",
             .type = "N",
             .words = "Threads that share the models, and a large one; as many as cores, at most 8",
             .most = 256},
            flags->jobs);
        verb.Add({.name = "-v,--verbose", .words = "Every finding in full, and every node"},
                 flags->verbose);
        flags->color.Add(verb);
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
