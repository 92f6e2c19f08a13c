// The real values that an input of a model can have.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/safety/value_range.h"
#include "quantgate/compare_runs.h"

namespace quantgate {
namespace {

bool CanBeDrawn(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
    case Dtype::kFloat16:
    case Dtype::kFloat64:
    case Dtype::kInt64:
    case Dtype::kInt32:
    case Dtype::kInt16:
    case Dtype::kInt8:
    case Dtype::kUint16:
    case Dtype::kUint8:
    case Dtype::kBool8:
      return true;
    default:
      return false;
  }
}

// All that the Qs that read an input can say; -1 to 1 where there is none.
fix::ValueRange RangeOfInput(const Model& model, const fix::ValueRanges& ranges, TensorId input) {
  std::optional<fix::ValueRange> all;
  for (const Node& node : model.nodes) {
    if (node.inputs.empty() || node.inputs[0] != input || node.outputs.empty() ||
        node.outputs[0] == kNoTensor) {
      continue;
    }
    const std::optional<fix::Coding> coding = ranges.CodingOf(node.outputs[0]);
    const auto range = coding ? fix::RangeOf(*coding) : std::nullopt;
    if (!range) continue;
    if (!all) all = range;
    all->low = std::min(all->low, range->low);
    all->high = std::max(all->high, range->high);
  }
  return all.value_or(fix::ValueRange{-1, 1});
}

}  // namespace

absl::StatusOr<std::vector<InputValues>> InputValuesOf(const Model& model,
                                                       const Database& database) {
  const fix::ValueRanges ranges(model, database.view());
  std::vector<InputValues> inputs;
  for (const TensorId id : model.inputs) {
    const Tensor& tensor = model.tensors[static_cast<size_t>(id)];
    if (tensor.is_static) continue;  // has a value of its own
    if (!CanBeDrawn(tensor.dtype) || tensor.unknown_rank) {
      return Invalid("no values can be made for the input " + Quoted(tensor.name));
    }
    InputValues input;
    input.name = tensor.name;
    input.dtype = tensor.dtype;
    for (const int64_t dim : tensor.dims) input.dims.push_back(dim < 0 ? 1 : dim);
    const fix::ValueRange range = RangeOfInput(model, ranges, id);
    input.low = range.low;
    input.high = range.high;
    input.whole_type = ranges.CodingOf(id).has_value();
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace quantgate
