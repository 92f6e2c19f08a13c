// QdqEditor: Q and DQ nodes that a model has not got yet.
#include <fmt/core.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/fix/qdq_editor.h"
#include "core/safety/safe_edit.h"

namespace quantgate::fix {
namespace {

using mapping::Role;

}  // namespace

int32_t QdqEditor::ExampleOf(Role role, Dtype storage) const {
  for (size_t n = 0; n < model_.nodes.size(); ++n) {
    const auto node = static_cast<int32_t>(n);
    if (RoleOf(node) != role) continue;
    const TensorId quantized = QuantizedOf(node);
    if (quantized == kNoTensor) continue;
    if (model_.tensors[static_cast<size_t>(quantized)].dtype == storage) return node;
  }
  return -1;
}

void QdqEditor::InsertNode(size_t at, Node node, std::string key) {
  Editor::InsertNode(at, std::move(node));
  key_.insert(key_.begin() + static_cast<std::ptrdiff_t>(at), std::move(key));
  uses_.clear();
}

// A Q of this tensor, with this encoding, before a node.
int32_t QdqEditor::QuantizerOf(TensorId real, size_t before, const Coding& coding) const {
  for (const auto& [node, at] : UsesOf(real).readers) {
    if (at != 0 || static_cast<size_t>(node) >= before || RoleOf(node) != Role::kQuantize) continue;
    const absl::StatusOr<Coding> found = CodingAt(node);
    const Node& n = model_.nodes[static_cast<size_t>(node)];
    if (found.ok() && Same(*found, coding) && !IsInSubgraph(n)) return node;
  }
  return -1;
}

absl::Status QdqEditor::ReadQuantized(size_t index, size_t port, int32_t quantizer, int32_t like) {
  const std::string key = key_[index], name = model_.nodes[index].name;
  const std::string base = fmt::format("{}_in{}", name, port);
  const TensorId real = model_.nodes[index].inputs[port];
  const TensorId fresh = AddTensor(Unused(base + "_dq"));
  Tensor& tensor = model_.tensors[static_cast<size_t>(fresh)];
  tensor.dtype = Dtype::kFloat32;
  tensor.dims = model_.tensors[static_cast<size_t>(real)].dims;
  tensor.unknown_rank = model_.tensors[static_cast<size_t>(real)].unknown_rank;
  const Node& q = model_.nodes[static_cast<size_t>(quantizer)];
  const Node& example = model_.nodes[static_cast<size_t>(like)];
  Node dq;
  dq.name = fmt::format("{}_{}", base, example.op);
  dq.op = example.op;
  dq.domain = example.domain;
  dq.inputs = q.inputs;
  dq.inputs[0] = q.outputs[0];
  dq.outputs = {fresh};
  insertions_.push_back({name, fmt::format("in[{}]", port), NameOf(real), NameOf(dq.inputs[0]),
                         *CodingAt(quantizer)});
  NewNode made{key, /*before=*/true, dq.name, dq.op, dq.domain, {}, {NameOf(fresh)}};
  for (const TensorId id : dq.inputs) made.inputs.push_back(id == kNoTensor ? "" : NameOf(id));
  changes_.inserted.push_back(std::move(made));
  model_.nodes[index].inputs[port] = fresh;
  changes_.nodes[key].inputs[port] = NameOf(fresh);
  InsertNode(index, std::move(dq), {});
  return absl::OkStatus();
}

// A Q and DQ with this encoding on what a node reads, or on what it writes for all its readers.
absl::Status QdqEditor::CheckInsertion(TensorId real, bool input, const Coding& coding) const {
  const ValueRange reaching = ValueRanges(model_, database()).Held(real);
  std::vector<std::optional<Coding>> behind;  // nullopt: used in float
  if (!input) {
    for (const auto& [reader, at] : UsesOf(real).readers) {
      const absl::StatusOr<Coding> next = at == 0 && RoleOf(reader) == Role::kQuantize
                                              ? CodingAt(reader)
                                              : absl::StatusOr<Coding>(Refuse("in float"));
      behind.push_back(next.ok() ? std::optional(*next) : std::nullopt);
    }
  }
  if (input || IsOutput(real)) behind.push_back(std::nullopt);
  for (const std::optional<Coding>& next : behind) {
    if (auto objection = ObjectionToInserted(reaching, next ? &*next : nullptr, coding)) {
      return Refuse(objection.Text());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorId> QdqEditor::FloatAt(size_t index, bool input, size_t port) const {
  if (key_[index].empty()) return Refuse("the node is not at the top of the file");
  const Node& node = model_.nodes[index];
  const TensorId real = input                        ? Input(node, port)
                        : port < node.outputs.size() ? node.outputs[port]
                                                     : kNoTensor;
  if (real == kNoTensor) return Refuse("the port is not there");
  const Dtype dtype = model_.tensors[static_cast<size_t>(real)].dtype;
  if (dtype != Dtype::kFloat32 && dtype != Dtype::kUndefined) {
    return Refuse("the tensor is not in single precision");
  }
  if (input && QuantizedAt(index, input, port) != kNoTensor) {
    return Refuse("the port reads a quantized tensor");
  }
  return real;
}

absl::Status QdqEditor::Quantize(size_t index, bool input, size_t port, const Coding& coding) {
  const absl::StatusOr<TensorId> found = FloatAt(index, input, port);
  if (!found.ok()) return found.status();
  if (coding.encoding->kind != EncodingKind::kPerTensor) return Refuse("not per-tensor");
  const TensorId real = *found;
  const std::string key = key_[index];
  const Node& node = model_.nodes[index];
  const Tensor float_tensor = model_.tensors[static_cast<size_t>(real)];
  if (absl::Status kept = CheckInsertion(real, input, coding); !kept.ok()) return kept;
  const Dtype storage = StorageOf(coding.dtype);
  const int32_t q_example = ExampleOf(Role::kQuantize, storage);
  const int32_t dq_example = ExampleOf(Role::kDequantize, storage);
  if (q_example < 0 || dq_example < 0) {
    return Refuse("no other tensor of the model is quantized in this type");
  }
  if (input) {
    const int32_t shared = QuantizerOf(real, index, coding);
    if (shared >= 0) return ReadQuantized(index, port, shared, dq_example);
  }
  const std::string base = fmt::format("{}_{}{}", node.name, input ? "in" : "out", port);
  const auto copy = [&](int32_t example) {
    const Node& from = model_.nodes[static_cast<size_t>(example)];
    Node made;
    made.op = from.op;
    made.domain = from.domain;
    made.name = fmt::format("{}_{}", base, from.op.view());
    return made;
  };
  Node q = copy(q_example);
  Node dq = copy(dq_example);
  const TensorId quantized = AddLike(float_tensor, storage, base + "_q");
  const TensorId fresh = AddLike(float_tensor, Dtype::kFloat32, base + (input ? "_dq" : "_float"));
  const TensorId scale =
      AddScalar(base + "_scale", {.dtype = Dtype::kFloat32, .dims = {}, .values = {{}, {ScaleAt(coding.encoding, 0)}}});
  const TensorId zero = AddScalar(
      base + "_zero_point", {.dtype = storage, .dims = {}, .values = {{ZeroPointAt(coding.encoding, 0)}, {}}});
  // Reading: real -> q -> dq = fresh -> node. Writing: node -> fresh -> q -> dq = real, so that
  // whoever reads the tensor, and the graph's outputs, keep its name.
  q.inputs = {input ? real : fresh, scale, zero};
  q.outputs = {quantized};
  dq.inputs = {quantized, scale, zero};
  dq.outputs = {input ? fresh : real};
  NodeChange& change = changes_.nodes[key];
  if (input) {
    model_.nodes[index].inputs[port] = fresh;
    change.inputs[port] = NameOf(fresh);
  } else {
    model_.nodes[index].outputs[port] = fresh;
    change.outputs[port] = NameOf(fresh);
  }
  insertions_.push_back({model_.nodes[index].name, fmt::format("{}[{}]", input ? "in" : "out", port),
                         float_tensor.name, NameOf(quantized), coding});
  AddToFile(key, input, q);
  AddToFile(key, input, dq);
  const size_t at = input ? index : index + 1;
  InsertNode(at, std::move(dq), {});
  InsertNode(at, std::move(q), {});
  return absl::OkStatus();
}

void QdqEditor::AddToFile(const std::string& key, bool before, const Node& made) {
  NewNode file_node{key, before, made.name, made.op, made.domain, {}, {}};
  for (const TensorId id : made.inputs) file_node.inputs.push_back(NameOf(id));
  for (const TensorId id : made.outputs) file_node.outputs.push_back(NameOf(id));
  changes_.inserted.push_back(std::move(file_node));
}

TensorId QdqEditor::AddLike(const Tensor& shape, Dtype dtype, const std::string& name) {
  const TensorId id = AddTensor(Unused(name));
  Tensor& added = model_.tensors[static_cast<size_t>(id)];
  added.dtype = dtype;
  added.dims = shape.dims;
  added.unknown_rank = shape.unknown_rank;
  return id;
}

TensorId QdqEditor::AddScalar(const std::string& name, NewConstant content) {
  const TensorId id = AddTensor(Unused(name));
  Tensor& added = model_.tensors[static_cast<size_t>(id)];
  added.dtype = content.dtype;
  added.is_static = true;
  added.values = std::make_shared<const TensorValues>(content.values);
  changes_.constants[added.name] = std::move(content);
  return id;
}

}  // namespace quantgate::fix
