#include "core/readers/model_finish.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "core/base/text.h"
#include "core/ir/element_count.h"
#include "core/readers/limits.h"

namespace quantgate {
namespace {

std::string CheckDims(const int64_t* dims, size_t rank, std::optional<int64_t>* count) {
  if (rank > kMaxRank) return fmt::format("{} dimensions; {} are the most", rank, kMaxRank);
  *count = ElementCount(dims, rank);
  if (!*count) return "the product of \"dims\" is beyond 64 bits";
  return {};
}

// As many as elements, or one that stands for all.
bool CountFits(size_t values, int64_t elements) {
  return values == 1 || static_cast<int64_t>(values) == elements;
}

}  // namespace

std::string FinishTensor(Tensor& tensor, size_t index) {
  if (std::string problem = CheckRoomForTensor(index); !problem.empty()) return problem;
  if (std::string problem = CheckName(tensor.name); !problem.empty()) return problem;
  if (tensor.name.empty()) return "a tensor needs a \"name\"";
  if (tensor.unknown_rank && !tensor.dims.empty()) {
    return fmt::format("tensor {} has both \"dims\" and \"unknownRank\"", Quoted(tensor.name));
  }
  const auto below = std::find_if(tensor.dims.begin(), tensor.dims.end(),
                                  [](int64_t dim) { return dim < kDynamicDim; });
  if (below != tensor.dims.end()) {
    return fmt::format("tensor {}: {} is not a dimension", Quoted(tensor.name), *below);
  }
  std::optional<int64_t> count;
  if (std::string problem = CheckDims(tensor.dims.data(), tensor.dims.size(), &count);
      !problem.empty()) {
    return fmt::format("tensor {}: {}", Quoted(tensor.name), problem);
  }
  if (tensor.values == nullptr) {
    // The format can't tell no values from the values of an empty tensor.
    if (tensor.is_static && *count == 0) tensor.values = std::make_shared<const TensorValues>();
    return {};
  }
  const TensorValues& values = *tensor.values;
  if (!values.ints.empty() && !values.reals.empty()) {
    return fmt::format("tensor {} has both \"values\" and \"realValues\"", Quoted(tensor.name));
  }
  const size_t given = values.ints.size() + values.reals.size();
  const bool fixed = !tensor.unknown_rank && std::find(tensor.dims.begin(), tensor.dims.end(),
                                                       kDynamicDim) == tensor.dims.end();
  if (given == 0 && *count != 0) {
    tensor.values = nullptr;
  } else if (fixed && !CountFits(given, *count)) {
    return fmt::format("tensor {} has {} values for {} elements", Quoted(tensor.name), given,
                       *count);
  }
  return {};
}

std::string CheckTensorParam(const TensorParam& param) {
  if (!param.ints.empty() && !param.reals.empty()) return "has both \"ints\" and \"reals\"";
  std::optional<int64_t> count;
  if (std::string problem = CheckDims(param.dims.data(), param.dims.size(), &count);
      !problem.empty()) {
    return problem;
  }
  if (std::any_of(param.dims.begin(), param.dims.end(), [](int64_t dim) { return dim < 0; })) {
    return "a dimension is negative";
  }
  // None given: values that the reader of the original file did not keep.
  const size_t given = param.ints.size() + param.reals.size();
  if (given != 0 && !CountFits(given, *count)) {
    return fmt::format("has {} values for {} elements", given, *count);
  }
  return {};
}

const std::string* FindTwice(const std::vector<Param>& params) {
  if (params.size() < 2) return nullptr;
  absl::flat_hash_set<absl::string_view> names;
  for (const Param& param : params) {
    if (!names.insert(param.name).second) return &param.name;
  }
  return nullptr;
}

std::string FinishNode(Node& node, size_t index) {
  for (const SharedString* name : {&node.name, &node.op}) {
    if (std::string problem = CheckName(*name); !problem.empty()) return problem;
  }
  if (node.name.empty()) node.name = fmt::format("{}_{}", node.op, index);
  return CheckRoomForNode(index);
}

}  // namespace quantgate
