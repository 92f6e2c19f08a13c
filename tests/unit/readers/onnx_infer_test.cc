#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "quantgate/reader.h"
#include "tests/unit/support/onnx_builder.h"

namespace quantgate {
namespace {

namespace b = onnx_builder;
using Dims = std::vector<int64_t>;

std::string Int64s(const Dims& values) {
  std::string bytes(values.size() * 8, '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

struct Case {
  std::string name;
  std::string op;
  std::vector<Dims> inputs;     // shapes of float inputs, in front
  std::vector<Dims> constants;  // int64 vectors behind them
  std::vector<std::string> attributes;
  std::vector<Dims> outputs;
};

const Dims kUnknown = {-99};

// The shapes of the outputs of one node that the file says nothing about.
std::vector<Dims> Infer(const Case& c, int64_t opset = 21) {
  b::Graph graph;
  b::Names names;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    names.push_back("x" + std::to_string(i));
    graph.inputs.push_back(b::ValueInfo(names.back(), b::kFloat, c.inputs[i]));
  }
  for (size_t i = 0; i < c.constants.size(); ++i) {
    names.push_back("c" + std::to_string(i));
    graph.initializers.push_back(b::Tensor(names.back(), b::kInt64,
                                           {static_cast<int64_t>(c.constants[i].size())},
                                           Int64s(c.constants[i])));
  }
  b::Names outputs;
  for (size_t i = 0; i < c.outputs.size(); ++i) outputs.push_back("y" + std::to_string(i));
  graph.nodes = {b::Node(c.op, "n", names, outputs, c.attributes)};
  const auto model = ReadOnnx(b::Model(graph, opset), "m", "");
  EXPECT_TRUE(model.ok()) << model.status();
  std::vector<Dims> shapes;
  if (!model.ok()) return shapes;
  for (const TensorId id : model->nodes[0].outputs) {
    const Tensor& tensor = model->tensors[id];
    shapes.push_back(tensor.unknown_rank ? kUnknown : Dims(tensor.dims.begin(), tensor.dims.end()));
  }
  return shapes;
}

TEST(OnnxInfer, ShapesOfOneNode) {
  const auto ints = [](std::string_view name, const Dims& values) {
    return b::IntsAttribute(name, values);
  };
  const auto number = [](std::string_view name, int64_t value) {
    return b::IntAttribute(name, value);
  };
  const auto equation = [](std::string_view text) {
    return b::StringAttribute("equation", text);
  };
  const Case cases[] = {
      {"unary", "Relu", {{2, 3}}, {}, {}, {{2, 3}}},
      {"broadcast", "Add", {{2, 1, 4}, {3, 1}}, {}, {}, {{2, 3, 4}}},
      {"broadcast dynamic", "Add", {{-1, 4}, {1, 4}}, {}, {}, {{-1, 4}}},
      {"broadcast impossible", "Add", {{2, 3}, {2, 4}}, {}, {}, {kUnknown}},
      {"conv",
       "Conv",
       {{1, 3, 224, 224}, {32, 3, 3, 3}},
       {},
       {ints("strides", {2, 2}), ints("pads", {1, 1, 1, 1})},
       {{1, 32, 112, 112}}},
      {"conv same",
       "Conv",
       {{1, 3, 5, 5}, {8, 3, 3, 3}},
       {},
       {ints("strides", {2, 2}), b::StringAttribute("auto_pad", "SAME_UPPER")},
       {{1, 8, 3, 3}}},
      {"conv 1d dilated",
       "Conv",
       {{1, 4, 10}, {6, 4, 3}},
       {},
       {ints("dilations", {2})},
       {{1, 6, 6}}},
      {"conv batch dynamic", "Conv", {{-1, 3, 4, 4}, {8, 3, 1, 1}}, {}, {}, {{-1, 8, 4, 4}}},
      {"conv stride 0",
       "Conv",
       {{1, 3, 4, 4}, {8, 3, 1, 1}},
       {},
       {ints("strides", {0, 1})},
       {kUnknown}},
      {"conv wrong rank", "Conv", {{1, 3, 4}, {8, 3, 1, 1}}, {}, {}, {kUnknown}},
      {"conv transpose",
       "ConvTranspose",
       {{1, 8, 4, 4}, {8, 2, 2, 2}},
       {},
       {ints("strides", {2, 2}), number("group", 2)},
       {{1, 4, 8, 8}}},
      {"max pool",
       "MaxPool",
       {{1, 8, 7, 7}},
       {},
       {ints("kernel_shape", {3, 3}), ints("strides", {2, 2})},
       {{1, 8, 3, 3}, {1, 8, 3, 3}}},
      {"pool ceil",
       "AveragePool",
       {{1, 8, 8, 8}},
       {},
       {ints("kernel_shape", {3, 3}), ints("strides", {2, 2}), number("ceil_mode", 1)},
       {{1, 8, 4, 4}}},
      {"global pool", "GlobalAveragePool", {{1, 8, 7, 7}}, {}, {}, {{1, 8, 1, 1}}},
      {"matmul", "MatMul", {{2, 1, 3, 4}, {5, 4, 6}}, {}, {}, {{2, 5, 3, 6}}},
      {"matmul vector", "MatMul", {{4}, {5, 4, 6}}, {}, {}, {{5, 6}}},
      {"gemm", "Gemm", {{3, 4}, {6, 4}}, {}, {number("transB", 1)}, {{3, 6}}},
      {"reshape", "Reshape", {{2, 3, 4}}, {{0, -1}}, {}, {{2, 12}}},
      {"reshape of a dynamic one", "Reshape", {{-1, 3, 4}}, {{-1, 12}}, {}, {{-1, 12}}},
      {"reshape twice -1", "Reshape", {{2, 3}}, {{-1, -1}}, {}, {kUnknown}},
      {"flatten", "Flatten", {{2, 3, 4}}, {}, {}, {{2, 12}}},
      {"transpose", "Transpose", {{1, 2, 3}}, {}, {ints("perm", {0, 2, 1})}, {{1, 3, 2}}},
      {"transpose wrong", "Transpose", {{1, 2, 3}}, {}, {ints("perm", {0, 9, 1})}, {kUnknown}},
      {"concat", "Concat", {{1, 2}, {1, 3}}, {}, {number("axis", -1)}, {{1, 5}}},
      {"slice", "Slice", {{10, 8}}, {{-4}, {2147483647}, {1}, {2}}, {}, {{10, 2}}},
      {"slice backwards", "Slice", {{10}}, {{-1}, {-9223372036854775807}, {0}, {-3}}, {}, {{4}}},
      {"split", "Split", {{2, 7}}, {}, {number("axis", 1)}, {{2, 4}, {2, 3}}},
      {"split sizes", "Split", {{2, 7}}, {{1, 6}}, {number("axis", 1)}, {{2, 1}, {2, 6}}},
      {"squeeze", "Squeeze", {{1, 3, 1}}, {{-1}}, {}, {{1, 3}}},
      {"squeeze all", "Squeeze", {{1, 3, 1}}, {}, {}, {{3}}},
      {"unsqueeze", "Unsqueeze", {{3}}, {{0, -1}}, {}, {{1, 3, 1}}},
      {"unsqueeze twice the same", "Unsqueeze", {{3}}, {{0, 0}}, {}, {kUnknown}},
      {"reduce", "ReduceMean", {{2, 3, 4}}, {{-1}}, {}, {{2, 3, 1}}},
      {"reduce away", "ReduceMean", {{2, 3, 4}}, {{1}}, {number("keepdims", 0)}, {{2, 4}}},
      {"reduce all", "ReduceSum", {{2, 3}}, {}, {number("keepdims", 0)}, {{}}},
      {"argmax", "ArgMax", {{2, 3}}, {}, {number("axis", 1)}, {{2, 1}}},
      {"gather", "Gather", {{5, 6}}, {{0, 1, 2}}, {number("axis", 1)}, {{5, 3}}},
      {"pad", "Pad", {{1, 2}}, {{0, 1, 0, 2}}, {}, {{1, 5}}},
      {"expand", "Expand", {{3, 1}}, {{2, 1, 6}}, {}, {{2, 3, 6}}},
      {"tile", "Tile", {{2, 3}}, {{2, 1}}, {}, {{4, 3}}},
      {"depth to space",
       "DepthToSpace",
       {{1, 8, 2, 3}},
       {},
       {number("blocksize", 2)},
       {{1, 2, 4, 6}}},
      {"space to depth",
       "SpaceToDepth",
       {{1, 2, 4, 6}},
       {},
       {number("blocksize", 2)},
       {{1, 8, 2, 3}}},
      {"topk", "TopK", {{2, 9}}, {{5}}, {}, {{2, 5}, {2, 5}}},
      {"shape", "Shape", {{2, 9, 4}}, {}, {}, {{3}}},
      {"einsum", "Einsum", {{2, 5, 6, 4}, {6, 7, 4}}, {}, {equation("bhwc,wkc->bhwk")}, {{2, 5, 6, 7}}},
      {"einsum of any batch", "Einsum", {{2, 3, 4, 5}, {3, 5, 6}}, {}, {equation("... i j, ...jk -> ...ik")}, {{2, 3, 4, 6}}},
      {"einsum without an output", "Einsum", {{2, 3}, {3, 4}}, {}, {equation("kj,ji")}, {{4, 2}}},
      {"einsum of one", "Einsum", {{3, 3, 2}}, {}, {equation("iik->ki")}, {{2, 3}}},
      {"einsum of a dynamic one", "Einsum", {{-1, 5}, {4, 5}}, {}, {equation("ab,cb->ac")}, {{-1, 4}}},
      {"einsum of all", "Einsum", {{2, 3}, {2, 3}}, {}, {equation("ij,ij->")}, {{}}},
      {"einsum impossible", "Einsum", {{2, 3}, {4, 5}}, {}, {equation("ij,jk->ik")}, {kUnknown}},
      {"einsum of other ranks", "Einsum", {{2, 3}}, {}, {equation("ijk->ik")}, {kUnknown}},
      {"einsum of a letter from nowhere", "Einsum", {{2, 3}}, {}, {equation("ij->ik")}, {kUnknown}},
      {"einsum of something else", "Einsum", {{2, 3}}, {}, {equation("i.j->ij")}, {kUnknown}},
      {"lstm", "LSTM", {{7, 2, 4}, {2, 12, 4}, {2, 12, 3}}, {}, {number("hidden_size", 3)}, {{7, 2, 2, 3}, {2, 2, 3}, {2, 2, 3}}},
      {"gru batch first", "GRU", {{2, 7, 4}, {1, 9, 4}, {1, 9, 3}}, {}, {number("layout", 1)}, {{2, 7, 1, 3}, {2, 1, 3}}},
      {"attention", "Attention", {{1, 8, 5, 16}, {1, 2, 9, 16}, {1, 2, 9, 12}}, {}, {}, {{1, 8, 5, 12}}},
      {"attention of three", "Attention", {{1, 5, 32}, {1, 9, 16}, {1, 9, 24}}, {}, {number("q_num_heads", 4), number("kv_num_heads", 2)}, {{1, 5, 48}}},
      {"non zero", "NonZero", {{2, 3}}, {}, {}, {{2, -1}}},
      {"compress", "Compress", {{2, 3}}, {{0, 1, 1}}, {number("axis", -1)}, {{2, -1}}},
      {"compress all", "Compress", {{2, 3}}, {{0, 1}}, {}, {{-1}}},
      {"roi align", "RoiAlign", {{1, 8, 9, 9}, {5, 4}}, {{0, 0, 0, 0, 0}}, {number("output_height", 3), number("output_width", 2)}, {{5, 8, 3, 2}}},
      {"col2im", "Col2Im", {{1, 18, 16}}, {{6, 6}, {3, 3}}, {}, {{1, 2, 6, 6}}},
      {"max unpool", "MaxUnpool", {{1, 2, 4, 4}, {1, 2, 4, 4}}, {}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})}, {{1, 2, 8, 8}}},
      {"max unpool of a size", "MaxUnpool", {{1, 2, 4, 4}, {1, 2, 4, 4}}, {{1, 2, 9, 9}}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})}, {{1, 2, 9, 9}}},
      {"affine grid", "AffineGrid", {{2, 2, 3}}, {{2, 1, 5, 6}}, {}, {{2, 5, 6, 2}}},
      {"random", "RandomNormal", {}, {}, {ints("shape", {2, 3})}, {{2, 3}}},
      {"determinant", "Det", {{5, 3, 3}}, {}, {}, {{5}}},
      {"overflow",
       "Tile",
       {{int64_t{1} << 40, int64_t{1} << 20}},
       {{int64_t{1} << 30, 1}},
       {},
       {{-1, int64_t{1} << 20}}},
  };
  for (const Case& c : cases) EXPECT_EQ(Infer(c), c.outputs) << c.name;
}

TEST(OnnxInfer, AttributesOfOlderOperatorSets) {
  EXPECT_EQ(Infer({"", "Squeeze", {{1, 3, 1}}, {}, {b::IntsAttribute("axes", {0})}, {{}}}, 11),
            (std::vector<Dims>{{3, 1}}));
  EXPECT_EQ(Infer({"",
                   "Slice",
                   {{10, 8}},
                   {},
                   {b::IntsAttribute("starts", {1}), b::IntsAttribute("ends", {3})},
                   {{}}},
                  9),
            (std::vector<Dims>{{2, 8}}));
  EXPECT_EQ(Infer({"", "Reshape", {{2, 6}}, {}, {b::IntsAttribute("shape", {3, -1})}, {{}}}, 1),
            (std::vector<Dims>{{3, 4}}));
}

const Tensor& TensorOf(const Model& model, std::string_view name) {
  for (const Tensor& tensor : model.tensors) {
    if (tensor.name == name) return tensor;
  }
  static const Tensor none;
  ADD_FAILURE() << "no tensor " << name;
  return none;
}

// Shape -> Gather -> Concat -> Reshape, as exporters write a flattening of a dynamic batch.
TEST(OnnxInfer, FollowsShapesComputedInTheGraph) {
  b::Graph graph;
  graph.inputs = {b::ValueInfo("x", b::kFloat, {-1, 3, 4})};
  graph.initializers = {b::Tensor("first", b::kInt64, {1}, Int64s({0})),
                        b::Tensor("rest", b::kInt64, {2}, Int64s({2, 6}))};
  graph.nodes = {
      b::Node("Reshape", "r", {"x", "target"}, {"y"}),  // before its producers
      b::Node("Shape", "s", {"x"}, {"shape"}),
      b::Node("Gather", "g", {"shape", "first"}, {"batch"}),
      b::Node("Concat", "c", {"batch", "rest"}, {"target"}, {b::IntAttribute("axis", 0)})};
  const auto model = ReadOnnx(b::Model(graph), "m", "");
  ASSERT_TRUE(model.ok()) << model.status();
  const Tensor& y = TensorOf(*model, "y");
  EXPECT_EQ(Dims(y.dims.begin(), y.dims.end()), (Dims{-1, 2, 6}));
  EXPECT_EQ(TensorOf(*model, "shape").dtype, Dtype::kInt64);
}

// What came of Size is a number to compute with.
TEST(OnnxInfer, FollowsCountsComputedInTheGraph) {
  b::Graph graph;
  graph.inputs = {b::ValueInfo("x", b::kFloat, {2, 3, 4})};
  graph.initializers = {b::Tensor("first", b::kInt64, {1}, Int64s({0}))};
  graph.nodes = {b::Node("Size", "s", {"x"}, {"count"}),
                 b::Node("Unsqueeze", "u", {"count", "first"}, {"target"}),
                 b::Node("Reshape", "r", {"x", "target"}, {"y"})};
  const auto model = ReadOnnx(b::Model(graph), "m", "");
  ASSERT_TRUE(model.ok()) << model.status();
  const Tensor& y = TensorOf(*model, "y");
  EXPECT_EQ(Dims(y.dims.begin(), y.dims.end()), (Dims{24}));
}

TEST(OnnxInfer, TypesOfQuantizersAndCasts) {
  b::Graph graph = b::QdqRelu();
  graph.outputs = {};
  graph.nodes.push_back(b::Node("Cast", "c", {"y"}, {"h"}, {b::IntAttribute("to", b::kFloat16)}));
  graph.nodes.push_back(b::Node("Less", "l", {"y", "y"}, {"less"}));
  graph.nodes.push_back(b::Node("QuantizeLinear", "q16", {"y", "scale"}, {"i16"},
                                {b::IntAttribute("output_dtype", 5)}));
  const auto model = ReadOnnx(b::Model(graph), "m", "");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(TensorOf(*model, "xq").dtype, Dtype::kUint8);
  EXPECT_EQ(TensorOf(*model, "xd").dtype, Dtype::kFloat32);
  EXPECT_EQ(TensorOf(*model, "y").dtype, Dtype::kFloat32);
  EXPECT_EQ(TensorOf(*model, "h").dtype, Dtype::kFloat16);
  EXPECT_EQ(TensorOf(*model, "less").dtype, Dtype::kBool8);
  EXPECT_EQ(TensorOf(*model, "i16").dtype, Dtype::kInt16);
}

TEST(OnnxInfer, WhatTheFileGivesStaysAndWhatItLeavesOpenIsFilled) {
  b::Graph graph = b::QdqRelu();
  graph.value_infos = {b::ValueInfo("xd", b::kFloat, {7, -1})};
  const auto model = ReadOnnx(b::Model(graph), "m", "");
  ASSERT_TRUE(model.ok()) << model.status();
  const auto& given = TensorOf(*model, "x").dims;
  ASSERT_NE(given[0], 7);
  EXPECT_EQ(TensorOf(*model, "xd").dims[0], 7);
  EXPECT_EQ(TensorOf(*model, "xd").dims[1], given[1]);
}

}  // namespace
}  // namespace quantgate
