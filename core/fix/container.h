// A file that is fixed: how its model is edited, written again and checked.
#ifndef QUANTGATE_CORE_FIX_CONTAINER_H_
#define QUANTGATE_CORE_FIX_CONTAINER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/fix/editor.h"
#include "core/readers/file_bytes.h"
#include "quantgate/encodings_file.h"
#include "quantgate/fix.h"

namespace quantgate {

class FixableFile::Container {
 public:
  using Sink = std::function<void(std::string_view)>;

  virtual ~Container() = default;
  virtual std::unique_ptr<fix::Editor> MakeEditor() = 0;
  // Some of the file is written otherwise although no edit was made.
  virtual bool WritesUnchanged() const { return false; }
  virtual absl::Status WriteChanged(const fix::Editor& editor, const Sink& sink) const = 0;
  // Of the model as it is being edited.
  virtual Report CheckModel(const Validator& validator, const Model& model) const {
    return validator.Check(model);
  }
  // Of the file before any edit, where that is more than the check of its model; and what of it is
  // written right by writing the file again.
  virtual std::optional<Report> CheckBefore(const Validator&) const { return std::nullopt; }
  virtual bool IsMended(const Finding&) const { return false; }
  virtual absl::StatusOr<Report> CheckFile(const Validator& validator,
                                           const std::string& path) const = 0;
  virtual absl::StatusOr<Report> CheckBytes(const Validator& validator,
                                            std::string_view bytes) const = 0;
  virtual const Model* OnnxModel() const { return nullptr; }
  virtual std::string ExternalFile() const { return {}; }

  // The file as it was.
  std::string_view bytes() const { return bytes_.bytes(); }

  // With the edits of FixableFile::Fix(); null before.
  std::unique_ptr<fix::Editor> editor;

 protected:
  explicit Container(FileBytes bytes) : bytes_(std::move(bytes)) {}

 private:
  FileBytes bytes_;
};

namespace fix {

using Container = FixableFile::Container;

// `external_data`: as in ReadOptions.
absl::StatusOr<std::unique_ptr<Container>> OpenOnnx(FileBytes bytes, const std::string& path,
                                                    const std::string& external_data,
                                                    const Database& database);
// Of a QNN graph.
std::unique_ptr<Container> OpenModelJson(FileBytes bytes, Model model, const Database& database);
absl::StatusOr<std::unique_ptr<Container>> OpenTflite(FileBytes bytes, const std::string& path,
                                                      const Database& database);
std::unique_ptr<Container> OpenEncodings(FileBytes bytes, Model model, EncodingsFile file,
                                         const Database& database);

}  // namespace fix
}  // namespace quantgate

#endif  // QUANTGATE_CORE_FIX_CONTAINER_H_
