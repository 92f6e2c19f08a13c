#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/rule_id.h"
#include "core/fix/container.h"
#include "core/fix/json_files.h"
#include "core/fix/onnx_file.h"
#include "core/fix/own_editor.h"
#include "core/fix/qdq_editor.h"
#include "core/fix/tflite_editor.h"
#include "core/fix/tflite_file.h"
#include "core/readers/onnx/onnx_reader.h"
#include "quantgate/reader.h"

namespace quantgate::fix {
namespace {

absl::StatusOr<Model> ReadOne(const std::string& path, const ReadOptions& options) {
  absl::StatusOr<Model> model = absl::InternalError("no model in it");
  const absl::Status status =
      ReadInput(path, options, [&](ReadModel read) { model = std::move(read.model); });
  return status.ok() ? std::move(model) : absl::StatusOr<Model>(status);
}

absl::StatusOr<Report> CheckRead(const Validator& validator, const absl::StatusOr<Model>& model) {
  if (!model.ok()) return model.status();
  return validator.Check(*model);
}

class OnnxContainer : public Container {
 public:
  OnnxContainer(FileBytes bytes, std::string external_data, const Database& database)
      : Container(std::move(bytes)),
        external_data_(std::move(external_data)),
        database_(database) {}

  absl::Status Read(const std::string& path) {
    const ExternalData external = ExternalDataOf(path, external_data_);
    const std::string name = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
    absl::StatusOr<Model> model = onnx::Read(bytes(), name, external, {});
    if (!model.ok()) return model.status();
    model_ = *std::move(model);
    auto file = OnnxFile::Make(bytes(), external);
    if (!file.ok()) return file.status();
    file_ = *std::move(file);
    return absl::OkStatus();
  }

  std::unique_ptr<Editor> MakeEditor() override {
    return std::make_unique<QdqEditor>(model_, database_.view(), *file_);
  }
  absl::Status WriteChanged(const Editor& editor, const Sink& sink) const override {
    return file_->Write(static_cast<const QdqEditor&>(editor), sink);
  }
  absl::StatusOr<Report> CheckFile(const Validator& validator,
                                   const std::string& path) const override {
    ReadOptions options(InputFormat::kOnnx);
    options.external_data = external_data_;
    return CheckRead(validator, ReadOne(path, options));
  }
  absl::StatusOr<Report> CheckBytes(const Validator& validator,
                                    std::string_view bytes) const override {
    return CheckRead(validator, ReadOnnx(bytes, "stdout", ""));
  }
  const Model* OnnxModel() const override { return &model_; }
  std::string ExternalFile() const override { return file_->external(); }

 private:
  const std::string external_data_;
  const Database& database_;
  Model model_;
  std::unique_ptr<OnnxFile> file_;
};

class JsonContainer : public Container {
 public:
  JsonContainer(FileBytes bytes, Model model, const Database& database)
      : Container(std::move(bytes)), database_(database), model_(std::move(model)) {}

  std::unique_ptr<Editor> MakeEditor() override {
    return std::make_unique<OwnEditor>(std::move(model_), OwnEditor::Constants::kStored,
                                       database_.view());
  }
  absl::Status WriteChanged(const Editor& editor, const Sink& sink) const override {
    const absl::StatusOr<std::string> text = ModelJsonWith(bytes(), editor);
    if (text.ok()) sink(*text);
    return text.status();
  }
  absl::StatusOr<Report> CheckFile(const Validator& validator,
                                   const std::string& path) const override {
    return CheckRead(validator, ReadOne(path, InputFormat::kModelJson));
  }
  absl::StatusOr<Report> CheckBytes(const Validator& validator,
                                    std::string_view bytes) const override {
    return CheckRead(validator, ReadModelJson(bytes, "stdout"));
  }

 private:
  const Database& database_;
  Model model_;
};

class TfliteContainer : public Container {
 public:
  TfliteContainer(FileBytes bytes, const Database& database)
      : Container(std::move(bytes)), database_(database) {}

  absl::Status Read(const std::string& path) {
    const std::string name = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
    absl::StatusOr<Model> model = ReadTflite(bytes(), name);
    if (!model.ok()) return model.status();
    model_ = *std::move(model);
    auto file = TfliteFile::Make(bytes(), model_);
    if (!file.ok()) return file.status();
    file_ = *std::move(file);
    return absl::OkStatus();
  }

  std::unique_ptr<Editor> MakeEditor() override {
    return std::make_unique<TfliteEditor>(model_, database_.view(), *file_);
  }
  absl::Status WriteChanged(const Editor& editor, const Sink& sink) const override {
    return file_->Write(editor, sink);
  }
  absl::StatusOr<Report> CheckFile(const Validator& validator,
                                   const std::string& path) const override {
    return CheckRead(validator, ReadOne(path, InputFormat::kTflite));
  }
  absl::StatusOr<Report> CheckBytes(const Validator& validator,
                                    std::string_view bytes) const override {
    return CheckRead(validator, ReadTflite(bytes, "stdout"));
  }

 private:
  const Database& database_;
  Model model_;
  std::unique_ptr<TfliteFile> file_;
};

// The model stays; its encodings file is written again.
class EncodingsContainer : public Container {
 public:
  EncodingsContainer(FileBytes bytes, Model model, EncodingsFile file, const Database& database)
      : Container(std::move(bytes)), database_(database), bare_(model), file_(std::move(file)) {
    ApplyEncodings(file_, model, database);  // what does not fit is in the report
    model_ = std::move(model);
  }

  std::unique_ptr<Editor> MakeEditor() override {
    return std::make_unique<OwnEditor>(std::move(model_), OwnEditor::Constants::kFloat,
                                       database_.view());
  }
  bool WritesUnchanged() const override { return true; }
  Report CheckModel(const Validator& validator, const Model& model) const override {
    return validator.CheckApplied(model);
  }
  std::optional<Report> CheckBefore(const Validator& validator) const override {
    return validator.Check(bare_, file_);
  }
  bool IsMended(const Finding& finding) const override {
    return finding.rule->slug == rules::NameOf(rules::kOffsetSign).slug && IsWrittenAnew(finding.tensor);
  }
  absl::Status WriteChanged(const Editor& editor, const Sink& sink) const override {
    std::map<std::string, Coding> codings;
    for (const auto& [name, recoding] : editor.recoded()) codings[name] = recoding.to;
    // An entry whose sign was lost is written as it was understood.
    for (const EncodingsProblem& problem : file_.problems) {
      if (const EncodingsEntry* entry = WrittenAnew(problem)) {
        codings.try_emplace(entry->name, Coding{entry->dtype, entry->encoding});
      }
    }
    if (codings.empty()) {
      sink(bytes());
      return absl::OkStatus();
    }
    const absl::StatusOr<std::string> text = EncodingsWith(bytes(), file_, codings);
    if (text.ok()) sink(*text);
    return text.status();
  }
  absl::StatusOr<Report> CheckFile(const Validator& validator,
                                   const std::string& path) const override {
    return Check(validator, ReadEncodingsFile(path));
  }
  absl::StatusOr<Report> CheckBytes(const Validator& validator,
                                    std::string_view bytes) const override {
    return Check(validator, ReadEncodings(bytes));
  }

 private:
  absl::StatusOr<Report> Check(const Validator& validator,
                               const absl::StatusOr<EncodingsFile>& written) const {
    if (!written.ok()) return written.status();
    return validator.Check(bare_, *written);
  }

  const EncodingsEntry* WrittenAnew(const EncodingsProblem& problem) const {
    if (problem.kind != EncodingsProblem::Kind::kOffsetSign || problem.entry < 0) return nullptr;
    const EncodingsEntry& entry = file_.entries[static_cast<size_t>(problem.entry)];
    const bool simple = entry.encoding->kind == EncodingKind::kPerTensor ||
                        entry.encoding->kind == EncodingKind::kPerChannel;
    return simple ? &entry : nullptr;
  }
  bool IsWrittenAnew(std::string_view tensor) const {
    return std::any_of(file_.problems.begin(), file_.problems.end(), [&](const auto& problem) {
      const EncodingsEntry* entry = WrittenAnew(problem);
      return entry != nullptr && entry->name == tensor;
    });
  }

  const Database& database_;
  Model bare_, model_;
  EncodingsFile file_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Container>> OpenOnnx(FileBytes bytes, const std::string& path,
                                                    const std::string& external_data,
                                                    const Database& database) {
  auto container = std::make_unique<OnnxContainer>(std::move(bytes), external_data, database);
  if (const absl::Status read = container->Read(path); !read.ok()) return read;
  return std::unique_ptr<Container>(std::move(container));
}

absl::StatusOr<std::unique_ptr<Container>> OpenTflite(FileBytes bytes, const std::string& path,
                                                      const Database& database) {
  auto container = std::make_unique<TfliteContainer>(std::move(bytes), database);
  if (const absl::Status read = container->Read(path); !read.ok()) return read;
  return std::unique_ptr<Container>(std::move(container));
}

std::unique_ptr<Container> OpenModelJson(FileBytes bytes, Model model, const Database& database) {
  return std::make_unique<JsonContainer>(std::move(bytes), std::move(model), database);
}

std::unique_ptr<Container> OpenEncodings(FileBytes bytes, Model model, EncodingsFile file,
                                         const Database& database) {
  return std::make_unique<EncodingsContainer>(std::move(bytes), std::move(model), std::move(file),
                                              database);
}

}  // namespace quantgate::fix
