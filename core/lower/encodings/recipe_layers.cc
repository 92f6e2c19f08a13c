#include "core/lower/encodings/recipe_layers.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/lower/encodings/tensor_roles.h"
#include "core/lower/resolve/mapping.h"
#include "quantgate/dtype.h"

namespace quantgate {
namespace {

int64_t Dim(const Tensor& tensor, opdb::Tree axis) {
  const int64_t rank = tensor.rank();
  int64_t at = axis.integer().value_or(rank);
  if (at < 0) at += rank;
  return at < 0 || at >= rank ? kDynamicDim : tensor.dims[static_cast<size_t>(at)];
}

bool Swapped(const Node& node, std::string_view attribute) {
  const Param* param = attribute.empty() ? nullptr : node.FindParam(attribute);
  const auto values = param == nullptr ? std::nullopt : IntsOf(param->value);
  return values && !values->empty() && values->front() != 0;
}

// Nothing where the weight is no constant, or has other axes than those of a linear layer.
std::optional<LinearLayer> LayerOf(const Model& model, const TensorRoles& roles, size_t n,
                                   opdb::Tree known, opdb::Tree document) {
  const Node& node = model.nodes[n];
  const auto port = static_cast<size_t>(known["weight"].integer().value_or(0));
  if (port >= node.inputs.size() || node.inputs[port] == kNoTensor) return std::nullopt;
  TensorId id = node.inputs[port];
  // The weight may come through the DequantizeLinear that the file has for it.
  const FileTensorRole& role = roles.of(id);
  if (role.producer >= 0 && role.producer == role.quantizer) id = role.quantized_by;
  const Tensor& weight = model.tensors[static_cast<size_t>(id)];
  if (!weight.is_static) return std::nullopt;
  LinearLayer layer{n, document["forms"][known["form"].str()]};
  if (weight.unknown_rank) return layer;
  const opdb::Tree ones = known["unit_axes"];
  for (size_t i = 0; i < ones.size(); ++i) {
    if (Dim(weight, ones.at(i)) != 1) return std::nullopt;
  }
  layer.in = Dim(weight, known["input_axis"]);
  layer.out = Dim(weight, known["output_axis"]);
  if (Swapped(node, known["swapped_by"].str())) std::swap(layer.in, layer.out);
  return layer;
}

int32_t Int(opdb::Tree tree) { return static_cast<int32_t>(tree.integer().value_or(0)); }

ParamValue ValueOf(opdb::Tree tree) {
  if (const auto flag = tree.flag()) return *flag;
  if (tree["ints"]) {
    TensorParam param;
    param.dtype = DtypeFromName(tree["dtype"].str()).value_or(Dtype::kUndefined);
    const std::vector<int64_t> dims = NumbersOf(tree["dims"]);
    param.dims.assign(dims.begin(), dims.end());
    param.ints = NumbersOf(tree["ints"]);
    return param;
  }
  return UintParam{static_cast<uint64_t>(tree.integer().value_or(0))};
}

}  // namespace

std::vector<LinearLayer> LinearLayersOf(const Model& model, opdb::Tree document,
                                        const Database& database) {
  mapping::Mapping mapping(database.view(),
                           absl::StrCat("resolve/", std::string(DialectName(model.dialect))),
                           nullptr);
  const TensorRoles roles(model, mapping);
  std::vector<LinearLayer> layers;
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const Node& node = model.nodes[n];
    if (!node.domain.empty() || !node.unchecked_reason.empty()) continue;
    const opdb::Tree known = document["layers"][DialectName(model.DialectOf(node))][node.op];
    if (!known) continue;
    if (auto layer = LayerOf(model, roles, n, known, document)) layers.push_back(*layer);
  }
  return layers;
}

std::vector<int64_t> NumbersOf(opdb::Tree list) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < list.size(); ++i) numbers.push_back(list.at(i).integer().value_or(0));
  return numbers;
}

Tensor& LayerBuilder::AddTensor(const LinearLayer& layer, std::string_view port, opdb::Tree shape) {
  const std::string base =
      absl::StrCat(model_.nodes[layer.node].name.str(), ".", std::string(port));
  std::string name = base;
  for (int i = 2; !names_.insert(name).second; ++i) name = absl::StrCat(base, "#", i);
  Tensor& tensor = model_.tensors.emplace_back();
  tensor.name = std::move(name);
  for (size_t i = 0; i < shape.size(); ++i) {
    const std::string_view size = shape.at(i).str();
    tensor.dims.push_back(size == "in"       ? layer.in
                          : size == "out"    ? layer.out
                          : size == "tokens" ? document_["tokens"].integer().value_or(1)
                                             : shape.at(i).integer().value_or(1));
  }
  return tensor;
}

TensorId LayerBuilder::AddActivation(const LinearLayer& layer, std::string_view port,
                                     opdb::Tree shape, opdb::Tree form) {
  Tensor& tensor = AddTensor(layer, port, shape);
  tensor.dtype = DtypeFromName(form["dtype"].str()).value_or(Dtype::kUndefined);
  tensor.encoding.Edit().kind = EncodingKind::kPerTensor;
  tensor.encoding.Edit().scales = {Scale()};
  tensor.encoding.Edit().zero_points = {Int(form["zero_point"])};
  return Last();
}

TensorId LayerBuilder::AddWeight(const LinearLayer& layer, int64_t block, opdb::Tree form) {
  Tensor& tensor = AddTensor(layer, "weight", layer.form["weight"]);
  tensor.dtype = DtypeFromName(form["dtype"].str()).value_or(Dtype::kUndefined);
  tensor.is_static = true;
  Encoding& e = tensor.encoding.Edit();
  e.kind = EncodingKind::kLpbq;
  e.axis = Int(layer.form["channel_axis"]);
  e.bitwidth = Int(form["bitwidth"]);
  e.scales = {Scale()};
  e.zero_points = {0};
  e.num_blocks = static_cast<int32_t>(layer.in / block);
  e.block_scales = {1};
  e.block_scale_bitwidth = Int(form["factor_bits"]);
  e.block_scale_storage_bits = Int(form["factor_storage_bits"]);
  return Last();
}

void LayerBuilder::Build(const LinearLayer& layer, int64_t block, opdb::Tree precision) {
  const TensorId x =
      AddActivation(layer, "input", layer.form["activation"], precision["activation"]);
  const TensorId w = AddWeight(layer, block, precision["weight"]);
  const TensorId y =
      AddActivation(layer, "output", layer.form["output"], precision["activation"]);
  model_.inputs.push_back(x);
  model_.outputs.push_back(y);
  Node& node = model_.nodes[layer.node];
  node.op = std::string(layer.form["op"].str());
  node.inputs = {x, w};
  node.outputs = {y};
  node.params.clear();
  const opdb::Tree params = layer.form["params"];
  for (size_t i = 0; i < params.size(); ++i) {
    node.params.push_back({std::string(params.at(i).key()), ValueOf(params.at(i))});
  }
}

}  // namespace quantgate
