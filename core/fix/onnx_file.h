// An ONNX file that is written again with changes: every field that is not changed, known or not,
// is copied byte for byte, and weights are never held in memory.
#ifndef QUANTGATE_CORE_FIX_ONNX_FILE_H_
#define QUANTGATE_CORE_FIX_ONNX_FILE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/fix/editor.h"
#include "core/fix/qdq_editor.h"
#include "core/readers/onnx/external_data.h"

namespace quantgate::fix {

class OnnxFile : public StoredValues {
 public:
  // `bytes` must outlive the file and be readable by ReadOnnx.
  static absl::StatusOr<std::unique_ptr<OnnxFile>> Make(std::string_view bytes, ExternalData data);

  absl::Status Read(std::string_view tensor, const Use& use) const override;
  // The name of a file next to the model that holds data of it; empty = there is none.
  const std::string& external() const { return external_; }

  using Sink = std::function<void(std::string_view)>;
  // The file with the changes, part by part.
  absl::Status Write(const QdqEditor& editor, const Sink& sink) const;

 private:
  // Where the values of a constant are: a TensorProto, of an initializer or a Constant node.
  struct Constant {
    std::string_view message;
  };

  OnnxFile(std::string_view bytes, ExternalData data) : bytes_(bytes), data_(std::move(data)) {}

  std::string_view bytes_, graph_;
  ExternalData data_;
  std::string external_;
  std::map<std::string, Constant, std::less<>> constants_;
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_ONNX_FILE_H_
