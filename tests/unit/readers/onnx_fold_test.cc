#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "quantgate/reader.h"
#include "tests/unit/support/onnx_builder.h"

namespace quantgate {
namespace {

namespace b = onnx_builder;
using Dims = std::vector<int64_t>;
using Reals = std::vector<double>;

constexpr int kBool = 9;

std::string Int64s(const Dims& values) {
  std::string bytes(values.size() * 8, '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string Ints(std::string_view name, const Dims& dims, const Dims& values) {
  return b::Tensor(name, b::kInt64, dims, Int64s(values));
}
std::string Vector(std::string_view name, const Dims& values) {
  return Ints(name, {static_cast<int64_t>(values.size())}, values);
}
std::string Scalar(std::string_view name, int64_t value) { return Ints(name, {}, {value}); }
std::string Floats(std::string_view name, std::initializer_list<float> values) {
  return b::Tensor(name, b::kFloat, {static_cast<int64_t>(values.size())}, b::Raw(values));
}

Model Read(const b::Graph& graph) {
  auto model = ReadOnnx(b::Model(graph, 17), "m", "");
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : Model();
}

const Tensor& Find(const Model& model, std::string_view name) {
  for (const Tensor& tensor : model.tensors) {
    if (tensor.name == name) return tensor;
  }
  ADD_FAILURE() << "no tensor " << name;
  return model.tensors.front();
}

const Dims kNone = {-99};

// The integers of output y of one node; kNone where they stay unknown.
Dims Folded(std::string_view op, const b::Names& inputs, std::vector<std::string> initializers,
            const std::vector<std::string>& attributes = {}) {
  b::Graph graph;
  graph.initializers = std::move(initializers);
  graph.nodes = {b::Node(op, "n", inputs, {"y"}, attributes)};
  const Model model = Read(graph);
  const Tensor& y = Find(model, "y");
  if (y.values == nullptr) return kNone;
  EXPECT_TRUE(y.values->reals.empty());
  return y.values->ints;
}

TEST(OnnxFold, ARangeOfFloatsHasItsLength) {
  const auto range = [](float start, float limit, float delta) {
    b::Graph graph;
    for (const auto& [name, value] : {std::pair{"a", start}, {"c", limit}, {"d", delta}}) {
      graph.initializers.push_back(b::Tensor(name, b::kFloat, {}, b::Raw<float>({value})));
    }
    graph.nodes = {b::Node("Range", "n", {"a", "c", "d"}, {"y"})};
    const Model model = Read(graph);
    const Tensor& y = Find(model, "y");
    return std::pair{Dims(y.dims.begin(), y.dims.end()), y.values ? y.values->reals : std::vector<double>()};
  };
  EXPECT_EQ(range(0, 3, 1), (std::pair{Dims{3}, std::vector<double>{0, 1, 2}}));
  EXPECT_EQ(range(1, 0, -0.25F), (std::pair{Dims{4}, std::vector<double>{1, 0.75, 0.5, 0.25}}));
  EXPECT_EQ(range(0, 1, -1).first, Dims{0});
  EXPECT_EQ(range(0, 1, 0).first, Dims{kDynamicDim});
}

TEST(OnnxFold, Arithmetic) {
  const auto two = [](std::string_view op, const Dims& a, const Dims& c) {
    return Folded(op, {"a", "c"}, {Vector("a", a), Vector("c", c)});
  };
  EXPECT_EQ(two("Add", {1, 2}, {10}), (Dims{11, 12}));
  EXPECT_EQ(two("Sub", {1, 2}, {3, 5}), (Dims{-2, -3}));
  EXPECT_EQ(two("Mul", {7}, {2, 3}), (Dims{14, 21}));
  EXPECT_EQ(two("Div", {7, -7}, {2}), (Dims{3, -3}));
  EXPECT_EQ(two("Mod", {7, -7}, {4}), (Dims{3, 1}));
  EXPECT_EQ(two("Min", {7, -7}, {4}), (Dims{4, -7}));
  EXPECT_EQ(two("Max", {7, -7}, {4}), (Dims{7, 4}));
  EXPECT_EQ(two("Equal", {7, 4}, {4}), (Dims{0, 1}));
  EXPECT_EQ(two("Less", {7, 3}, {4}), (Dims{0, 1}));
  EXPECT_EQ(two("GreaterOrEqual", {7, 3}, {7}), (Dims{1, 0}));
  EXPECT_EQ(Folded("Neg", {"a"}, {Vector("a", {3, -4})}), (Dims{-3, 4}));
}

TEST(OnnxFold, WhatIsNotExactStaysUnknown) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
  const auto two = [](std::string_view op, int64_t a, int64_t c) {
    return Folded(op, {"a", "c"}, {Vector("a", {a}), Vector("c", {c})});
  };
  EXPECT_EQ(two("Add", kLargest, 1), kNone);
  EXPECT_EQ(two("Sub", kSmallest, 1), kNone);
  EXPECT_EQ(two("Mul", kLargest, 2), kNone);
  EXPECT_EQ(two("Div", 1, 0), kNone);
  EXPECT_EQ(two("Div", kSmallest, -1), kNone);
  EXPECT_EQ(two("Mod", 1, 0), kNone);
  EXPECT_EQ(Folded("Neg", {"a"}, {Vector("a", {kSmallest})}), kNone);
  // Outside int32.
  EXPECT_EQ(Folded("Cast", {"a"}, {Vector("a", {kLargest})}, {b::IntAttribute("to", b::kInt32)}),
            kNone);
  // Shapes that don't fit each other.
  EXPECT_EQ(Folded("Add", {"a", "c"}, {Vector("a", {1, 2}), Vector("c", {1, 2, 3})}), kNone);
  EXPECT_EQ(Folded("Gather", {"a", "c"}, {Vector("a", {1, 2}), Vector("c", {2})}), kNone);
  EXPECT_EQ(Folded("Range", {"a", "c", "d"}, {Scalar("a", 0), Scalar("c", 5), Scalar("d", 0)}),
            kNone);
}

TEST(OnnxFold, Movement) {
  const std::string matrix = Ints("a", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Folded("Transpose", {"a"}, {matrix}), (Dims{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Folded("Reshape", {"a", "s"}, {matrix, Vector("s", {3, -1})}),
            (Dims{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Folded("Gather", {"a", "i"}, {matrix, Scalar("i", -1)}), (Dims{4, 5, 6}));
  EXPECT_EQ(
      Folded("Gather", {"a", "i"}, {matrix, Vector("i", {2, 0})}, {b::IntAttribute("axis", 1)}),
      (Dims{3, 1, 6, 4}));
  EXPECT_EQ(
      Folded("Slice", {"a", "s", "e", "x", "t"},
             {matrix, Vector("s", {-1}), Vector("e", {-4}), Vector("x", {1}), Vector("t", {-1})}),
      (Dims{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(Folded("Slice", {"a", "s", "e"}, {matrix, Vector("s", {1, 1}), Vector("e", {9, 2})}),
            (Dims{5}));
  EXPECT_EQ(Folded("Concat", {"a", "a"}, {matrix}, {b::IntAttribute("axis", 1)}),
            (Dims{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(Folded("Expand", {"a", "s"}, {Ints("a", {2, 1}, {7, 8}), Vector("s", {2, 2})}),
            (Dims{7, 7, 8, 8}));
  EXPECT_EQ(Folded("Tile", {"a", "s"}, {Vector("a", {7, 8}), Vector("s", {2})}),
            (Dims{7, 8, 7, 8}));
  EXPECT_EQ(Folded("Where", {"c", "a", "d"},
                   {b::Tensor("c", kBool, {2}, b::Raw<uint8_t>({1, 0})), Vector("a", {5, 6}),
                    Vector("d", {-1})}),
            (Dims{5, -1}));
}

TEST(OnnxFold, Generated) {
  EXPECT_EQ(Folded("Range", {"a", "c", "d"}, {Scalar("a", 5), Scalar("c", 0), Scalar("d", -2)}),
            (Dims{5, 3, 1}));
  EXPECT_EQ(Folded("Range", {"a", "c", "d"}, {Scalar("a", 5), Scalar("c", 0), Scalar("d", 2)}),
            Dims{});
  EXPECT_EQ(Folded("ConstantOfShape", {"s"}, {Vector("s", {2, 1})},
                   {b::TensorAttribute("value", Ints("", {1}, {-1}))}),
            (Dims{-1, -1}));
}

TEST(OnnxFold, Reals) {
  b::Graph graph;
  graph.initializers = {Vector("n", {16}), Floats("half", {0.5F})};
  graph.nodes = {b::Node("Cast", "c", {"n"}, {"f"}, {b::IntAttribute("to", b::kFloat)}),
                 b::Node("Sqrt", "s", {"f"}, {"root"}),
                 b::Node("Mul", "m", {"root", "half"}, {"y"}),
                 b::Node("Cast", "d", {"y"}, {"back"}, {b::IntAttribute("to", b::kInt64)})};
  const Model model = Read(graph);
  EXPECT_EQ(Find(model, "y").values->reals, (Reals{2}));
  EXPECT_EQ(Find(model, "back").values->ints, (Dims{2}));
}

// What exporters write for x.view(x.shape[0], -1, 4): the file leaves the dimensions open.
TEST(OnnxFold, ShapeChainsFixDimensionsThatTheFileLeavesOpen) {
  const auto read = [](int64_t batch) {
    b::Graph graph;
    graph.inputs = {b::ValueInfo("x", b::kFloat, {batch, 6, 8})};
    graph.initializers = {Scalar("zero", 0), Vector("axis", {0}), Vector("rest", {-1}),
                          Vector("four", {4})};
    graph.value_infos = {b::ValueInfo("y", b::kFloat, {-1, -1, -1})};
    graph.nodes = {b::Node("Shape", "s", {"x"}, {"shape"}),
                   b::Node("Gather", "g", {"shape", "zero"}, {"first"}),
                   b::Node("Unsqueeze", "u", {"first", "axis"}, {"firsts"}),
                   b::Node("Concat", "c", {"firsts", "rest", "four"}, {"wanted"},
                           {b::IntAttribute("axis", 0)}),
                   b::Node("Reshape", "r", {"x", "wanted"}, {"y"})};
    return Read(graph);
  };
  const Model fixed = read(2);
  EXPECT_EQ(Find(fixed, "y").dims, (absl::InlinedVector<int64_t, 4>{2, 12, 4}));
  EXPECT_EQ(Find(fixed, "wanted").values->ints, (Dims{2, -1, 4}));
  const Model open = read(-1);
  EXPECT_EQ(Find(open, "y").dims, (absl::InlinedVector<int64_t, 4>{-1, -1, 4}));
  EXPECT_EQ(Find(open, "wanted").values, nullptr);
}

TEST(OnnxFold, GivenDimensionsStay) {
  b::Graph graph;
  graph.inputs = {b::ValueInfo("x", b::kFloat, {2, 3})};
  graph.value_infos = {b::ValueInfo("y", b::kFloat, {5, -1})};
  graph.nodes = {b::Node("Relu", "r", {"x"}, {"y"})};
  EXPECT_EQ(Find(Read(graph), "y").dims, (absl::InlinedVector<int64_t, 4>{5, 3}));
}

TEST(OnnxFold, LargeResultsAreNotComputed) {
  b::Graph graph;
  graph.initializers = {Vector("s", {4097}), Vector("huge", {int64_t{1} << 40, 1 << 20})};
  graph.nodes = {b::Node("ConstantOfShape", "c", {"s"}, {"y"}),
                 b::Node("ConstantOfShape", "d", {"huge"}, {"z"})};
  const Model model = Read(graph);
  EXPECT_EQ(Find(model, "y").values, nullptr);
  EXPECT_EQ(Find(model, "z").values, nullptr);
}

// Each node could compute 4,096 elements; all together stay within a budget.
TEST(OnnxFold, ManyNodesStayWithinTheBudget) {
  b::Graph graph;
  graph.initializers = {Vector("x0", Dims(4096, 1))};
  constexpr int kNodes = 4000;
  for (int i = 0; i < kNodes; ++i) {
    const std::string in = "x" + std::to_string(i);
    graph.nodes.push_back(
        b::Node("Add", "n" + std::to_string(i), {in, in}, {"x" + std::to_string(i + 1)}));
  }
  const Model model = Read(graph);
  int computed = 0;
  for (const Tensor& tensor : model.tensors) computed += tensor.values != nullptr;
  // 1 + 2^k fits int64 62 times; then an overflow ends it.
  EXPECT_EQ(computed, 63);
  graph.nodes.clear();
  for (int i = 0; i < kNodes; ++i) {
    graph.nodes.push_back(
        b::Node("Neg", "n" + std::to_string(i), {"x0"}, {"x" + std::to_string(i + 1)}));
  }
  const Model many = Read(graph);
  computed = 0;
  for (const Tensor& tensor : many.tensors) computed += tensor.values != nullptr;
  EXPECT_GT(computed, 400);
  EXPECT_LT(computed, 600);
}

}  // namespace
}  // namespace quantgate
