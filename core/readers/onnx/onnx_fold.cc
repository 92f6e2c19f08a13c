#include "core/readers/onnx/onnx_fold.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "core/ir/element_count.h"

namespace quantgate::onnx {
namespace {

using fold::Input;
using fold::Task;

// Fixed shapes of at most kMaxKeptValues elements.
std::optional<int64_t> SmallCount(const Tensor& tensor) {
  if (tensor.unknown_rank) return std::nullopt;
  if (std::find(tensor.dims.begin(), tensor.dims.end(), kDynamicDim) != tensor.dims.end()) {
    return std::nullopt;
  }
  const auto count = ElementCount(tensor.dims.data(), tensor.dims.size());
  if (!count || *count > kMaxKeptValues) return std::nullopt;
  return count;
}

std::optional<Input> InputOf(const Tensor& tensor) {
  const auto count = SmallCount(tensor);
  if (!count || tensor.values == nullptr) return std::nullopt;
  Input input{{tensor.dims.data(), tensor.dims.size()}, tensor.values.get(), tensor.dtype, *count};
  const auto stored =
      static_cast<int64_t>(tensor.values->ints.size() + tensor.values->reals.size());
  if (stored != *count && !(stored == 1 && *count > 0)) return std::nullopt;
  if (IsFloat(tensor.dtype) ? !tensor.values->ints.empty() : !tensor.values->reals.empty()) {
    return std::nullopt;
  }
  return input;
}

// The types that shapes, indices, masks and scales are computed in.
bool IsComputedType(Dtype dtype) {
  return dtype == Dtype::kInt64 || dtype == Dtype::kInt32 || dtype == Dtype::kBool8 ||
         dtype == Dtype::kFloat32;
}

}  // namespace

namespace fold {

bool Input::is_real() const { return IsFloat(dtype); }

int64_t Input::Int(int64_t k) const {
  return values->ints[values->ints.size() == 1 ? 0 : static_cast<size_t>(k)];
}

double Input::Real(int64_t k) const {
  if (!is_real()) return static_cast<double>(Int(k));
  return values->reals[values->reals.size() == 1 ? 0 : static_cast<size_t>(k)];
}

int64_t Task::Attribute(std::string_view name, int64_t otherwise) const {
  const Param* param = node.FindParam(name);
  const auto* value = param == nullptr ? nullptr : std::get_if<IntParam>(&param->value);
  return value == nullptr ? otherwise : value->value;
}

const std::vector<int64_t>* Task::Attributes(std::string_view name) const {
  const Param* param = node.FindParam(name);
  return param == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(&param->value);
}

}  // namespace fold

bool Folder::Fold(const Node& node) {
  if (node.inputs.empty() || node.outputs.empty() || node.outputs[0] == kNoTensor) return false;
  Tensor& out = model_.tensors[static_cast<size_t>(node.outputs[0])];
  if (out.values != nullptr || out.is_static || !IsComputedType(out.dtype)) return false;
  // Most nodes read data.
  const TensorId first = node.inputs[0];
  if (first != kNoTensor && !InputOf(model_.tensors[static_cast<size_t>(first)])) return false;
  fold::Compute compute = fold::FindMovement(node.op);
  if (compute == nullptr) compute = fold::FindArithmetic(node.op);
  if (compute == nullptr) return false;
  const auto count = SmallCount(out);
  if (!count || *count >= budget_) return false;
  // Long lists of inputs are no shape arithmetic.
  constexpr size_t kMostInputs = 64;
  if (node.inputs.size() > kMostInputs) return false;
  absl::InlinedVector<Input, 4> inputs;
  for (const TensorId id : node.inputs) {
    if (id == kNoTensor) {
      inputs.emplace_back();
      continue;
    }
    const auto input = InputOf(model_.tensors[static_cast<size_t>(id)]);
    if (!input) return false;
    budget_ -= input->count;
    inputs.push_back(*input);
  }
  budget_ -= *count + 1;
  if (budget_ < 0) return false;
  auto values = compute(Task{node, inputs, {out.dims.data(), out.dims.size()}, out.dtype, *count});
  if (!values) return true;
  const size_t computed = IsFloat(out.dtype) ? values->reals.size() : values->ints.size();
  if (computed != static_cast<size_t>(*count)) return true;
  out.values = std::make_shared<const TensorValues>(*std::move(values));
  return true;
}

}  // namespace quantgate::onnx
