#include "core/readers/onnx/onnx_attributes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/absl_view.h"
#include "core/base/text.h"
#include "core/readers/model_finish.h"

namespace quantgate::onnx {
namespace {

// Inputs that hold scales and zero points, as bits: their values make encodings.
struct EncodingInputs {
  std::string_view op;
  uint32_t inputs;
};
constexpr std::array<EncodingInputs, 8> kEncodingInputs = {{
    {"QuantizeLinear", 0b110},
    {"DequantizeLinear", 0b110},
    {"QLinearConv", 0b11110110},
    {"QLinearMatMul", 0b11110110},
    {"QGemm", 0b110110110},
    {"QLinearAdd", 0b11110110},
    {"ConvInteger", 0b1100},
    {"MatMulInteger", 0b1100},
}};

// The values of a Constant are in its tensor; here only what it is.
ParamValue TensorOf(const Attribute& attribute, const std::string& what, bool is_constant,
                    const ValueSource& source) {
  const TensorProto proto = ParseTensor(attribute.tensor, what, source.data, source.place);
  TensorParam param;
  param.dtype = DtypeOf(proto.data_type);
  param.dims.assign(proto.dims.begin(), proto.dims.end());
  if (is_constant || !ShouldKeep(proto, Keep::kShort)) return param;
  std::string problem;
  const auto values = Values(proto, what, source.data, source.place, &problem);
  if (!problem.empty()) source.notes->push_back(fmt::format("{}: {}", what, problem));
  if (values != nullptr) {
    param.ints = values->ints;
    param.reals = values->reals;
  }
  return param;
}

std::optional<ParamValue> ValueOf(Attribute& attribute, const Node& node, bool is_constant,
                                  const ValueSource& source) {
  switch (attribute.type) {
    case kFloat:
      return static_cast<double>(attribute.f);
    case kInt:
      return IntParam{attribute.i};
    case kString:
      return Utf8(attribute.s);
    case kTensor:
      if (!attribute.has_tensor) return std::nullopt;
      return TensorOf(attribute, PlaceOf(node), is_constant, source);
    case kFloats:
      return std::move(attribute.floats);
    case kInts:
      return std::move(attribute.ints);
    case kStrings:
      return std::move(attribute.strings);
    default:  // graphs, sparse tensors, types, references of function bodies
      return std::nullopt;
  }
}

}  // namespace

void CollectEncodingInputs(const NodeProto& node,
                           absl::flat_hash_set<absl::string_view>& names) {
  const auto it = std::find_if(kEncodingInputs.begin(), kEncodingInputs.end(),
                               [&](const EncodingInputs& row) { return row.op == node.op; });
  if (it == kEncodingInputs.end()) return;
  for (size_t i = 0; i < node.inputs.size() && i < 32; ++i) {
    if ((it->inputs >> i & 1) != 0) names.insert(Absl(node.inputs[i]));
  }
}

std::string PlaceOf(const Node& node) {
  return fmt::format("node {}", Quoted(node.name));
}

void SetStatic(const TensorProto& proto, const std::string& what, Keep keep,
               const ValueSource& source, Tensor* tensor) {
  tensor->is_static = true;
  tensor->unknown_rank = false;
  tensor->dtype = DtypeOf(proto.data_type);
  tensor->dims = proto.dims;
  if (!ShouldKeep(proto, keep)) {
    tensor->value_range = StoredRange(proto, source.data, source.place, source.done);
    return;
  }
  std::string problem;
  tensor->values = Values(proto, what, source.data, source.place, &problem);
  if (!problem.empty()) {
    source.notes->push_back(
        fmt::format("the values of {} are not known: {}", Quoted(tensor->name), problem));
  }
}

void SetConstant(const std::vector<Attribute>& attributes, const std::string& what, Keep keep,
                 const ValueSource& source, Tensor* constant) {
  Tensor& tensor = *constant;
  tensor.is_static = true;
  for (const Attribute& attribute : attributes) {
    TensorValues values;
    Dtype dtype = Dtype::kUndefined;
    bool is_list = false;
    switch (attribute.type) {
      case kTensor:
        if (attribute.has_tensor) {
          SetStatic(ParseTensor(attribute.tensor, what, source.data, source.place), what, keep,
                    source, &tensor);
        }
        continue;
      case kFloat:
        values.reals = {attribute.f};
        dtype = Dtype::kFloat32;
        break;
      case kInt:
        values.ints = {attribute.i};
        dtype = Dtype::kInt64;
        break;
      case kFloats:
        values.reals = attribute.floats;
        dtype = Dtype::kFloat32;
        is_list = true;
        break;
      case kInts:
        values.ints = attribute.ints;
        dtype = Dtype::kInt64;
        is_list = true;
        break;
      default:
        continue;
    }
    tensor.dtype = dtype;
    tensor.unknown_rank = false;
    tensor.dims.clear();
    const size_t count = values.ints.size() + values.reals.size();
    if (is_list) tensor.dims.push_back(static_cast<int64_t>(count));
    if (count <= kMaxKeptValues || keep == Keep::kAll) {
      tensor.values = std::make_shared<const TensorValues>(std::move(values));
    }
  }
}

Params ParamsOf(std::vector<Attribute>& attributes, const Node& node, bool is_constant,
                const ValueSource& source) {
  if (attributes.empty()) return {};
  std::vector<Param> params;
  params.reserve(attributes.size());
  for (Attribute& attribute : attributes) {
    auto value = ValueOf(attribute, node, is_constant, source);
    if (value) params.push_back({Utf8(attribute.name), std::move(*value)});
  }
  if (const std::string* twice = FindTwice(params)) {
    throw BadModel(PlaceOf(node), fmt::format("attribute {} is given twice", Quoted(*twice)));
  }
  if (params.empty()) return {};
  return params;
}

bool KnownParams::SetKey(std::span<const std::string_view> attributes) {
  key_.clear();
  for (const std::string_view attribute : attributes) {
    if (key_.size() + attribute.size() > Repeats<Params>::kMostBytes) return false;
    AppendKey(static_cast<uint32_t>(attribute.size()), key_);
    key_.append(attribute);
  }
  return !attributes.empty();
}

const Params* KnownParams::Find(std::span<const std::string_view> attributes) {
  return SetKey(attributes) ? known_.Find(key_) : nullptr;
}

void KnownParams::Insert(std::span<const std::string_view> attributes, const Params& params) {
  if (SetKey(attributes)) known_.Insert(key_, params);
}

}  // namespace quantgate::onnx
