// quantgate check MODEL…
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/readers/reader.h"
#include "core/report/reporter.h"
#include "quantgate/quantgate.h"
#include "tools/quantgate/all_socs.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/input.h"
#include "tools/quantgate/output.h"
#include "tools/quantgate/overlay.h"
#include "tools/quantgate/save_node.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {
namespace {

struct CheckFlags {
  OpdefsFlag opdefs;
  std::vector<std::string> models;
  TargetSpec target;
  std::string route, mode = "strict", fail_on = "wrong_values";
  std::string format = "text", output, input_format, encodings, save_node;
  ColorFlag color;
  bool verbose = false;
  bool as_run = false, all_socs = false, ways_out = false;
};

absl::StatusOr<ValidatorOptions> OptionsOf(const CheckFlags& flags) {
  ValidatorOptions options;
  const auto mode = OneOf("--mode", flags.mode, {"strict", "warn"});
  if (!mode.ok()) return mode.status();
  options.mode = *mode == 0 ? Mode::kStrict : Mode::kWarn;

  std::vector<std::string_view> consequences;
  for (int i = 1; i < kConsequenceCount; ++i) {  // everything is at least `accepted`
    consequences.push_back(ConsequenceName(static_cast<Consequence>(i)));
  }
  const auto fail_on = OneOf("--fail-on", flags.fail_on, consequences);
  if (!fail_on.ok()) return fail_on.status();
  options.fail_on = static_cast<Consequence>(*fail_on + 1);

  options.as_run = flags.as_run;
  options.ways_out = flags.ways_out;
  if (!flags.route.empty()) {
    const std::vector<Route> routes = {Route::kDirect, Route::kOnnxruntime, Route::kExecutorch,
                                       Route::kQairt};
    std::vector<std::string_view> names;
    for (const Route route : routes) names.push_back(RouteName(route));
    const auto route = OneOf("--route", flags.route, names);
    if (!route.ok()) return route.status();
    options.route = routes[*route];
  }
  return options;
}

// Says on a terminal that a long run is alive; silent for the first second.
class Progress {
 public:
  void Checked(size_t count) {
    if (!terminal_ || Clock::now() < next_) return;
    next_ = Clock::now() + std::chrono::milliseconds(200);
    Show("\r\x1b[K" + std::to_string(count) + " models checked");
    shown_ = true;
  }
  ~Progress() {
    if (shown_) Show("\r\x1b[K");
  }

 private:
  using Clock = std::chrono::steady_clock;
  static void Show(const std::string& text) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  }
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

class Checker {
 public:
  // One of `validator` and `surveyor` is there. `encodings` may be null.
  Checker(const CheckFlags& flags, const Validator* validator, const Surveyor* surveyor,
          const EncodingsFile* encodings, Output& output, Format format, const TextOptions& text)
      : flags_(flags),
        validator_(validator),
        surveyor_(surveyor),
        encodings_(encodings),
        output_(output),
        format_(format),
        text_(text) {}

  void Input(const std::string& path, std::optional<InputFormat> format) {
    const absl::Status status = ReadInput(path, format, [&](const ReadModel& read) {
      // Models of a .jsonl are told apart by their line.
      const bool alone = flags_.models.size() == 1 && read.source == path;
      if (read.model.ok()) {
        if (surveyor_ != nullptr) {
          Survey(*read.model, read.source, alone);
        } else {
          Report(*read.model, read.source, alone);
        }
      } else {
        Unreadable(read.source, read.model.status(), alone);
      }
    });
    if (!status.ok()) Unreadable(path, status, flags_.models.size() == 1);
  }

  // Worth writing: something besides the error of a single input.
  bool has_output() const { return has_output_; }
  int exit_status() const { return exit_status_; }

  void Close() {
    if (format_ == Format::kText && checked_ + unreadable_ > 1) {
      std::string line = std::to_string(checked_ + unreadable_) +
                         " models: " + std::to_string(failed_) + " failed, " +
                         std::to_string(checked_ - failed_) + " passed";
      if (unreadable_ > 0) line += ", " + std::to_string(unreadable_) + " unreadable";
      output_.Write("\n" + line + "\n");
    }
  }

 private:
  void Report(const Model& model, const std::string& source, bool alone) {
    quantgate::Report report =
        encodings_ != nullptr ? validator_->Check(model, *encodings_) : validator_->Check(model);
    report.model = source;
    exit_status_ = std::max(exit_status_, report.ExitCode());
    if (report.failed) ++failed_;
    if (format_ == Format::kJson) {
      output_.Write(ReportJson(report, alone ? 2 : 0) + "\n");
    } else {
      if (has_output_) output_.Write("\n");
      output_.Write(flags_.as_run && report.as_run ? AsRunText(report, text_)
                                                   : ReportText(report, text_));
    }
    has_output_ = true;
    progress_.Checked(++checked_);
  }

  void Survey(const Model& model, const std::string& source, bool alone) {
    const auto start = std::chrono::steady_clock::now();
    TimedSurvey timed{source, surveyor_->Check(model), 0};
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    timed.milliseconds = took.count();
    const int status = SurveyExitCode(timed.survey);
    exit_status_ = std::max(exit_status_, status);
    if (status != kFine) ++failed_;
    if (format_ == Format::kJson) {
      output_.Write(SurveyJson(timed, alone ? 2 : 0) + "\n");
    } else {
      if (has_output_) output_.Write("\n");
      output_.Write(SurveyText(timed, text_));
    }
    has_output_ = true;
    progress_.Checked(++checked_);
  }

  void Unreadable(const std::string& source, const absl::Status& status, bool alone) {
    const ReadError error = ParseReadError(status);
    Fail(error.Text(source));
    exit_status_ = kUnusable;
    ++unreadable_;
    if (alone) return;
    if (format_ == Format::kJson) {
      output_.Write(ReportErrorJson(source, error.place, error.reason) + "\n");
    }
    has_output_ = true;
  }

  const CheckFlags& flags_;
  const Validator* validator_;
  const Surveyor* surveyor_;
  const EncodingsFile* encodings_;
  Output& output_;
  const Format format_;
  const TextOptions text_;
  Progress progress_;
  size_t checked_ = 0, failed_ = 0, unreadable_ = 0;
  bool has_output_ = false;
  int exit_status_ = kFine;
};

std::vector<std::string> InputsOf(const CheckFlags& flags) {
  std::vector<std::string> inputs = flags.models;
  if (!flags.encodings.empty()) inputs.push_back(flags.encodings);
  return inputs;
}

int SaveOneNode(const CheckFlags& flags, std::optional<InputFormat> format, const Target& target,
                const ValidatorOptions& options, const Database& database,
                const std::optional<EncodingsFile>& encodings, Output& output) {
  if (flags.models.size() != 1) return Fail("--save-node takes one model");
  const SaveNode save = {flags.save_node, flags.output, encodings ? &*encodings : nullptr};
  int exit_status = kFine;
  size_t count = 0;
  const absl::Status status = ReadInput(flags.models[0], format, [&](ReadModel read) {
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

int RunCheck(const CheckFlags& flags) {
  const absl::StatusOr<ValidatorOptions> options = OptionsOf(flags);
  if (!options.ok()) return Fail(options.status());
  const absl::StatusOr<Format> format = ParseFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  const absl::StatusOr<std::optional<InputFormat>> input = ParseInputFormat(flags.input_format);
  if (!input.ok()) return Fail(input.status());
  if (std::count(flags.models.begin(), flags.models.end(), "-") + (flags.encodings == "-") > 1) {
    return Fail("standard input ('-') can be read once only");
  }
  const absl::StatusOr<const Database*> database = flags.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  if (flags.all_socs) {
    for (const auto& [given, name] :
         {std::pair(!flags.target.soc.empty(), "--soc"),
          std::pair(!flags.target.arch.empty(), "--arch"), std::pair(flags.as_run, "--as-run"),
          std::pair(!flags.encodings.empty(), "--encodings"),
          std::pair(!flags.save_node.empty(), "--save-node"),
          std::pair(flags.ways_out, "--ways-out")}) {
      if (given) return Fail(std::string("--all-socs can't go with ") + name);
    }
  }
  absl::StatusOr<Target> target = Target::Parse(flags.target, **database);
  if (!target.ok()) return Fail(target.status());
  const absl::StatusOr<std::optional<EncodingsFile>> encodings = LoadEncodings(flags.encodings);
  if (!encodings.ok()) return Fail(encodings.status());
  absl::StatusOr<Output> output = Output::Open(flags.output, InputsOf(flags));
  if (!output.ok()) return Fail(output.status());
  const absl::StatusOr<bool> color = flags.color.Decide(*output);
  if (!color.ok()) return Fail(color.status());

  if (!flags.save_node.empty()) {
    return SaveOneNode(flags, *input, *target, *options, **database, *encodings, *output);
  }
  std::optional<Validator> validator;
  std::optional<Surveyor> surveyor;
  if (flags.all_socs) {
    absl::StatusOr<Surveyor> made =
        Surveyor::Make(flags.target.backend, flags.target.sdk, *options, **database);
    if (!made.ok()) return Fail(made.status());
    surveyor = *std::move(made);
  } else {
    validator.emplace(*std::move(target), *options, **database);
  }
  Checker checker(flags, validator ? &*validator : nullptr, surveyor ? &*surveyor : nullptr,
                  encodings->has_value() ? &**encodings : nullptr, *output, *format,
                  {.color = *color, .verbose = flags.verbose, .width = TextWidth(*output)});
  for (const std::string& model : flags.models) checker.Input(model, *input);
  if (!checker.has_output()) return checker.exit_status();
  checker.Close();
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return checker.exit_status();
}

}  // namespace

Verb AddCheck(CLI::App& app) {
  const auto flags = std::make_shared<CheckFlags>();
  CLI::App* verb = app.add_subcommand("check", "Say what a backend makes of a model");
  verb->add_option("MODEL", flags->models, "Model files; '-' = standard input")->required();
  verb->add_option("--encodings", flags->encodings,
                   "AIMET encodings file of the model; see docs/formats.md")
      ->type_name("FILE");
  AddTargetFlags(*verb, flags->target);
  flags->opdefs.Add(*verb);
  verb->add_option("--route", flags->route,
                   "How the file reaches the backend: direct, onnxruntime, executorch, qairt; by "
                   "kind of input if not given")
      ->group("Target")
      ->type_name("ROUTE");
  verb->add_option("--mode", flags->mode, "strict: fail on bad verdicts; warn: only report")
      ->capture_default_str()
      ->type_name("MODE");
  verb->add_option("--fail-on", flags->fail_on,
                   "Fail on this verdict and worse: advice, undocumented, altered, wrong_values, "
                   "prepare_fails, rejected; or unchecked")
      ->capture_default_str()
      ->type_name("VERDICT");
  verb->add_flag("--as-run", flags->as_run,
                 "Show what runs instead of what was written, node by node, and where");
  verb->add_flag("--ways-out", flags->ways_out,
                 "Try what else would run each refused node; fixes are then the cheapest first");
  verb->add_flag("--all-socs", flags->all_socs,
                 "A table of all chips: on which the model fits, falls back to the CPU or fails; "
                 "the exit status is 1 where no chip passes the mode");
  verb->add_option("--format", flags->format, "text or json")
      ->capture_default_str()
      ->type_name("FORMAT");
  verb->add_option("-o,--output", flags->output, "Write to this file instead")->type_name("FILE");
  verb->add_option("--save-node", flags->save_node,
                   "Instead of a report: the smallest model in which this node gets the same "
                   "findings, as Model JSON or, by the name of the output, .binpb")
      ->type_name("NODE");
  verb->add_option("--input-format", flags->input_format,
                   "onnx, model, jsonl, binpb, qnn or pt2; guessed if not given")
      ->type_name("FORMAT");
  verb->add_flag("-v,--verbose", flags->verbose, "Every finding in full, and every node");
  flags->color.Add(*verb);
  verb->footer(
      "Examples:\n"
      "  quantgate check model.onnx --soc SM8550\n"
      "  quantgate check model.onnx --arch v68 --sdk 2.25 --format json -o report.json\n"
      "  quantgate check model.onnx --soc SM8550 --as-run\n"
      "  quantgate check model.onnx --all-socs\n"
      "  quantgate check a.onnx b.onnx --mode warn\n"
      "  quantgate check model.onnx --encodings model.encodings --soc SM8650\n"
      "  quantgate check net.json --route direct --fail-on altered\n"
      "  cat model.onnx | quantgate check - --soc SM8750\n\n"
      "Exit status: 0 fine, 1 findings that fail the mode, 2 unusable input or arguments.");
  return {verb, [flags] { return RunCheck(*flags); }};
}

}  // namespace quantgate::cli
