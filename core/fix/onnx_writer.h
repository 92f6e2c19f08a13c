// The bytes of an ONNX file with changes. What is not changed is copied, and weights that are
// quantized anew are written part by part.
#ifndef QUANTGATE_CORE_FIX_ONNX_WRITER_H_
#define QUANTGATE_CORE_FIX_ONNX_WRITER_H_

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/base/wire.h"
#include "core/fix/editor.h"
#include "core/fix/qdq_editor.h"
#include "core/readers/onnx/external_data.h"

namespace quantgate::fix {

// For one call of Write(). Throws what the readers of protobuf and of tensors throw for broken
// files.
class OnnxWriter {
 public:
  // `graph`: the GraphProto in `bytes`; `values`: those of its constants. All must outlive it.
  OnnxWriter(std::string_view bytes, std::string_view graph, const ExternalData& data,
             const StoredValues& values, const QdqEditor& editor);

  absl::Status Write(const std::function<void(std::string_view)>& sink);

 private:
  void CopyGraph();
  void CopyNode(const Field& field);
  void CopyInitializer(const Field& field);
  void CopyValueInfo(const Field& field);
  void AddConstants();
  void AddNodes(const std::map<std::string, std::vector<const NewNode*>>& anchored,
                const std::string& key);

  // Whether the stored integers of this constant change.
  bool IsRecoded(const std::string& name) const;
  // A TensorProto with the integers of a constant that is quantized anew.
  Rope Recoded(const std::string& name, std::string_view message) const;
  // A Constant node whose tensor is quantized anew.
  Rope RecodedNode(std::string_view node, const std::string& key, std::string_view tensor) const;
  // ONNX's number of the type that a tensor is stored in now; 0 = as before.
  int64_t RetypedAs(const std::string& name) const;

  const std::string_view bytes_, graph_;
  const ExternalData& data_;
  const StoredValues& values_;
  const QdqEditor& editor_;
  const QdqChanges& changes_;
  std::map<std::string, std::vector<const NewNode*>> before_, after_;  // by their anchor
  std::set<std::string> annotated_;
  // Names of the Model that the file writes otherwise (no text, or not unique) are not found.
  size_t wanted_ = 0, met_ = 0;
  Rope out_;
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_ONNX_WRITER_H_
