// ONNX models with Q and DQ nodes, built in code, for the tests of resolve and route.
#ifndef QUANTGATE_TESTS_UNIT_SUPPORT_ONNX_MODEL_H_
#define QUANTGATE_TESTS_UNIT_SUPPORT_ONNX_MODEL_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantgate/model.h"

namespace quantgate::testing_onnx {

using Dims = std::vector<int64_t>;

class OnnxModel {
 public:
  OnnxModel() {
    model.dialect = Dialect::kOnnx;
    model.opset = 21;
  }

  TensorId Add(std::string_view name, const Dims& dims, Dtype dtype) {
    Tensor t;
    t.name = std::string(name);
    t.dtype = dtype;
    t.dims.assign(dims.begin(), dims.end());
    model.tensors.push_back(std::move(t));
    return static_cast<TensorId>(model.tensors.size()) - 1;
  }
  TensorId Input(std::string_view name, const Dims& dims, Dtype dtype = Dtype::kFloat32) {
    model.inputs.push_back(Add(name, dims, dtype));
    return model.inputs.back();
  }
  TensorId Constant(std::string_view name, std::vector<int64_t> ints, Dtype dtype = Dtype::kInt64) {
    const auto count = static_cast<int64_t>(ints.size());  // before they are moved from
    return Values(name, {count}, dtype, std::move(ints), {});
  }
  TensorId Scale(std::string_view name, const Dims& dims, double scale) {
    int64_t count = 1;
    for (const int64_t d : dims) count *= d;
    return Values(name, dims, Dtype::kFloat32, {},
                  std::vector<double>(static_cast<size_t>(count), scale));
  }
  TensorId Op(std::string_view name, std::string_view op, std::vector<TensorId> inputs,
              const Dims& dims, std::vector<Param> params, Dtype dtype = Dtype::kFloat32) {
    Node node;
    node.name = std::string(name);
    node.op = std::string(op);
    node.inputs.assign(inputs.begin(), inputs.end());
    node.params = std::move(params);
    const TensorId out = Add(std::string(name) + ".out", dims, dtype);
    node.outputs = {out};
    model.nodes.push_back(std::move(node));
    return out;
  }
  // Q and DQ behind a float tensor; the value of the DQ.
  TensorId Requantize(std::string_view name, TensorId x, double scale = 0.02, int zero_point = 128,
                      Dtype dtype = Dtype::kUint8) {
    const std::string n(name);
    const TensorId s = Scale(n + ".scale", {}, scale);
    const TensorId z = Values(n + ".zero", {}, dtype, {zero_point}, {});
    const Dims dims(model.tensors[static_cast<size_t>(x)].dims.begin(),
                    model.tensors[static_cast<size_t>(x)].dims.end());
    const TensorId q = Op(n + ".q", "QuantizeLinear", {x, s, z}, dims, {}, dtype);
    return Op(n + ".dq", "DequantizeLinear", {q, s, z}, dims, {});
  }
  TensorId Quantized(std::string_view name, const Dims& dims, double scale = 0.02,
                     int zero_point = 128, Dtype dtype = Dtype::kUint8) {
    return Requantize(name, Input(name, dims), scale, zero_point, dtype);
  }
  TensorId Weight(std::string_view name, const Dims& dims, Dtype dtype = Dtype::kUint8,
                  int zero_point = -1, double scale = 0.01) {
    const std::string n(name);
    if (zero_point < 0) zero_point = dtype == Dtype::kUint8 ? 128 : 0;
    const TensorId q = Static(n, dims, dtype);
    return Op(n + ".dq", "DequantizeLinear",
              {q, Scale(n + ".scale", {}, scale), Values(n + ".zero", {}, dtype, {zero_point}, {})},
              dims, {});
  }
  TensorId PerChannelWeight(std::string_view name, const Dims& dims, int64_t axis,
                            Dtype dtype = Dtype::kInt8) {
    const std::string n(name);
    const TensorId q = Static(n, dims, dtype);
    return Op(n + ".dq", "DequantizeLinear",
              {q, Scale(n + ".scale", {dims[static_cast<size_t>(axis)]}, 0.01)}, dims,
              {{"axis", IntParam{axis}}});
  }
  TensorId BlockWeight(std::string_view name, const Dims& dims, int64_t axis, int64_t block) {
    const std::string n(name);
    const TensorId q = Static(n, dims, Dtype::kSfixedPoint4);
    Dims grid = dims;
    grid[static_cast<size_t>(axis)] /= block;
    return Op(n + ".dq", "DequantizeLinear", {q, Scale(n + ".scale", grid, 0.01)}, dims,
              {{"axis", IntParam{axis}}, {"block_size", IntParam{block}}});
  }
  // An op whose output is quantized and ends the graph.
  TensorId Unit(std::string_view name, std::string_view op, std::vector<TensorId> inputs,
                const Dims& dims, std::vector<Param> params, double scale = 0.02,
                int zero_point = 128, Dtype dtype = Dtype::kUint8) {
    const TensorId y = Op(name, op, std::move(inputs), dims, std::move(params));
    return End(Requantize(std::string(name) + ".y", y, scale, zero_point, dtype));
  }
  TensorId End(TensorId id) {
    model.outputs.push_back(id);
    return id;
  }
  size_t NodeIndex(std::string_view name) const {
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      if (model.nodes[i].name == name) return i;
    }
    return model.nodes.size();
  }

  Model model;

 private:
  TensorId Static(const std::string& name, const Dims& dims, Dtype dtype) {
    const TensorId id = Add(name, dims, dtype);
    model.tensors.back().is_static = true;
    return id;
  }
  TensorId Values(std::string_view name, const Dims& dims, Dtype dtype, std::vector<int64_t> ints,
                  std::vector<double> reals) {
    const TensorId id = Static(std::string(name), dims, dtype);
    auto values = std::make_shared<TensorValues>();
    values->ints = std::move(ints);
    values->reals = std::move(reals);
    model.tensors.back().values = std::move(values);
    return id;
  }
};

}  // namespace quantgate::testing_onnx

#endif  // QUANTGATE_TESTS_UNIT_SUPPORT_ONNX_MODEL_H_
