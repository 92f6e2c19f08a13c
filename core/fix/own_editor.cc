#include "core/fix/own_editor.h"

#include <algorithm>
#include <utility>

#include "core/fix/requantize.h"

namespace quantgate::fix {
namespace {

bool Holds(const std::vector<TensorId>& ids, TensorId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

OwnEditor::OwnEditor(Model model, Constants constants, const opdb::View& database)
    : Editor(std::move(model), database),
      constants_(constants),
      file_(std::make_shared<const Model>(model_)) {}

std::unique_ptr<Editor> OwnEditor::Clone() const {
  return std::unique_ptr<Editor>(new OwnEditor(*this));
}

absl::StatusOr<Coding> OwnEditor::CodingOf(TensorId id) const {
  const Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
  if (!IsFixedPoint(tensor.dtype) || tensor.encoding->kind == EncodingKind::kNone) {
    return Refuse("it is not quantized");
  }
  return Coding{tensor.dtype, tensor.encoding};
}

absl::Status OwnEditor::Values(TensorId id, const StoredValues::Use& use) const {
  const Tensor& tensor = file_->tensors[static_cast<size_t>(id)];
  if (tensor.values == nullptr || tensor.values->ints.empty()) {
    return Refuse("its values are not in the file");
  }
  use(tensor.values->ints, 0);
  return absl::OkStatus();
}

bool OwnEditor::IsInner(TensorId id) const {
  return !Holds(model_.inputs, id) && !Holds(model_.outputs, id) &&
         !model_.tensors[static_cast<size_t>(id)].is_static;
}

absl::Status OwnEditor::Encode(TensorId id, const Coding& to, Rounding rounding) {
  const absl::StatusOr<Coding> now = CodingOf(id);
  if (!now.ok()) return now.status();
  if (Same(*now, to)) return absl::OkStatus();
  Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
  const auto known = recoded_.find(tensor.name);
  const Coding from = known == recoded_.end() ? *now : known->second.from;
  if (BitsOf(from.dtype) != BitsOf(to.dtype)) return Refuse("another width of its integers");
  if (!tensor.is_static || constants_ == Constants::kFloat) {
    if (absl::Status kept = CheckKeepsValues(id, *now, to); !kept.ok()) return kept;
  }
  Recoding recoding{from, to};
  if (constants_ == Constants::kStored) {
    if (!tensor.is_static && from.dtype != to.dtype && !IsInner(id)) {
      return Refuse("the model's caller reads or writes its integers");
    }
    // With one axis written in two ways no value changes its meaning.
    const bool same_values = from.dtype == to.dtype &&
                             from.encoding->zero_points == to.encoding->zero_points &&
                             from.encoding->scales == to.encoding->scales;
    if (!same_values) {
      absl::StatusOr<Recoding> plan = Plan(id, from, to, rounding);
      if (!plan.ok()) return plan.status();
      recoding = *std::move(plan);
    }
    recoding.is_static = tensor.is_static;
  }
  if (recoding.is_static && recoding.rewritten()) {
    std::string problem;
    const auto requantizer =
        Requantizer::Make(from, to, {tensor.dims.data(), tensor.dims.size()}, &problem);
    tensor.values = requantizer->MapAll(file_->tensors[static_cast<size_t>(id)].values->ints);
    tensor.value_range.reset();
  }
  tensor.dtype = to.dtype;
  tensor.encoding = to.encoding;
  recoded_[tensor.name] = std::move(recoding);
  return absl::OkStatus();
}

absl::Status OwnEditor::Quantize(size_t, bool, size_t, const Coding&) {
  return Refuse("nodes are inserted in ONNX and TFLite models only");
}

absl::StatusOr<Coding> OwnEditor::CodingElsewhere(TensorId) const {
  return Refuse("a tensor has one encoding");
}

TensorId OwnEditor::QuantizedAt(size_t node, bool input, size_t port) const {
  const Node& n = model_.nodes[node];
  const auto at = [&](const auto& ids) { return port < ids.size() ? ids[port] : kNoTensor; };
  const TensorId id = input ? at(n.inputs) : at(n.outputs);
  return id != kNoTensor && CodingOf(id).ok() ? id : kNoTensor;
}

}  // namespace quantgate::fix
