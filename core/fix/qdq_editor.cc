#include "core/fix/qdq_editor.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/fix/requantize.h"
#include "core/lower/resolve/encodings.h"

namespace quantgate::fix {
namespace {

using mapping::Role;

bool SameConstant(const Tensor& tensor, const NewConstant& wanted) {
  return tensor.dtype == wanted.dtype && tensor.values && *tensor.values == wanted.values &&
         std::equal(tensor.dims.begin(), tensor.dims.end(), wanted.dims.begin(), wanted.dims.end());
}

// Types and kinds of encoding that Q and DQ can say.
absl::Status CheckWritable(const Coding& from, const Coding& to) {
  if (StorageOf(to.dtype) == Dtype::kUndefined || StorageOf(from.dtype) == Dtype::kUndefined ||
      from.encoding->bitwidth != to.encoding->bitwidth) {
    return Refuse("its type is not written anew");
  }
  if (to.encoding->kind != EncodingKind::kPerTensor &&
      to.encoding->kind != EncodingKind::kPerChannel) {
    return Refuse("its kind of encoding is not written anew");
  }
  return absl::OkStatus();
}

// `count` scales and zero points, in the shape that `scales` has.
absl::Status FillConstants(const Coding& to, int64_t count, NewConstant& scales, NewConstant& zeros) {
  zeros.dims = scales.dims;
  scales.dtype = Dtype::kFloat32;
  zeros.dtype = StorageOf(to.dtype);
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    scales.values.reals.push_back(ScaleAt(to.encoding, i));
    const int64_t zero = ZeroPointAt(to.encoding, i);
    if (zero < StoredMin(to.dtype) || zero > StoredMax(to.dtype)) {
      return Refuse(fmt::format("zero_point {} is outside of {}", zero, DtypeName(to.dtype)));
    }
    zeros.values.ints.push_back(zero);
  }
  return absl::OkStatus();
}

}  // namespace

QdqEditor::QdqEditor(Model model, const opdb::View& database, const StoredValues& values)
    : Editor(std::move(model), database),
      values_(&values),
      mapping_(std::make_shared<mapping::Mapping>(
          database, fmt::format("resolve/{}", DialectName(model_.dialect)), nullptr)),
      key_(model_.nodes.size()) {
  for (size_t n = 0; n < model_.nodes.size(); ++n) {
    const Node& node = model_.nodes[n];
    if (IsInSubgraph(node)) continue;
    const auto first = std::find_if(node.outputs.begin(), node.outputs.end(),
                                    [](TensorId id) { return id != kNoTensor; });
    if (first != node.outputs.end()) key_[n] = NameOf(*first);
  }
}

std::unique_ptr<Editor> QdqEditor::Clone() const {
  return std::unique_ptr<Editor>(new QdqEditor(*this));
}

std::string QdqEditor::NameOf(TensorId tensor) const {
  return model_.tensors[static_cast<size_t>(tensor)].name;
}

Role QdqEditor::RoleOf(int32_t node) const {
  const Node& n = model_.nodes[static_cast<size_t>(node)];
  const mapping::OpMapping* op = mapping_->Find(n.domain, n.op);
  return op == nullptr ? Role::kOp : op->role;
}

const QdqEditor::Uses& QdqEditor::UsesOf(TensorId tensor) const {
  if (uses_.size() != model_.tensors.size()) {
    uses_.assign(model_.tensors.size(), {});
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      const auto node = static_cast<int32_t>(n);
      for (const TensorId id : model_.nodes[n].outputs) {
        if (id != kNoTensor) uses_[static_cast<size_t>(id)].producer = node;
      }
      for (size_t i = 0; i < model_.nodes[n].inputs.size(); ++i) {
        const TensorId id = model_.nodes[n].inputs[i];
        if (id != kNoTensor) {
          uses_[static_cast<size_t>(id)].readers.emplace_back(node, static_cast<int32_t>(i));
        }
      }
    }
  }
  return uses_[static_cast<size_t>(tensor)];
}

bool QdqEditor::IsOutput(TensorId tensor) const {
  return std::find(model_.outputs.begin(), model_.outputs.end(), tensor) != model_.outputs.end();
}

bool QdqEditor::IsInput(TensorId tensor) const {
  return std::find(model_.inputs.begin(), model_.inputs.end(), tensor) != model_.inputs.end();
}

bool QdqEditor::IsInner(TensorId tensor) const {
  return !IsOutput(tensor) && !IsInput(tensor) &&
         !model_.tensors[static_cast<size_t>(tensor)].is_static;
}

TensorId QdqEditor::QuantizedOf(int32_t node) const {
  const Node& n = model_.nodes[static_cast<size_t>(node)];
  const Role role = RoleOf(node);
  if (role == Role::kQuantize) return n.outputs.empty() ? kNoTensor : n.outputs[0];
  return role == Role::kDequantize ? Input(n, 0) : kNoTensor;
}

absl::StatusOr<Coding> QdqEditor::CodingAt(int32_t node) const {
  const Node& n = model_.nodes[static_cast<size_t>(node)];
  const auto values = [&](size_t i) -> const TensorValues* {
    const TensorId id = Input(n, i);
    return id == kNoTensor ? nullptr : model_.tensors[static_cast<size_t>(id)].values.get();
  };
  const TensorId quantized = QuantizedOf(node);
  if (quantized == kNoTensor) return Refuse("it is not quantized");
  NodeEncoding found =
      EncodingOf(model_, n, model_.tensors[static_cast<size_t>(quantized)], values(1), values(2));
  if (!found.problem.empty()) return Refuse(std::move(found.problem));
  return Coding{found.dtype, std::move(found.encoding)};
}

QdqEditor::Around QdqEditor::AroundOf(TensorId tensor) const {
  Around around;
  const Tensor& t = model_.tensors[static_cast<size_t>(tensor)];
  const Uses& uses = UsesOf(tensor);
  const auto add = [&](int32_t node, Role role) {
    if (RoleOf(node) != role) {
      around.problem = "its integers are used as they are";
    } else if (IsInSubgraph(model_.nodes[static_cast<size_t>(node)])) {
      around.problem = "it is used in a subgraph";
    } else {
      around.nodes.push_back(node);
    }
  };
  if (!t.is_static) {
    if (IsInput(tensor)) around.problem = "the model's caller writes its integers";
    if (uses.producer >= 0) add(uses.producer, Role::kQuantize);
  } else if (IsInput(tensor)) {
    around.problem = "the model's caller may replace it";
  }
  for (const auto& [node, input] : uses.readers) {
    add(node, input == 0 ? Role::kDequantize : Role::kOp);
  }
  if (IsOutput(tensor)) around.problem = "the model's caller reads its integers";
  if (around.problem.empty() && around.nodes.empty()) around.problem = "it is not quantized";
  return around;
}

absl::StatusOr<Coding> QdqEditor::CodingOf(TensorId tensor) const {
  const Around around = AroundOf(tensor);
  if (around.nodes.empty()) return Refuse("it is not quantized");
  absl::StatusOr<Coding> first = CodingAt(around.nodes[0]);
  for (size_t i = 1; first.ok() && i < around.nodes.size(); ++i) {
    const absl::StatusOr<Coding> other = CodingAt(around.nodes[i]);
    if (!other.ok()) return other;
    if (!Same(*first, *other)) return Refuse("it is written and read with different encodings");
  }
  return first;
}

absl::StatusOr<Coding> QdqEditor::CodingElsewhere(TensorId tensor) const {
  for (const auto& [node, input] : UsesOf(tensor).readers) {
    if (input == 0 && RoleOf(node) == Role::kQuantize) return CodingAt(node);
  }
  return Refuse("nothing quantizes it elsewhere");
}

TensorId QdqEditor::QuantizedAt(size_t node, bool input, size_t port) const {
  const Node& n = model_.nodes[node];
  if (input) {
    const TensorId read = Input(n, port);
    const int32_t producer = read == kNoTensor ? -1 : UsesOf(read).producer;
    return producer >= 0 && RoleOf(producer) == Role::kDequantize ? QuantizedOf(producer)
                                                                  : kNoTensor;
  }
  const TensorId written = port < n.outputs.size() ? n.outputs[port] : kNoTensor;
  if (written == kNoTensor) return kNoTensor;
  for (const auto& [reader, at] : UsesOf(written).readers) {
    if (at == 0 && RoleOf(reader) == Role::kQuantize) return QuantizedOf(reader);
  }
  return kNoTensor;
}

absl::Status QdqEditor::Values(TensorId tensor, const StoredValues::Use& use) const {
  return values_->Read(NameOf(tensor), use);
}

void QdqEditor::SetInput(int32_t node, size_t input, TensorId id) {
  Node& n = model_.nodes[static_cast<size_t>(node)];
  if (Input(n, input) == id) return;
  if (n.inputs.size() <= input) n.inputs.resize(input + 1, kNoTensor);
  n.inputs[input] = id;
  const std::string& key = key_[static_cast<size_t>(node)];
  if (!key.empty()) {
    changes_.nodes[key].inputs[input] = NameOf(id);
    return;
  }
  for (NewNode& made : changes_.inserted) {
    if (made.outputs[0] != NameOf(n.outputs[0])) continue;
    made.inputs.resize(std::max(made.inputs.size(), input + 1));
    made.inputs[input] = NameOf(id);
  }
}

void QdqEditor::DropIfUnused(TensorId constant) {
  const Uses& uses = UsesOf(constant);
  if (!uses.readers.empty() || uses.producer >= 0 || IsOutput(constant) || IsInput(constant)) return;
  const auto known = changes_.constants.find(NameOf(constant));
  const bool is_new = known != changes_.constants.end() && !known->second.replaces;
  if (known != changes_.constants.end()) changes_.constants.erase(known);
  if (!is_new) changes_.unused.insert(NameOf(constant));
}

bool QdqEditor::IsReadOnlyBy(TensorId constant, const std::vector<int32_t>& nodes, size_t input) const {
  const Uses& uses = UsesOf(constant);
  return uses.producer < 0 && model_.tensors[static_cast<size_t>(constant)].is_static && !IsInput(constant) &&
         !IsOutput(constant) &&
         std::all_of(uses.readers.begin(), uses.readers.end(), [&](const auto& use) {
           return static_cast<size_t>(use.second) == input &&
                  std::find(nodes.begin(), nodes.end(), use.first) != nodes.end();
         });
}

void QdqEditor::SetConstant(const std::vector<int32_t>& nodes, size_t input, std::string_view name,
                            NewConstant content) {
  std::vector<TensorId> read;  // now, by each node
  for (const int32_t node : nodes) read.push_back(Input(model_.nodes[static_cast<size_t>(node)], input));
  // The one the first node reads is written over where nobody else reads it.
  TensorId id = read[0];
  const bool all_read_it = std::all_of(read.begin(), read.end(), [&](TensorId other) { return other == id; });
  if (id != kNoTensor && all_read_it && SameConstant(model_.tensors[static_cast<size_t>(id)], content)) return;
  if (id == kNoTensor || !IsReadOnlyBy(id, nodes, input)) {
    id = AddTensor(Unused(std::string(name)));
  } else {
    const auto known = changes_.constants.find(NameOf(id));
    content.replaces = known == changes_.constants.end() || known->second.replaces;
  }
  Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
  tensor.dtype = content.dtype;
  tensor.is_static = true;
  tensor.unknown_rank = false;
  tensor.dims.assign(content.dims.begin(), content.dims.end());
  tensor.values = std::make_shared<const TensorValues>(content.values);
  for (const int32_t node : nodes) SetInput(node, input, id);
  changes_.constants[tensor.name] = std::move(content);
  uses_.clear();
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  for (const TensorId left : read) {
    if (left != kNoTensor && left != id) DropIfUnused(left);
  }
}

void QdqEditor::SetAxis(int32_t node, int32_t axis) {
  Node& n = model_.nodes[static_cast<size_t>(node)];
  const auto param =
      std::find_if(n.params.begin(), n.params.end(), [](const Param& p) { return p.name == kAxis; });
  const IntParam value{axis};
  if (param == n.params.end()) {
    n.params.push_back({std::string(kAxis), value});
  } else if (const auto* old = std::get_if<IntParam>(&param->value); old != nullptr && *old == value) {
    return;
  } else {
    n.params.Edit()[static_cast<size_t>(param - n.params.begin())].value = value;
  }
  const std::string& key = key_[static_cast<size_t>(node)];
  if (!key.empty()) changes_.nodes[key].axis = axis;
}

// Whether the file can say another coding at each node that says it now.
absl::Status QdqEditor::CheckRewritable(const Around& around, bool other_type) const {
  for (const int32_t node : around.nodes) {
    const Node& n = model_.nodes[static_cast<size_t>(node)];
    const TensorId scale = Input(n, 1);
    if (scale == kNoTensor || model_.tensors[static_cast<size_t>(scale)].dtype != Dtype::kFloat32) {
      return Refuse("its scale is not single precision");
    }
    if (other_type && n.FindParam("output_dtype") != nullptr) return Refuse("the type is written in an attribute");
    if (key_[static_cast<size_t>(node)].empty() && OriginOf(static_cast<size_t>(node)) >= 0) {
      return Refuse("a node around it is not at the top of the file");
    }
  }
  return absl::OkStatus();
}

// The values of a small constant in another coding; null where they are not kept.
static std::shared_ptr<const TensorValues> Recoded(const Tensor& tensor, const Coding& from,
                                                   const Coding& to) {
  std::string problem;
  const auto requantizer =
      Requantizer::Make(from, to, {tensor.dims.data(), tensor.dims.size()}, &problem);
  const bool has_ints = tensor.values != nullptr && !tensor.values->ints.empty();
  return requantizer && has_ints ? requantizer->MapAll(tensor.values->ints) : nullptr;
}

absl::Status QdqEditor::Encode(TensorId id, const Coding& to, Rounding rounding) {
  const absl::StatusOr<Coding> now = CodingOf(id);
  if (!now.ok()) return now.status();
  const Around around = AroundOf(id);
  if (!around.problem.empty()) return Refuse(around.problem);
  if (Same(*now, to)) return absl::OkStatus();
  const auto known = recoded_.find(NameOf(id));
  const Coding from = known == recoded_.end() ? *now : known->second.from;
  const Tensor& before = model_.tensors[static_cast<size_t>(id)];
  if (absl::Status writable = CheckWritable(from, to); !writable.ok()) return writable;
  if (!before.is_static) {
    if (absl::Status kept = CheckKeepsValues(id, *now, to); !kept.ok()) return kept;
  }
  const absl::StatusOr<Recoding> plan = Plan(id, from, to, rounding);
  if (!plan.ok()) return plan.status();
  const bool per_channel = to.encoding->kind == EncodingKind::kPerChannel;
  if (per_channel && before.unknown_rank) return Refuse("its shape is not known");
  const auto channels =
      ChannelsOf(to.encoding, {before.dims.data(), static_cast<size_t>(before.dims.size())});
  if (!channels && per_channel) return Refuse("its scales don't fit its shape");
  if (absl::Status ok = CheckRewritable(around, to.dtype != from.dtype); !ok.ok()) return ok;

  NewConstant scales, zeros;
  const TensorId old_scale = Input(model_.nodes[static_cast<size_t>(around.nodes[0])], 1);
  const Tensor& scale = model_.tensors[static_cast<size_t>(old_scale)];
  // A single one keeps its shape, [] or [1].
  if (per_channel) {
    scales.dims = {channels->count};
  } else if (scale.dims.size() == 1 && scale.dims[0] == 1) {
    scales.dims = {1};
  }
  if (absl::Status ok = FillConstants(to, per_channel ? channels->count : 1, scales, zeros); !ok.ok()) return ok;
  const auto has_zero_point = [&](int32_t node) {
    return Input(model_.nodes[static_cast<size_t>(node)], 2) != kNoTensor;
  };
  const auto& ints = zeros.values.ints;
  const bool has_zero = to.dtype != from.dtype ||
                        std::any_of(ints.begin(), ints.end(), [](int64_t zero) { return zero != 0; }) ||
                        std::any_of(around.nodes.begin(), around.nodes.end(), has_zero_point);
  const std::string name = before.name;
  if (to.dtype != from.dtype || plan->moved > 0) {
    Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
    tensor.values = known == recoded_.end() ? Recoded(tensor, from, to) : nullptr;
    tensor.dtype = StorageOf(to.dtype);
    if (plan->range && tensor.value_range) {
      tensor.value_range = std::pair<double, double>(plan->range->first, plan->range->second);
    } else {
      tensor.value_range.reset();
    }
  }
  SetConstant(around.nodes, 1, name + "_scale", std::move(scales));
  if (has_zero) SetConstant(around.nodes, 2, name + "_zero_point", std::move(zeros));
  if (per_channel) {
    for (const int32_t node : around.nodes) SetAxis(node, to.encoding->axis);
  }
  recoded_[name] = *plan;
  return absl::OkStatus();
}

}  // namespace quantgate::fix
