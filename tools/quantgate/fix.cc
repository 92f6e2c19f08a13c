// quantgate fix MODEL -o OUT
#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/fix/fixer.h"
#include "core/fix/json_files.h"
#include "core/fix/onnx_file.h"
#include "core/fix/own_editor.h"
#include "core/fix/qdq_editor.h"
#include "core/readers/file_bytes.h"
#include "core/readers/onnx/onnx_reader.h"
#include "quantgate/quantgate.h"
#include "quantgate/reader.h"
#include "tools/quantgate/command_line.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/fix_report.h"
#include "tools/quantgate/fix_verify.h"
#include "tools/quantgate/input.h"
#include "tools/quantgate/output.h"
#include "tools/quantgate/overlay.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {
namespace {

struct FixFlags {
  std::string input, output, encodings, python, format = "text";
  FailFlags fail;
  TargetSpec target;
  OpdefsFlag opdefs;
  RouteFlag route;
  ReadFlags reading;
  ColorFlag color;
  bool round = false, diff = false, verify = false;
  int verify_timeout = 300;
};

// Of --verify, as of findings.
constexpr int kWorse = 1;

using Sink = std::function<void(std::string_view)>;

// The input and how it is written again.
class Container {
 public:
  virtual ~Container() = default;
  virtual std::unique_ptr<fix::Editor> MakeEditor() = 0;
  virtual Report Check(const Validator& validator, const Model& model) const {
    return validator.Check(model);
  }
  virtual absl::Status Write(const fix::Editor& editor, const Sink& sink) const = 0;
  // What has been written, read again; a report of the file as it is.
  virtual absl::StatusOr<Report> CheckWritten(const Validator& validator, const std::string& text,
                                              const std::string& path) const = 0;
  // The model as it is in the file, where that can be run; else null.
  virtual const Model* Runnable() const { return nullptr; }
  // A file that must stand beside the model; empty = none.
  virtual std::string Beside() const { return {}; }
};

absl::StatusOr<Model> Read(const std::string& path, const ReadOptions& options) {
  absl::StatusOr<Model> model = absl::InternalError("no model in it");
  const absl::Status status =
      ReadInput(path, options, [&](ReadModel read) { model = std::move(read.model); });
  return status.ok() ? std::move(model) : absl::StatusOr<Model>(status);
}

std::string FolderOf(const std::string& path) {
  if (path == "-") return {};
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class OnnxContainer : public Container {
 public:
  static absl::StatusOr<std::unique_ptr<Container>> Open(FileBytes bytes, const std::string& path,
                                                         const std::string& external_data,
                                                         const Database& database) {
    auto made = std::unique_ptr<OnnxContainer>(
        new OnnxContainer(std::move(bytes), external_data, database));
    const ExternalData external = ExternalDataOf(path, external_data);
    const std::string name = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
    absl::StatusOr<Model> model = onnx::Read(made->bytes_.bytes(), name, external, {});
    if (!model.ok()) return model.status();
    made->model_ = *std::move(model);
    auto file = fix::OnnxFile::Make(made->bytes_.bytes(), external);
    if (!file.ok()) return file.status();
    made->file_ = *std::move(file);
    return std::unique_ptr<Container>(std::move(made));
  }

  std::unique_ptr<fix::Editor> MakeEditor() override {
    return std::make_unique<fix::QdqEditor>(model_, database_.view(), *file_);
  }
  absl::Status Write(const fix::Editor& editor, const Sink& sink) const override {
    if (!editor.changed()) {
      sink(bytes_.bytes());
      return absl::OkStatus();
    }
    return file_->Write(static_cast<const fix::QdqEditor&>(editor), sink);
  }
  absl::StatusOr<Report> CheckWritten(const Validator& validator, const std::string& text,
                                      const std::string& path) const override {
    ReadOptions options(InputFormat::kOnnx);
    options.external_data = external_data_;
    const absl::StatusOr<Model> model =
        path.empty() ? ReadOnnx(text, "stdout", "") : Read(path, options);
    if (!model.ok()) return model.status();
    return validator.Check(*model);
  }
  const Model* Runnable() const override { return &model_; }
  std::string Beside() const override { return file_->external(); }

 private:
  OnnxContainer(FileBytes bytes, std::string external_data, const Database& database)
      : bytes_(std::move(bytes)), external_data_(std::move(external_data)), database_(database) {}

  FileBytes bytes_;
  std::string external_data_;
  const Database& database_;
  Model model_;
  std::unique_ptr<fix::OnnxFile> file_;
};

class JsonContainer : public Container {
 public:
  JsonContainer(FileBytes bytes, Model model, const Database& database)
      : bytes_(std::move(bytes)), database_(database), model_(std::move(model)) {}

  std::unique_ptr<fix::Editor> MakeEditor() override {
    return std::make_unique<fix::OwnEditor>(std::move(model_), fix::OwnEditor::Constants::kStored,
                                            database_.view());
  }
  absl::Status Write(const fix::Editor& editor, const Sink& sink) const override {
    if (!editor.changed()) {
      sink(bytes_.bytes());
      return absl::OkStatus();
    }
    const absl::StatusOr<std::string> text = fix::ModelJsonWith(bytes_.bytes(), editor);
    if (text.ok()) sink(*text);
    return text.status();
  }
  absl::StatusOr<Report> CheckWritten(const Validator& validator, const std::string& text,
                                      const std::string& path) const override {
    const absl::StatusOr<Model> model =
        path.empty() ? ReadModelJson(text, "stdout") : Read(path, InputFormat::kModelJson);
    if (!model.ok()) return model.status();
    return validator.Check(*model);
  }

 private:
  FileBytes bytes_;
  const Database& database_;
  Model model_;
};

// The model stays; the encodings file beside it is written again.
class EncodingsContainer : public Container {
 public:
  EncodingsContainer(FileBytes bytes, Model model, EncodingsFile file, const Database& database)
      : bytes_(std::move(bytes)), database_(database), bare_(model), file_(std::move(file)) {
    problems_ = ApplyEncodings(file_, model, database);
    model_ = std::move(model);
  }

  std::unique_ptr<fix::Editor> MakeEditor() override {
    return std::make_unique<fix::OwnEditor>(std::move(model_), fix::OwnEditor::Constants::kFloat,
                                            database_.view());
  }
  absl::Status Write(const fix::Editor& editor, const Sink& sink) const override {
    std::map<std::string, fix::Coding> codings;
    for (const auto& [name, recoding] : editor.recoded()) codings[name] = recoding.to;
    // An entry whose sign was lost is written as it was understood.
    for (const EncodingsProblem& problem : file_.problems) {
      if (problem.kind != EncodingsProblem::Kind::kOffsetSign || problem.entry < 0) continue;
      const EncodingsEntry& entry = file_.entries[static_cast<size_t>(problem.entry)];
      if (entry.encoding.kind == EncodingKind::kPerTensor ||
          entry.encoding.kind == EncodingKind::kPerChannel) {
        codings.try_emplace(entry.name, fix::Coding{entry.dtype, entry.encoding});
      }
    }
    if (codings.empty()) {
      sink(bytes_.bytes());
      return absl::OkStatus();
    }
    const absl::StatusOr<std::string> text = fix::EncodingsWith(bytes_.bytes(), file_, codings);
    if (text.ok()) sink(*text);
    return text.status();
  }
  absl::StatusOr<Report> CheckWritten(const Validator& validator, const std::string&,
                                      const std::string& path) const override {
    if (path.empty()) return absl::FailedPreconditionError("name the output with -o");
    const absl::StatusOr<EncodingsFile> written = ReadEncodingsFile(path);
    if (!written.ok()) return written.status();
    return validator.Check(bare_, *written);
  }

 private:
  FileBytes bytes_;
  const Database& database_;
  Model bare_, model_;
  EncodingsFile file_;
  std::vector<Finding> problems_;
};

absl::Status About(const std::string& path, const absl::Status& status) {
  return absl::InvalidArgumentError(ParseReadError(status).Text(path));
}

absl::StatusOr<std::unique_ptr<Container>> OpenContainer(const FixFlags& flags,
                                                         const Database& database) {
  const absl::StatusOr<ReadOptions> asked = flags.reading.Parse();
  if (!asked.ok()) return asked.status();
  const auto look = [](std::string_view) { return absl::OkStatus(); };
  if (!flags.encodings.empty()) {
    absl::StatusOr<std::optional<EncodingsFile>> encodings = LoadEncodings(flags.encodings);
    if (!encodings.ok()) return encodings.status();
    absl::StatusOr<Model> model = absl::InternalError("no model in it");
    size_t count = 0;
    const absl::Status read = ReadInput(flags.input, *asked, [&](ReadModel one) {
      model = std::move(one.model);
      ++count;
    });
    if (!read.ok()) return About(flags.input, read);
    if (!model.ok()) return About(flags.input, model.status());
    if (count != 1) return absl::InvalidArgumentError(flags.input + ": holds several models");
    absl::StatusOr<FileBytes> bytes = FileBytes::Open(flags.encodings, look);
    if (!bytes.ok()) return About(flags.encodings, bytes.status());
    return std::make_unique<EncodingsContainer>(*std::move(bytes), *std::move(model),
                                                **std::move(encodings), database);
  }
  absl::StatusOr<FileBytes> bytes = FileBytes::Open(flags.input, look);
  if (!bytes.ok()) return About(flags.input, bytes.status());
  absl::StatusOr<InputFormat> format = asked->format ? absl::StatusOr<InputFormat>(*asked->format)
                                                     : GuessFormat(flags.input, bytes->bytes());
  if (!format.ok()) return About(flags.input, format.status());
  if (*format == InputFormat::kOnnx) {
    auto container =
        OnnxContainer::Open(*std::move(bytes), flags.input, asked->external_data, database);
    if (!container.ok()) return About(flags.input, container.status());
    return container;
  }
  if (*format == InputFormat::kModelJson) {
    absl::StatusOr<Model> model = ReadModelJson(bytes->bytes(), "model");
    if (!model.ok()) return About(flags.input, model.status());
    if (model->dialect == Dialect::kQnn) {
      return std::make_unique<JsonContainer>(*std::move(bytes), *std::move(model), database);
    }
  }
  return absl::InvalidArgumentError(
      flags.input +
      ": only ONNX models, Model JSON of QNN graphs and encodings files are written again");
}

absl::Status CheckPlace(const FixFlags& flags, const Container& container) {
  const std::string beside = container.Beside();
  if (beside.empty() || flags.output.empty()) return absl::OkStatus();
  std::error_code error;
  if (flags.output != "-" && flags.input != "-" &&
      std::filesystem::equivalent(FolderOf(flags.output), FolderOf(flags.input), error)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(flags.output + ": data of the model stays in '" + beside +
                                    "' beside it; name an output in the same folder");
}

absl::StatusOr<ValidatorOptions> OptionsOf(const FixFlags& flags) {
  ValidatorOptions options;
  const absl::StatusOr<Mode> mode = ParseMode(flags.fail.mode);
  if (!mode.ok()) return mode.status();
  options.mode = *mode;
  const absl::StatusOr<Consequence> fail_on = ParseFailOn(flags.fail.fail_on);
  if (!fail_on.ok()) return fail_on.status();
  options.fail_on = *fail_on;
  const absl::StatusOr<Route> route = flags.route.Parse();
  if (!route.ok()) return route.status();
  options.route = *route;
  // What a converter makes of the model, as `check --encodings` does.
  if (options.route == Route::kDefault && !flags.encodings.empty()) options.route = Route::kQairt;
  return options;
}

// Both models are run from their files.
absl::Status CheckVerify(const FixFlags& flags, const Container& container) {
  if (!flags.verify) return absl::OkStatus();
  if (container.Runnable() == nullptr) {
    return absl::InvalidArgumentError("--verify: only ONNX models can be run");
  }
  if (flags.input == "-" || flags.output.empty() || flags.output == "-") {
    return absl::InvalidArgumentError("--verify: needs a MODEL and an -o that are files");
  }
  return absl::OkStatus();
}

absl::StatusOr<Verification> Verify(const FixFlags& flags, const Container& container,
                                    const opdb::View& database, const std::string& written) {
  if (written.empty()) return absl::InvalidArgumentError("--verify: needs an -o that is a file");
  return VerifyFixed(
      {flags.input, written, container.Runnable(), flags.python, flags.verify_timeout}, database);
}

// Not to be seen before Commit(). The verdict is that of the file as it stands there.
absl::Status WriteFixed(const FixFlags& flags, const Container& container,
                        const Validator& validator, Output& output, fix::FixResult& result) {
  std::string text;
  const bool keep = output.written().empty();  // not to be read again from a file
  const absl::Status written = container.Write(*result.editor, [&](std::string_view part) {
    output.Write(part);
    if (keep) text += part;
  });
  if (!written.ok()) {
    return absl::InvalidArgumentError(flags.input + ": " + std::string(written.message()));
  }
  if (!keep) {
    if (absl::Status flushed = output.Flush(); !flushed.ok()) return flushed;
  }
  absl::StatusOr<Report> report = container.CheckWritten(validator, text, output.written());
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
  const absl::StatusOr<ValidatorOptions> options = OptionsOf(flags);
  if (!options.ok()) return Fail(options.status());
  const absl::StatusOr<const Database*> database = flags.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  absl::StatusOr<Target> target = Target::Parse(flags.target, **database);
  if (!target.ok()) return Fail(target.status());
  const Validator validator(*std::move(target), *options, **database);
  absl::StatusOr<std::unique_ptr<Container>> container = OpenContainer(flags, **database);
  if (!container.ok()) return Fail(container.status());
  if (const absl::Status place = CheckPlace(flags, **container); !place.ok()) return Fail(place);
  if (const absl::Status usable = CheckVerify(flags, **container); !usable.ok()) {
    return Fail(usable);
  }
  std::vector<std::string> inputs = {flags.input};
  if (!flags.encodings.empty()) inputs.push_back(flags.encodings);
  // Without -o only what would be done is told.
  std::optional<Output> output;
  if (!flags.output.empty()) {
    absl::StatusOr<Output> opened = Output::Open(flags.output, inputs);
    if (!opened.ok()) return Fail(opened.status());
    output.emplace(*std::move(opened));
  }

  fix::FixOptions fix_options;
  fix_options.rounding = flags.round ? fix::Rounding::kAllowed : fix::Rounding::kNone;
  fix::FixResult result = fix::FixModel(
      (*container)->MakeEditor(),
      [&](const Model& model) { return (*container)->Check(validator, model); }, fix_options);
  std::optional<Verification> verification;
  if (output) {
    const absl::Status written = WriteFixed(flags, **container, validator, *output, result);
    if (!written.ok()) return Fail(written);
    if (flags.verify) {
      absl::StatusOr<Verification> ran =
          Verify(flags, **container, (*database)->view(), output->written());
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
  // The model itself may go to standard output; what is told of it then goes beside.
  const bool model_on_stdout = output && output->is_stdout();
  absl::StatusOr<Output> told = Output::Open(model_on_stdout ? "/dev/stderr" : "");
  if (!told.ok()) return Fail(told.status());
  const absl::StatusOr<bool> color = flags.color.Decide(*told);
  if (!color.ok()) return Fail(color.status());
  const FixTold words{flags.encodings.empty() ? flags.input : flags.encodings, flags.output, result,
                      std::move(verification)};
  told->Write(
      *format == Format::kJson
          ? FixJson(words)
          : FixText(words, {.color = *color, .width = TextWidth(*told), .diff = flags.diff}));
  if (const absl::Status done = told->Commit(); !done.ok()) return Fail(done);
  return result.after.ExitCode();
}

}  // namespace

void AddFix(CommandLine& line) {
  const auto flags = std::make_shared<FixFlags>();
  line.AddVerb(
      "fix", "Mend what is safe to mend, and write the model again",
      [flags] { return RunFix(*flags); },
      [flags](VerbFlags verb) {
        verb.Add({.name = "MODEL",
                  .words = "ONNX model or Model JSON; '-' = standard input",
                  .required = true},
                 flags->input);
        verb.Add(
            {.name = "-o,--output",
             .type = "FILE",
             .words =
                 "The mended file, in the format of the input; nothing is written if not given"},
            flags->output);
        verb.Add({.name = "--encodings",
                  .type = "FILE",
                  .words = "AIMET encodings file of the model: it is mended, the model stays"},
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
