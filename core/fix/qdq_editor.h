// The editor of models in QDQ form: encodings are quantize and dequantize nodes, their scales and
// zero points constants.
#ifndef QUANTGATE_CORE_FIX_QDQ_EDITOR_H_
#define QUANTGATE_CORE_FIX_QDQ_EDITOR_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/fix/editor.h"
#include "core/lower/resolve/mapping.h"

namespace quantgate::fix {

// The attribute of Q and DQ.
inline constexpr std::string_view kAxis = "axis";

// Nodes of subgraphs are flattened into the model, and have no place of their own in it.
inline bool IsInSubgraph(const Node& node) { return !node.unchecked_reason.empty() || node.inlined; }

// An input of a node; kNoTensor where it has fewer.
inline TensorId Input(const Node& node, size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : kNoTensor;
}

// A scale or zero point: a new one, or new content for one of the file.
struct NewConstant {
  Dtype dtype = Dtype::kUndefined;
  absl::InlinedVector<int64_t, 2> dims;
  TensorValues values;
  bool replaces = false;
};

struct NodeChange {
  std::map<size_t, std::string> inputs, outputs;
  std::optional<int64_t> axis;
};

struct NewNode {
  std::string anchor;   // first output, in the file, of the node it stands next to
  bool before = false;  // the anchor, else after it
  std::string name, op, domain;
  std::vector<std::string> inputs, outputs;
};

// All that differs from the file. Nodes go by the name of their first output, which the format
// keeps unique.
struct QdqChanges {
  std::map<std::string, NewConstant> constants;
  std::set<std::string> unused;  // constants of the file that nothing reads any more
  std::map<std::string, NodeChange> nodes;
  std::vector<NewNode> inserted;
};

class QdqEditor : public Editor {
 public:
  // `values` must outlive the editor and its clones.
  QdqEditor(Model model, const opdb::View& database, const StoredValues& values);

  std::unique_ptr<Editor> Clone() const override;
  absl::StatusOr<Coding> CodingOf(TensorId tensor) const override;
  absl::Status Encode(TensorId tensor, const Coding& to, Rounding rounding) override;
  absl::Status Quantize(size_t node, bool input, size_t port, const Coding& coding) override;
  absl::StatusOr<Coding> CodingElsewhere(TensorId tensor) const override;
  TensorId QuantizedAt(size_t node, bool input, size_t port) const override;
  absl::Status Values(TensorId tensor, const StoredValues::Use& use) const override;
  bool IsInner(TensorId tensor) const override;

  const QdqChanges& changes() const { return changes_; }

 private:
  QdqEditor(const QdqEditor&) = default;

  // Who makes and who reads a tensor.
  struct Uses {
    int32_t producer = -1;
    absl::InlinedVector<std::pair<int32_t, int32_t>, 2> readers;  // node, input
  };
  // The nodes that say what a quantized tensor is.
  struct Around {
    std::vector<int32_t> nodes;
    std::string problem;  // why its encoding can't be changed
  };

  mapping::Role RoleOf(int32_t node) const;
  const Uses& UsesOf(TensorId tensor) const;
  Around AroundOf(TensorId tensor) const;
  absl::StatusOr<Coding> CodingAt(int32_t node) const;
  TensorId QuantizedOf(int32_t node) const;
  // The tensor in float at a port of a node of the file.
  absl::StatusOr<TensorId> FloatAt(size_t node, bool input, size_t port) const;
  absl::Status CheckInsertion(TensorId real, bool input, const Coding& coding) const;
  bool IsOutput(TensorId tensor) const;
  bool IsInput(TensorId tensor) const;
  // A constant with these values for an input of all these nodes.
  void SetConstant(const std::vector<int32_t>& nodes, size_t input, std::string_view name, NewConstant content);
  // Nothing else reads it, and nowhere else than there.
  bool IsReadOnlyBy(TensorId constant, const std::vector<int32_t>& nodes, size_t input) const;
  void SetInput(int32_t node, size_t input, TensorId id);
  void DropIfUnused(TensorId constant);
  void SetAxis(int32_t node, int32_t axis);
  absl::Status CheckRewritable(const Around& around, bool other_type) const;
  // An operator of the file with this role for quantized tensors of this type.
  int32_t ExampleOf(mapping::Role role, Dtype storage) const;
  int32_t QuantizerOf(TensorId real, size_t before, const Coding& coding) const;
  // The port reads through a DQ of its own what this Q makes.
  absl::Status ReadQuantized(size_t index, size_t port, int32_t quantizer, int32_t like);
  void InsertNode(size_t at, Node node, std::string key);
  // Inserts it into the file too, before or after the node of this key.
  void AddToFile(const std::string& key, bool before, const Node& made);
  TensorId AddLike(const Tensor& shape, Dtype dtype, const std::string& name);
  TensorId AddScalar(const std::string& name, NewConstant content);
  std::string NameOf(TensorId tensor) const;

  const StoredValues* values_;
  std::shared_ptr<mapping::Mapping> mapping_;
  std::vector<std::string> key_;  // per node: its first output in the file; empty = inserted
  QdqChanges changes_;
  mutable std::vector<Uses> uses_;  // empty = to be found again
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_QDQ_EDITOR_H_
