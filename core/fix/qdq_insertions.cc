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

absl::Status Refuse(std::string reason) { return absl::FailedPreconditionError(std::move(reason)); }

TensorId Input(const Node& node, size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : kNoTensor;
}

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
    if (found.ok() && Same(*found, coding) && n.unchecked_reason.empty()) return node;
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

absl::Status QdqEditor::Quantize(size_t index, bool input, size_t port, const Coding& coding) {
  const std::string key = key_[index];
  if (key.empty()) return Refuse("the node is not at the top of the file");
  const Node& node = model_.nodes[index];
  const TensorId real = input                        ? Input(node, port)
                        : port < node.outputs.size() ? node.outputs[port]
                                                     : kNoTensor;
  if (real == kNoTensor) return Refuse("the port is not there");
  const Tensor float_tensor = model_.tensors[static_cast<size_t>(real)];
  if (float_tensor.dtype != Dtype::kFloat32 && float_tensor.dtype != Dtype::kUndefined) {
    return Refuse("the tensor is not in single precision");
  }
  if (coding.encoding->kind != EncodingKind::kPerTensor) return Refuse("not per-tensor");
  if (input && QuantizedAt(index, input, port) != kNoTensor) {
    return Refuse("the port reads a quantized tensor");
  }
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
  const auto copy = [&](int32_t example) {
    const Node& from = model_.nodes[static_cast<size_t>(example)];
    Node made;
    made.op = from.op;
    made.domain = from.domain;
    made.name = fmt::format("{}_{}{}_{}", node.name, input ? "in" : "out", port, from.op);
    return made;
  };
  Node q = copy(q_example);
  Node dq = copy(dq_example);
  const auto quantizer = [&](TensorId id, Dtype dtype, const absl::InlinedVector<int64_t, 4>& dims,
                             bool unknown) {
    Tensor& t = model_.tensors[static_cast<size_t>(id)];
    t.dtype = dtype;
    t.dims = dims;
    t.unknown_rank = unknown;
  };
  const std::string base = fmt::format("{}_{}{}", node.name, input ? "in" : "out", port);
  const TensorId quantized = AddTensor(Unused(base + "_q"));
  quantizer(quantized, storage, float_tensor.dims, float_tensor.unknown_rank);
  const TensorId fresh = AddTensor(Unused(base + (input ? "_dq" : "_float")));
  quantizer(fresh, Dtype::kFloat32, float_tensor.dims, float_tensor.unknown_rank);
  // Reading: real -> q -> dq = fresh -> node. Writing: node -> fresh -> q -> dq = real, so that
  // whoever reads the tensor, and the graph's outputs, keep its name.
  q.inputs = {input ? real : fresh};
  q.outputs = {quantized};
  dq.inputs = {quantized};
  dq.outputs = {input ? fresh : real};
  NodeChange& change = changes_.nodes[key];
  if (input) {
    model_.nodes[index].inputs[port] = fresh;
    change.inputs[port] = NameOf(fresh);
  } else {
    model_.nodes[index].outputs[port] = fresh;
    change.outputs[port] = NameOf(fresh);
  }
  const auto constant = [&](std::string_view suffix, NewConstant content) {
    const TensorId id = AddTensor(Unused(base + std::string(suffix)));
    Tensor& t = model_.tensors[static_cast<size_t>(id)];
    t.dtype = content.dtype;
    t.is_static = true;
    t.values = std::make_shared<const TensorValues>(content.values);
    changes_.constants[t.name] = std::move(content);
    return id;
  };
  NewConstant scale, zero;
  scale.dtype = Dtype::kFloat32;
  scale.values.reals = {ScaleAt(coding.encoding, 0)};
  zero.dtype = storage;
  zero.values.ints = {ZeroPointAt(coding.encoding, 0)};
  const TensorId scale_id = constant("_scale", std::move(scale));
  const TensorId zero_id = constant("_zero_point", std::move(zero));
  for (Node* made : {&q, &dq}) {
    made->inputs.push_back(scale_id);
    made->inputs.push_back(zero_id);
  }
  insertions_.push_back({node.name, fmt::format("{}[{}]", input ? "in" : "out", port),
                         float_tensor.name, NameOf(quantized), coding});
  const size_t at = input ? index : index + 1;
  for (Node* made : {&q, &dq}) {
    NewNode file_node{key, input, made->name, made->op, made->domain, {}, {}};
    for (const TensorId id : made->inputs) file_node.inputs.push_back(NameOf(id));
    for (const TensorId id : made->outputs) file_node.outputs.push_back(NameOf(id));
    changes_.inserted.push_back(std::move(file_node));
  }
  InsertNode(at, std::move(dq), {});
  InsertNode(at, std::move(q), {});
  return absl::OkStatus();
}

}  // namespace quantgate::fix
