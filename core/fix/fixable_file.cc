#include <utility>

#include "core/base/text.h"
#include "core/fix/container.h"
#include "core/fix/fixer.h"
#include "quantgate/fix.h"

namespace quantgate {
namespace {

absl::StatusOr<FileBytes> OpenBytes(const std::string& path) {
  return FileBytes::Open(path, [](std::string_view) { return absl::OkStatus(); });
}

QuantizedType TypeOf(const fix::Coding& coding) { return {coding.dtype, coding.encoding}; }

std::vector<FixOutcome> OutcomesOf(std::vector<fix::Outcome> outcomes) {
  std::vector<FixOutcome> list;
  list.reserve(outcomes.size());
  for (fix::Outcome& outcome : outcomes) {
    list.push_back({std::move(outcome.finding), std::move(outcome.reason)});
  }
  return list;
}

}  // namespace

std::string QuantizedTypeText(const QuantizedType& type) {
  return fix::Describe(fix::Coding{type.dtype, type.encoding});
}

FixableFile::FixableFile(std::unique_ptr<Container> container) : container_(std::move(container)) {}
FixableFile::FixableFile(FixableFile&&) noexcept = default;
FixableFile& FixableFile::operator=(FixableFile&&) noexcept = default;
FixableFile::~FixableFile() = default;

absl::StatusOr<FixableFile> FixableFile::Open(const std::string& path, const ReadOptions& options,
                                              const Database& database) {
  absl::StatusOr<FileBytes> bytes = OpenBytes(path);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<InputFormat> format = options.format
                                                 ? absl::StatusOr<InputFormat>(*options.format)
                                                 : GuessFormat(path, bytes->bytes());
  if (!format.ok()) return format.status();
  if (*format == InputFormat::kOnnx) {
    auto container = fix::OpenOnnx(*std::move(bytes), path, options.external_data, database);
    if (!container.ok()) return container.status();
    return FixableFile(*std::move(container));
  }
  if (*format == InputFormat::kTflite) {
    auto container = fix::OpenTflite(*std::move(bytes), path, database);
    if (!container.ok()) return container.status();
    return FixableFile(*std::move(container));
  }
  if (*format == InputFormat::kModelJson) {
    absl::StatusOr<Model> model = ReadModelJson(bytes->bytes(), "model");
    if (!model.ok()) return model.status();
    if (model->dialect == Dialect::kQnn) {
      return FixableFile(
          fix::OpenModelJson(*std::move(bytes), *std::move(model), database));
    }
  }
  return Invalid(
      "only ONNX and TFLite models, Model JSON of QNN graphs and encodings files are written again");
}

absl::StatusOr<FixableFile> FixableFile::OpenEncodings(const std::string& path, Model model,
                                                       const Database& database) {
  absl::StatusOr<EncodingsFile> file = ReadEncodingsFile(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<FileBytes> bytes = OpenBytes(path);
  if (!bytes.ok()) return bytes.status();
  return FixableFile(
      fix::OpenEncodings(*std::move(bytes), std::move(model), *std::move(file), database));
}

FixResult FixableFile::Fix(const Validator& validator, const FixOptions& options) {
  fix::FixOptions inner;
  inner.rounding = options.allow_rounding ? fix::Rounding::kAllowed : fix::Rounding::kNone;
  inner.at_least = options.at_least;
  fix::FixResult made = fix::FixModel(
      container_->MakeEditor(),
      [&](const Model& model) { return container_->CheckModel(validator, model); }, inner);
  FixResult result;
  result.before = std::move(made.before);
  result.after = std::move(made.after);
  result.fixed = OutcomesOf(std::move(made.fixed));
  result.left = OutcomesOf(std::move(made.left));
  if (std::optional<Report> before = container_->CheckBefore(validator)) {
    result.before = *std::move(before);
    for (const Finding& finding : result.before.findings) {
      if (container_->IsMended(finding)) {
        result.fixed.push_back({finding, "written in the convention of the file's version"});
      }
    }
  }
  for (const auto& [name, change] : made.editor->recoded()) {
    result.changes.push_back({name, TypeOf(change.from), TypeOf(change.to), change.is_static,
                              change.moved, change.error});
  }
  for (const fix::Insertion& inserted : made.editor->inserted()) {
    result.insertions.push_back({inserted.node, inserted.port, inserted.tensor, inserted.quantized,
                                 TypeOf(inserted.coding)});
  }
  container_->editor = std::move(made.editor);
  return result;
}

absl::Status FixableFile::Write(const std::function<void(std::string_view)>& sink) const {
  const fix::Editor* editor = container_->editor.get();
  if (editor != nullptr && (editor->changed() || container_->WritesUnchanged())) {
    return container_->WriteChanged(*editor, sink);
  }
  sink(container_->bytes());
  return absl::OkStatus();
}

absl::StatusOr<Report> FixableFile::CheckFile(const Validator& validator,
                                              const std::string& path) const {
  return container_->CheckFile(validator, path);
}

absl::StatusOr<Report> FixableFile::CheckBytes(const Validator& validator,
                                               std::string_view bytes) const {
  return container_->CheckBytes(validator, bytes);
}

const Model* FixableFile::onnx_model() const { return container_->OnnxModel(); }

std::string FixableFile::external_data() const { return container_->ExternalFile(); }

}  // namespace quantgate
