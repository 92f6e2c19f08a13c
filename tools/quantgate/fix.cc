// quantgate fix MODEL -o OUT
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantgate/fix.h"
#include "quantgate/quantgate.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/database_flags.h"
#include "tools/quantgate/cli/input.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/show/fix_report.h"
#include "tools/quantgate/verify/fix_verify.h"

namespace quantgate::cli {
namespace {

struct FixFlags {
  std::string input, output, encodings, python, format = "text";
  FailFlags fail;
  TargetSpec target;
  DatabaseFlags opdefs;
  RouteFlag route;
  ReadFlags reading;
  ColorFlag color;
  bool round = false, diff = false, verify = false;
  int verify_timeout = 300;
};

// Of --verify, as of findings.
constexpr int kWorse = 1;

std::string FolderOf(const std::string& path) {
  if (path == "-") return {};
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

absl::Status About(const std::string& path, const absl::Status& status) {
  return absl::InvalidArgumentError(ParseReadError(status).Text(path));
}

absl::StatusOr<FixableFile> OpenFile(const FixFlags& flags, const Database& database) {
  const absl::StatusOr<ReadOptions> reading = flags.reading.Parse();
  if (!reading.ok()) return reading.status();
  if (flags.encodings.empty()) {
    absl::StatusOr<FixableFile> file = FixableFile::Open(flags.input, *reading, database);
    if (!file.ok()) return About(flags.input, file.status());
    return file;
  }
  absl::StatusOr<Model> model = ReadOnlyModel(flags.input, *reading);
  if (!model.ok()) return model.status();
  absl::StatusOr<FixableFile> file =
      FixableFile::OpenEncodings(flags.encodings, *std::move(model), database);
  if (!file.ok()) return About(flags.encodings, file.status());
  return file;
}

absl::Status CheckPlace(const FixFlags& flags, const FixableFile& file) {
  const std::string beside = file.external_data();
  if (beside.empty() || flags.output.empty()) return absl::OkStatus();
  std::error_code error;
  if (flags.output != "-" && flags.input != "-" &&
      std::filesystem::equivalent(FolderOf(flags.output), FolderOf(flags.input), error)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(flags.output + ": data of the model stays in '" + beside +
                                    "' beside it; name an output in the same folder");
}

absl::StatusOr<ValidatorOptions> OptionsOf(const FixFlags& flags, const Database& database) {
  ValidatorOptions options;
  const absl::StatusOr<Mode> mode = ParseMode(flags.fail.mode);
  if (!mode.ok()) return mode.status();
  options.mode = *mode;
  const absl::StatusOr<Consequence> fail_on = ParseFailOn(flags.fail.fail_on);
  if (!fail_on.ok()) return fail_on.status();
  options.fail_on = *fail_on;
  const absl::StatusOr<std::string> route = flags.route.Parse(database);
  if (!route.ok()) return route.status();
  options.route = *route;
  return options;
}

// Both models are run from their files.
absl::Status CheckVerify(const FixFlags& flags, const FixableFile& file) {
  if (!flags.verify) return absl::OkStatus();
  if (file.onnx_model() == nullptr) {
    return absl::InvalidArgumentError("--verify: only ONNX models can be run");
  }
  if (flags.input == "-" || flags.output.empty() || flags.output == "-") {
    return absl::InvalidArgumentError("--verify: needs a MODEL and an -o that are files");
  }
  return absl::OkStatus();
}

absl::StatusOr<RunComparison> Verify(const FixFlags& flags, const FixableFile& file,
                                     const Database& database, const std::string& written) {
  if (written.empty()) return absl::InvalidArgumentError("--verify: needs an -o that is a file");
  return VerifyFixed(
      {flags.input, written, file.onnx_model(), flags.python, flags.verify_timeout}, database);
}

// Not to be seen before Commit(). The verdict is that of the file as it stands there.
absl::Status WriteFixed(const FixFlags& flags, const FixableFile& file, const Validator& validator,
                        Output& output, FixResult& result) {
  std::string text;
  const bool keep = output.written().empty();  // not to be read again from a file
  if (keep && !flags.encodings.empty()) {
    return absl::InvalidArgumentError(
        flags.output + ": the result can't be read: name the output with -o");
  }
  const absl::Status written = file.Write([&](std::string_view part) {
    output.Write(part);
    if (keep) text += part;
  });
  if (!written.ok()) {
    return absl::InvalidArgumentError(flags.input + ": " + std::string(written.message()));
  }
  if (!keep) {
    if (absl::Status flushed = output.Flush(); !flushed.ok()) return flushed;
  }
  absl::StatusOr<Report> report =
      keep ? file.CheckBytes(validator, text) : file.CheckFile(validator, output.written());
  if (!report.ok()) {
    return absl::InvalidArgumentError(
        flags.output + ": the result can't be read: " + std::string(report.status().message()));
  }
  result.after = *std::move(report);
  return absl::OkStatus();
}

int RunFix(const FixFlags& flags) {
  const absl::StatusOr<Format> format = ParseFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  const absl::StatusOr<const Database*> database = flags.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  const absl::StatusOr<ValidatorOptions> options = OptionsOf(flags, **database);
  if (!options.ok()) return Fail(options.status());
  absl::StatusOr<Target> target = Target::Parse(flags.target, **database);
  if (!target.ok()) return Fail(target.status());
  const Validator validator(*std::move(target), *options, **database);
  absl::StatusOr<FixableFile> file = OpenFile(flags, **database);
  if (!file.ok()) return Fail(file.status());
  if (const absl::Status place = CheckPlace(flags, *file); !place.ok()) return Fail(place);
  if (const absl::Status usable = CheckVerify(flags, *file); !usable.ok()) return Fail(usable);
  std::vector<std::string> inputs = {flags.input};
  if (!flags.encodings.empty()) inputs.push_back(flags.encodings);
  // Without -o only what would be done is reported.
  std::optional<Output> output;
  if (!flags.output.empty()) {
    absl::StatusOr<Output> opened = Output::Open(flags.output, inputs);
    if (!opened.ok()) return Fail(opened.status());
    output.emplace(*std::move(opened));
  }

  FixResult result = file->Fix(validator, {.allow_rounding = flags.round});
  std::optional<RunComparison> verification;
  if (output) {
    const absl::Status written = WriteFixed(flags, *file, validator, *output, result);
    if (!written.ok()) return Fail(written);
    if (flags.verify) {
      absl::StatusOr<RunComparison> ran = Verify(flags, *file, **database, output->written());
      if (!ran.ok()) return Fail(ran.status());
      if (!ran->worse.empty()) {
        Fail(fmt::format("{}: the fixed model is worse, nothing is written: {}", flags.input,
                         ran->worse));
        return kWorse;
      }
      verification = *std::move(ran);
    }
    if (const absl::Status done = output->Commit(); !done.ok()) return Fail(done);
  }
  // The model itself may go to standard output; what is reported of it then goes beside.
  const bool model_on_stdout = output && output->is_stdout();
  absl::StatusOr<Output> reported = Output::Open(model_on_stdout ? "/dev/stderr" : "");
  if (!reported.ok()) return Fail(reported.status());
  const absl::StatusOr<bool> color = flags.color.Decide(*reported);
  if (!color.ok()) return Fail(color.status());
  const FixSummary words{flags.encodings.empty() ? flags.input : flags.encodings, flags.output, result,
                      std::move(verification)};
  reported->Write(
      *format == Format::kJson
          ? FixJson(words)
          : FixText(words, {.color = *color, .width = TextWidth(*reported), .diff = flags.diff}));
  if (const absl::Status done = reported->Commit(); !done.ok()) return Fail(done);
  return result.after.ExitCode();
}

}  // namespace

void AddFix(CommandLine& line) {
  const auto flags = std::make_shared<FixFlags>();
  line.AddVerb(
      "fix", "Make the safe fixes, and write the model again",
      [flags] { return RunFix(*flags); },
      [flags](VerbFlags verb) {
        verb.Add({.name = "MODEL",
                  .words = "ONNX or TFLite model or Model JSON; '-' = standard input",
                  .required = true},
                 flags->input);
        verb.Add(
            {.name = "-o,--output",
             .type = "FILE",
             .words =
                 "The fixed file, in the format of the input; nothing is written if not given"},
            flags->output);
        verb.Add({.name = "--encodings",
                  .type = "FILE",
                  .words = "AIMET encodings file of the model: it is fixed, the model stays"},
                 flags->encodings);
        verb.Add({.name = "--diff", .words = "Every change, before and after, instead of findings"},
                 flags->diff);
        verb.Add(
            {.name = "--round",
             .words =
                 "Constants may also be written with a larger scale: their values move by half "
                 "a step at most"},
            flags->round);
        verb.Add({.name = "--verify",
                  .words = "Also run the model before and after on the CPU, and write nothing that "
                           "is worse; needs a Python with onnxruntime"},
                 flags->verify);
        verb.Add({.name = "--verify-timeout",
                  .type = "SECONDS",
                  .words = "Seconds for --verify",
                  .most = 86400},
                 flags->verify_timeout);
        verb.Add({.name = "--python",
                  .type = "PROGRAM",
                  .words = "Python with onnxruntime, for --verify; .venv's if not given"},
                 flags->python);
        AddTargetFlags(verb, flags->target);
        flags->opdefs.Add(verb);
        flags->route.Add(verb);
        flags->fail.Add(verb);
        AddFormatFlag(verb, flags->format);
        flags->reading.Add(verb);
        flags->color.Add(verb);
        verb.Footer(
            "Examples:\n"
            "  quantgate fix model.onnx --diff\n"
            "  quantgate fix model.onnx -o fixed.onnx --soc SM8550\n"
            "  quantgate fix model.onnx -o fixed.onnx --verify\n"
            "  quantgate fix model.onnx --encodings model.encodings -o fixed.encodings\n"
            "  quantgate fix model.onnx --format json | jq .edits\n\n"
            "Exit status: that of checking the result, 1 too where --verify finds it worse;\n"
            "2 unusable input or arguments, or a model that --verify can't run.");
      });
}

}  // namespace quantgate::cli
