#include "core/readers/onnx/onnx_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/readers/limits.h"
#include "quantgate/reader.h"
#include "tests/unit/support/onnx_builder.h"

namespace quantgate {
namespace {

namespace b = onnx_builder;

const Tensor* FindTensor(const Model& model, std::string_view name) {
  for (const Tensor& tensor : model.tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}
const Node* FindNode(const Model& model, std::string_view name) {
  for (const Node& node : model.nodes) {
    if (node.name == name) return &node;
  }
  return nullptr;
}
Model Read(const b::Graph& graph, std::string_view directory = "") {
  auto model = ReadOnnx(b::Model(graph), "file", directory);
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : Model();
}
std::string ErrorOf(const std::string& bytes, std::string_view directory = "") {
  const auto model = ReadOnnx(bytes, "file", directory);
  return model.ok() ? "" : std::string(model.status().message());
}
std::string ErrorOf(const b::Graph& graph, std::string_view directory = "") {
  return ErrorOf(b::Model(graph), directory);
}
std::vector<int64_t> DimsOf(const Model& model, std::string_view name) {
  const Tensor* tensor = FindTensor(model, name);
  if (tensor == nullptr) return {-100};
  if (tensor->unknown_rank) return {-200};
  return {tensor->dims.begin(), tensor->dims.end()};
}
using Dims = std::vector<int64_t>;

TEST(OnnxReader, KeepsQdqNodesAndTheValuesOfScales) {
  const Model model = Read(b::QdqRelu());
  EXPECT_EQ(model.name, "g");
  EXPECT_EQ(model.dialect, Dialect::kOnnx);
  EXPECT_EQ(model.opset, 21);
  ASSERT_EQ(model.nodes.size(), 3u);
  EXPECT_EQ(model.nodes[0].op, "QuantizeLinear");
  const Tensor* scale = FindTensor(model, "scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_TRUE(scale->is_static);
  EXPECT_EQ(scale->dtype, Dtype::kFloat32);
  EXPECT_EQ(scale->values->reals, std::vector<double>{0.5});
  EXPECT_EQ(FindTensor(model, "zero")->values->ints, std::vector<int64_t>{128});
  ASSERT_EQ(model.inputs.size(), 1u);
  EXPECT_EQ(model.tensors[model.inputs[0]].name, "x");
  EXPECT_EQ(DimsOf(model, "x"), (Dims{1, 4}));
}

TEST(OnnxReader, KeepsSmallWeightsOnly) {
  b::Graph graph = b::QdqRelu();
  graph.initializers.push_back(
      b::Tensor("small", b::kInt8, {16, 256}, std::string(4096, '\xFE')));
  graph.initializers.push_back(
      b::Tensor("large", b::kInt8, {17, 256}, std::string(4352, '\xFE')));
  const Model model = Read(graph);
  EXPECT_EQ(FindTensor(model, "small")->values->ints, std::vector<int64_t>(4096, -2));
  EXPECT_EQ(FindTensor(model, "large")->values, nullptr);
  EXPECT_EQ(FindTensor(model, "large")->dtype, Dtype::kInt8);
}

TEST(OnnxReader, KeepsEveryScaleThatAQuantizerTakes) {
  b::Graph graph = b::QdqRelu();
  const int64_t channels = 70000;
  graph.initializers[0] =
      b::Tensor("scale", b::kFloat, {channels, 1}, std::string(channels * 4, '\0'));
  EXPECT_EQ(FindTensor(Read(graph), "scale")->values->reals.size(), static_cast<size_t>(channels));
}

TEST(OnnxReader, ReadsValuesWhereverTheyAre) {
  b::Graph graph = b::QdqRelu();
  std::string floats = b::TensorHead("f", b::kFloat, {3});
  {
    protozero::pbf_writer tensor(floats);
    const std::vector<float> values = {1.5F, -2.0F, 0.25F};
    tensor.add_packed_float(4, values.begin(), values.end());
  }
  std::string ints = b::TensorHead("i", b::kInt8, {2});
  {
    protozero::pbf_writer tensor(ints);
    tensor.add_int32(5, -5);
    tensor.add_int32(5, 7);
  }
  std::string longs = b::TensorHead("l", b::kInt64, {2});
  {
    protozero::pbf_writer tensor(longs);
    const std::vector<int64_t> values = {-1, int64_t{1} << 40};
    tensor.add_packed_int64(7, values.begin(), values.end());
  }
  graph.initializers.insert(
      graph.initializers.end(),
      {floats, ints, longs,
       b::Tensor("h", b::kFloat16, {4}, b::Raw<uint16_t>({0x3C00, 0xC000, 0x0001, 0x7C00})),
       b::Tensor("bf", b::kBfloat16, {1}, b::Raw<uint16_t>({0x3FC0})),
       b::Tensor("i4", b::kInt4, {3}, b::Raw<uint8_t>({0x7F, 0x08})),
       b::Tensor("u4", b::kUint4, {3}, b::Raw<uint8_t>({0x7F, 0x08}))});
  const Model model = Read(graph);
  EXPECT_EQ(FindTensor(model, "f")->values->reals, (std::vector<double>{1.5, -2, 0.25}));
  EXPECT_EQ(FindTensor(model, "i")->values->ints, (Dims{-5, 7}));
  EXPECT_EQ(FindTensor(model, "l")->values->ints, (Dims{-1, int64_t{1} << 40}));
  EXPECT_EQ(FindTensor(model, "h")->values->reals,
            (std::vector<double>{1, -2, 0x1p-24, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(FindTensor(model, "bf")->values->reals, std::vector<double>{1.5});
  EXPECT_EQ(FindTensor(model, "bf")->dtype, Dtype::kUndefined);
  EXPECT_EQ(FindTensor(model, "i4")->values->ints, (Dims{-1, 7, -8}));
  EXPECT_EQ(FindTensor(model, "i4")->dtype, Dtype::kSfixedPoint4);
  EXPECT_EQ(FindTensor(model, "u4")->values->ints, (Dims{15, 7, 8}));
  EXPECT_EQ(FindTensor(model, "u4")->dtype, Dtype::kUfixedPoint4);
}

TEST(OnnxReader, AttributesBecomeParams) {
  b::Graph graph = b::QdqRelu();
  graph.nodes[2] =
      b::Node("Custom", "", {"xd", ""}, {"y"},
              {b::IntAttribute("axis", -1), b::FloatAttribute("alpha", 0.5F),
               b::StringAttribute("mode", "linear"), b::IntsAttribute("pads", {1, 2}),
               b::TensorAttribute("table", b::Tensor("", b::kInt64, {2}, b::Raw<int64_t>({3, 4})))},
              "com.example");
  const Model model = Read(graph);
  const Node& node = model.nodes[2];
  EXPECT_EQ(node.name, "Custom_2");
  EXPECT_EQ(node.domain, "com.example");
  EXPECT_EQ(node.inputs[1], kNoTensor);
  EXPECT_EQ(std::get<IntParam>(node.FindParam("axis")->value).value, -1);
  EXPECT_EQ(std::get<double>(node.FindParam("alpha")->value), 0.5);
  EXPECT_EQ(std::get<std::string>(node.FindParam("mode")->value), "linear");
  EXPECT_EQ(std::get<Dims>(node.FindParam("pads")->value), (Dims{1, 2}));
  EXPECT_EQ(std::get<TensorParam>(node.FindParam("table")->value).ints, (Dims{3, 4}));
}

TEST(OnnxReader, AConstantIsAStaticTensor) {
  b::Graph graph = b::QdqRelu();
  graph.initializers.erase(graph.initializers.begin());
  graph.nodes.push_back(
      b::Node("Constant", "c", {}, {"scale"},
              {b::TensorAttribute("value", b::Tensor("", b::kFloat, {}, b::Raw<float>({0.25F})))}));
  graph.nodes.push_back(
      b::Node("Constant", "c2", {}, {"shape"}, {b::IntsAttribute("value_ints", {2, 2})}));
  const Model model = Read(graph);
  ASSERT_NE(FindTensor(model, "scale"), nullptr);
  EXPECT_TRUE(FindTensor(model, "scale")->is_static);
  EXPECT_EQ(FindTensor(model, "scale")->values->reals, std::vector<double>{0.25});
  EXPECT_EQ(FindTensor(model, "shape")->values->ints, (Dims{2, 2}));
  EXPECT_EQ(DimsOf(model, "shape"), Dims{2});
  EXPECT_EQ(model.nodes.size(), 5u);
}

using Range = std::optional<std::pair<double, double>>;
constexpr int kInt16 = 5;  // TensorProto.DataType

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(OnnxReader, KeepsTheRangeOf16BitWeights) {
  std::vector<int16_t> values(5000, 7);
  values[4321] = 32767;
  values[17] = -32768;
  b::Graph graph = b::QdqRelu();
  graph.initializers.push_back(b::Tensor("s16", kInt16, {50, 100}, Bytes(values)));
  graph.initializers.push_back(
      b::Tensor("u16", b::kUint16, {50, 100}, Bytes(std::vector<uint16_t>(5000, 65535))));
  graph.initializers.push_back(
      b::Tensor("s8", b::kInt8, {50, 100}, Bytes(std::vector<int8_t>(5000, 3))));
  std::string numbers = b::TensorHead("numbers", kInt16, {10, 10});
  for (int i = 0; i < 100; ++i) protozero::pbf_writer(numbers).add_int32(5, 10 - i);
  graph.initializers.push_back(numbers);
  const Model model = Read(graph);
  EXPECT_EQ(FindTensor(model, "s16")->value_range, Range({-32768, 32767}));
  EXPECT_EQ(FindTensor(model, "s16")->values, nullptr);
  EXPECT_EQ(FindTensor(model, "u16")->value_range, Range({65535, 65535}));
  EXPECT_EQ(FindTensor(model, "s8")->value_range, std::nullopt);
  EXPECT_EQ(FindTensor(model, "numbers")->value_range, Range({-89, 10}));
}

TEST(OnnxReader, InitializersAmongTheInputsAreNone) {
  b::Graph graph = b::QdqRelu();
  graph.inputs.push_back(b::ValueInfo("scale", b::kFloat, {}));
  EXPECT_EQ(Read(graph).inputs.size(), 1u);
}

TEST(OnnxReader, SymbolicDimsAndMissingShapes) {
  b::Graph graph = b::QdqRelu();
  graph.inputs = {b::ValueInfo("x", b::kFloat, {-1, 4})};
  graph.nodes.push_back(b::Node("Unheard", "u", {"y"}, {"z"}));
  const Model model = Read(graph);
  EXPECT_EQ(DimsOf(model, "x"), (Dims{kDynamicDim, 4}));
  EXPECT_TRUE(FindTensor(model, "z")->unknown_rank);
  EXPECT_EQ(FindTensor(model, "z")->dtype, Dtype::kUndefined);
}

TEST(OnnxReader, SparseInitializers) {
  b::Graph graph = b::QdqRelu();
  std::string sparse;
  {
    protozero::pbf_writer writer(sparse);
    writer.add_message(1, b::Tensor("sp", b::kFloat, {2}, b::Raw<float>({1, 2})));
    writer.add_int64(3, 8);
    writer.add_int64(3, 8);
  }
  graph.sparse_initializers = {sparse};
  const Model model = Read(graph);
  EXPECT_EQ(FindTensor(model, "sp")->sparse, 2);
  EXPECT_EQ(DimsOf(model, "sp"), (Dims{8, 8}));
}

TEST(OnnxReader, SubgraphsAreListedAsUnchecked) {
  b::Graph inner;
  inner.name = "then";
  inner.nodes = {b::Node("Relu", "r", {"x"}, {"t"}), b::Node("Relu", "", {"t"}, {"o"})};
  inner.outputs = {b::ValueInfo("o", b::kFloat, {1, 4})};
  b::Graph graph = b::QdqRelu();
  graph.inputs.push_back(b::ValueInfo("cond", b::kFloat, {}));
  graph.nodes.push_back(
      b::Node("If", "choose", {"cond"}, {"z"}, {b::GraphAttribute("then_branch", inner.Bytes())}));
  graph.nodes.push_back(b::Node("Relu", "after", {"z"}, {"zz"}));
  const Model model = Read(graph);
  ASSERT_EQ(model.nodes.size(), 7u);
  EXPECT_NE(FindNode(model, "choose")->unchecked_reason, "");
  EXPECT_EQ(model.nodes[4].name, "choose/then_branch/r");
  EXPECT_EQ(model.nodes[4].unchecked_reason, "inside the then_branch subgraph of \"choose\"");
  EXPECT_EQ(model.nodes[5].name, "choose/then_branch/Relu_1");
  EXPECT_EQ(model.tensors[model.nodes[4].inputs[0]].name, "x");
  EXPECT_EQ(model.tensors[model.nodes[5].inputs[0]].name, "choose/then_branch/t");
  EXPECT_EQ(FindNode(model, "after")->unchecked_reason, "");
}

// "choose": an If over `cond`, which gives "o": one Relu, or two and what `second` has.
b::Graph Choosing(const std::vector<std::string>& second = {}) {
  b::Graph first, other;
  first.nodes = {b::Node("Relu", "one", {"x"}, {"o"})};
  first.outputs = {b::ValueInfo("o", b::kFloat, {1, 4})};
  other.nodes = second;
  other.nodes.push_back(b::Node("Relu", "two", {"x"}, {"t"}));
  other.nodes.push_back(b::Node("Sigmoid", "three", {"t"}, {"p"}));
  other.outputs = {b::ValueInfo("p", b::kFloat, {1, 4})};
  b::Graph graph;
  graph.inputs = {b::ValueInfo("x", b::kFloat, {1, 4})};
  graph.outputs = {b::ValueInfo("y", b::kFloat, {1, 4})};
  graph.nodes = {b::Node("If", "choose", {"cond"}, {"o"},
                         {b::GraphAttribute("then_branch", first.Bytes()),
                          b::GraphAttribute("else_branch", other.Bytes())}),
                 b::Node("Tanh", "after", {"o"}, {"y"})};
  return graph;
}
std::vector<std::string> NamesOf(const Model& model) {
  std::vector<std::string> names;
  for (const Node& node : model.nodes) {
    names.push_back(std::string(node.name) + (node.unchecked_reason.empty() ? "" : "?"));
  }
  return names;
}
using Names = std::vector<std::string>;

TEST(OnnxReader, ABranchWhoseConditionIsAConstantTakesThePlaceOfTheIf) {
  b::Graph graph = Choosing();
  graph.initializers = {b::Tensor("cond", b::kBool, {}, std::string(1, '\1'))};
  Model model = Read(graph);
  EXPECT_EQ(NamesOf(model), (Names{"choose", "choose/then_branch/one", "after"}));
  const Node& chosen = model.nodes[0];
  EXPECT_EQ(chosen.op, "Identity");
  EXPECT_EQ(chosen.inputs[0], model.nodes[1].outputs[0]);
  EXPECT_EQ(chosen.outputs[0], model.nodes[2].inputs[0]);
  EXPECT_TRUE(chosen.inlined && model.nodes[1].inlined && !model.nodes[2].inlined);
  EXPECT_EQ(DimsOf(model, "o"), (Dims{1, 4}));
  graph.initializers = {b::Tensor("cond", b::kBool, {}, std::string(1, '\0'))};
  EXPECT_EQ(NamesOf(Read(graph)), (Names{"choose", "choose/else_branch/two", "choose/else_branch/three", "after"}));
}

TEST(OnnxReader, AConditionThatFollowsOfShapesIsAConstant) {
  b::Graph graph = Choosing();
  graph.initializers = {b::Tensor("four", b::kInt64, {2}, b::Raw<int64_t>({1, 4})),
                        b::Tensor("last", b::kInt64, {}, b::Raw<int64_t>({1}))};
  graph.nodes.insert(graph.nodes.begin(), {b::Node("Shape", "shape", {"x"}, {"s"}),
                                           b::Node("Gather", "width", {"s", "last"}, {"w"}),
                                           b::Node("Gather", "wanted", {"four", "last"}, {"f"}),
                                           b::Node("Equal", "same", {"w", "f"}, {"cond"})});
  EXPECT_EQ(NamesOf(Read(graph)), (Names{"shape", "width", "wanted", "same", "choose", "choose/then_branch/one", "after"}));
  graph.inputs = {b::ValueInfo("x", b::kFloat, {1, -1})};
  EXPECT_EQ(NamesOf(Read(graph)).size(), 9u) << "both branches are listed where nobody knows";
}

TEST(OnnxReader, AnIfInsideOfABranchIsTakenTooOrStaysUnchecked) {
  b::Graph inner;
  inner.nodes = {b::Node("Relu", "deep", {"x"}, {"d"})};
  inner.outputs = {b::ValueInfo("d", b::kFloat, {1, 4})};
  const auto nested = [&](std::string_view condition) {
    b::Graph graph = Choosing({b::Node("If", "inner", {std::string(condition)}, {"u"},
                                       {b::GraphAttribute("then_branch", inner.Bytes()),
                                        b::GraphAttribute("else_branch", inner.Bytes())})});
    graph.inputs.push_back(b::ValueInfo("open", b::kBool, {}));
    graph.initializers = {b::Tensor("cond", b::kBool, {}, std::string(1, '\0'))};
    return NamesOf(Read(graph));
  };
  const std::string at = "choose/else_branch/";
  EXPECT_EQ(nested("cond"), (Names{"choose", at + "inner", at + "inner/else_branch/deep", at + "two", at + "three", "after"}));
  EXPECT_EQ(nested("open"), (Names{"choose", at + "inner?", at + "inner/then_branch/deep?", at + "inner/else_branch/deep?",
                                   at + "two", at + "three", "after"}));
}

TEST(OnnxReader, SubgraphsAreNestedToALimit) {
  std::string inner;
  b::Graph graph = b::QdqRelu();
  for (int i = 0; i < 40; ++i) {
    b::Graph around;
    around.nodes = {b::Node("If", "n", {"x"}, {"o"}, {b::GraphAttribute("b", inner)})};
    inner = around.Bytes();
  }
  graph.nodes.push_back(b::Node("If", "n", {"x"}, {"o"}, {b::GraphAttribute("b", inner)}));
  EXPECT_NE(ErrorOf(graph).find("subgraphs nested deeper than 16"), std::string::npos)
      << ErrorOf(graph);
}

TEST(OnnxReader, CallsOfTheFilesOwnFunctionsAreUnchecked) {
  b::Graph graph = b::QdqRelu();
  graph.nodes.push_back(b::Node("Mine", "m", {"y"}, {"z"}, {}, "my.domain"));
  std::string function;
  {
    protozero::pbf_writer writer(function);
    writer.add_string(1, "Mine");
    writer.add_string(10, "my.domain");
  }
  const auto model = ReadOnnx(b::Model(graph, 21, {function}), "f", "");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_NE(model->nodes[3].unchecked_reason, "");
  EXPECT_EQ(model->nodes[2].unchecked_reason, "");
}

class ExternalFiles : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) / "quantgate_external";
    std::filesystem::create_directories(directory_);
    std::ofstream(directory_ / "data.bin", std::ios::binary)
        << std::string(4, '\0') << b::Raw<float>({0.125F});
    graph_ = b::QdqRelu();
  }
  b::Graph& With(std::initializer_list<std::pair<std::string, std::string>> entries) {
    graph_.initializers[0] = b::ExternalTensor("scale", b::kFloat, {}, entries);
    return graph_;
  }
  std::filesystem::path directory_;
  b::Graph graph_;
};

TEST_F(ExternalFiles, SmallConstantsAreRead) {
  const Model model =
      Read(With({{"location", "data.bin"}, {"offset", "4"}, {"length", "4"}}), directory_.string());
  ASSERT_NE(FindTensor(model, "scale")->values, nullptr);
  EXPECT_EQ(FindTensor(model, "scale")->values->reals, std::vector<double>{0.125});
  EXPECT_TRUE(model.notes.empty());
}

TEST_F(ExternalFiles, AMissingFileLeavesTheValueUnknownAndIsNoted) {
  const Model model = Read(With({{"location", "none.bin"}}), directory_.string());
  EXPECT_EQ(FindTensor(model, "scale")->values, nullptr);
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_NE(model.notes[0].find("none.bin"), std::string::npos);
}

TEST_F(ExternalFiles, AFileThatIsTooShortIsNoted) {
  EXPECT_EQ(
      Read(With({{"location", "data.bin"}, {"offset", "6"}}), directory_.string()).notes.size(),
      1u);
}

TEST_F(ExternalFiles, WeightsNeedNoFile) {
  graph_.initializers.push_back(
      b::ExternalTensor("w", b::kFloat, {1000, 1000}, {{"location", "none.bin"}}));
  EXPECT_TRUE(Read(graph_, directory_.string()).notes.empty());
}

TEST_F(ExternalFiles, WeightsOf16BitsArePassedThrough) {
  std::vector<int16_t> values(700000, 0);  // more than one window
  values[1] = -5;
  values[699999] = 32700;
  const std::string bytes = Bytes(values);
  std::ofstream(directory_ / "w.bin", std::ios::binary) << std::string(8, '\x7F') << bytes;
  b::Graph graph = b::QdqRelu();
  graph.initializers.push_back(
      b::ExternalTensor("w", kInt16, {700, 1000}, {{"location", "w.bin"}, {"offset", "8"}}));
  graph.initializers.push_back(
      b::ExternalTensor("short", kInt16, {701, 1000}, {{"location", "w.bin"}}));
  const Model model = Read(graph, directory_.string());
  EXPECT_EQ(FindTensor(model, "w")->value_range, Range({-5, 32700}));
  EXPECT_EQ(FindTensor(model, "short")->value_range, std::nullopt);
}

TEST_F(ExternalFiles, PathsOutsideTheModelsDirectoryAreRefused) {
  for (const char* path : {"/etc/passwd", "../data.bin", "a/../../data.bin", ""}) {
    EXPECT_NE(ErrorOf(With({{"location", path}}), directory_.string()).find("external data"),
              std::string::npos)
        << path;
  }
  EXPECT_EQ(ErrorOf(With({{"location", "data.bin"}, {"offset", "-4"}}), directory_.string()),
            "initializer \"scale\": external data offset \"-4\" is not a number of bytes");
}

TEST_F(ExternalFiles, LinksOutOfTheModelsDirectoryAreNotFollowed) {
  const auto outside = std::filesystem::path(testing::TempDir()) / "quantgate_outside";
  std::filesystem::create_directories(outside);
  std::ofstream(outside / "data.bin", std::ios::binary)
      << std::string(4, '\0') << b::Raw<float>({0.5F});
  const auto link = [&](const char* name, const std::filesystem::path& to) {
    std::filesystem::remove(directory_ / name);
    std::filesystem::create_symlink(to, directory_ / name);
  };
  link("inside.bin", "data.bin");
  link("outside.bin", outside / "data.bin");
  link("folder", outside);
  const auto scale = [&](const char* location, ExternalData data) {
    data.directory = directory_.string();
    const auto model = onnx::Read(
        b::Model(With({{"location", location}, {"offset", "4"}, {"length", "4"}})), "f", data, {});
    EXPECT_TRUE(model.ok()) << model.status();
    const auto& values = FindTensor(*model, "scale")->values;
    if (values != nullptr) return values->reals[0];
    EXPECT_EQ(model->notes.size(), 1u);
    EXPECT_NE(model->notes[0].find("leads out of the model's directory"), std::string::npos);
    return 0.0;
  };
  EXPECT_EQ(scale("inside.bin", {}), 0.125);
  EXPECT_EQ(scale("outside.bin", {}), 0);
  EXPECT_EQ(scale("folder/data.bin", {}), 0);
  EXPECT_EQ(scale("outside.bin", {.behind_link = outside.string()}), 0.5);
  EXPECT_EQ(scale("outside.bin", {.given = outside.string()}), 0.5);
  EXPECT_EQ(scale("../quantgate_outside/data.bin", {.given = outside.string()}), 0.5);
  EXPECT_EQ(scale("outside.bin", {.given = testing::TempDir()}), 0.5);
  // A name that only begins like the folder's is another folder.
  EXPECT_EQ(scale("outside.bin", {.given = (outside / "dat").string()}), 0);
}

TEST(Limits, ManyNodesAreRefusedBeforeTheyAreRead) {
  std::string graph;
  for (size_t i = 0; i <= kMaxNodes; ++i) graph += std::string("\x0a\x00", 2);
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(7, graph);
  const auto model = ReadOnnx(bytes, "f", "");
  EXPECT_EQ(model.status().message(), "graph: more than 16777216 nodes");
}

TEST(Limits, NamesAreSoLong) {
  const std::string longest(kMaxNameBytes, 'n'), longer = longest + "n";
  EXPECT_EQ(CheckName(longest), "");
  EXPECT_NE(CheckName(longer), "");
  EXPECT_EQ(CheckRoomForNode(kMaxNodes - 1), "");
  EXPECT_EQ(CheckRoomForNode(kMaxNodes), "more than 16777216 nodes");
  EXPECT_EQ(CheckRoomForTensor(kMaxTensors - 1), "");
  EXPECT_EQ(CheckRoomForTensor(kMaxTensors), "more than 33554432 tensors");
}

struct Hostile {
  const char* name;
  b::Graph (*graph)();
  const char* error;
};
b::Graph With(void (*change)(b::Graph&)) {
  b::Graph graph = b::QdqRelu();
  change(graph);
  return graph;
}

TEST(OnnxReader, RefusesWhatIsNoGraph) {
  const Hostile cases[] = {
      {"dangling",
       [] {
         return With([](b::Graph& g) { g.nodes[2] = b::Node("Add", "add", {"xd", "t"}, {"y"}); });
       },
       "node \"add\", input 1: tensor \"t\" is never produced"},
      {"two producers",
       [] {
         return With(
             [](b::Graph& g) { g.nodes.push_back(b::Node("Relu", "again", {"x"}, {"y"})); });
       },
       "node \"again\", output 0: tensor \"y\" is already produced by node \"relu\""},
      {"produces an input",
       [] {
         return With([](b::Graph& g) { g.nodes.push_back(b::Node("Relu", "r", {"y"}, {"x"})); });
       },
       "node \"r\", output 0: tensor \"x\" is also an input of the graph"},
      {"produces an initializer",
       [] {
         return With([](b::Graph& g) { g.nodes.push_back(b::Node("Relu", "r", {"y"}, {"zero"})); });
       },
       "node \"r\", output 0: tensor \"zero\" is also an initializer"},
      {"initializer twice",
       [] { return With([](b::Graph& g) { g.initializers.push_back(g.initializers[0]); }); },
       "initializer \"scale\": given twice"},
      {"cycle",
       [] {
         return With([](b::Graph& g) {
           g.nodes.push_back(b::Node("Add", "a", {"x", "q2"}, {"q1"}));
           g.nodes.push_back(b::Node("Relu", "b", {"q1"}, {"q2"}));
         });
       },
       "node \"a\": the graph has a cycle: \"b\" -> \"a\" -> \"b\""},
      {"output never produced",
       [] {
         return With([](b::Graph& g) { g.outputs.push_back(b::ValueInfo("nothing", 1, {})); });
       },
       "the graph's outputs: tensor \"nothing\" is never produced"},
      {"negative dim",
       [] {
         return With([](b::Graph& g) { g.initializers.push_back(b::TensorHead("w", 1, {-3, 2})); });
       },
       "initializer \"w\": dimension -3 is negative"},
      {"negative dim of an input",
       [] { return With([](b::Graph& g) { g.inputs[0] = b::ValueInfo("x", 1, {-7}); }); },
       "tensor \"x\": dimension -7 is negative"},
      {"overflow",
       [] {
         return With([](b::Graph& g) {
           g.initializers.push_back(b::TensorHead("w", 1, {int64_t{1} << 40, int64_t{1} << 40}));
         });
       },
       "initializer \"w\": the product of the dimensions is beyond 64 bits"},
      {"absurd rank",
       [] {
         return With(
             [](b::Graph& g) { g.initializers.push_back(b::TensorHead("w", 1, Dims(100, 1))); });
       },
       "initializer \"w\": 100 dimensions; 64 are the most"},
      {"too few bytes",
       [] {
         return With(
             [](b::Graph& g) { g.initializers[0] = b::Tensor("scale", b::kFloat, {2}, "1234"); });
       },
       "initializer \"scale\": 4 bytes of data for 2 elements of 32 bits"},
      {"huge with few bytes",
       [] {
         return With([](b::Graph& g) {
           g.initializers[0] = b::Tensor("scale", b::kFloat, {int64_t{1} << 62}, "1234");
         });
       },
       "initializer \"scale\": 4 bytes of data for 4611686018427387904 elements of 32 bits"},
      {"attribute twice",
       [] {
         return With([](b::Graph& g) {
           g.nodes[2] = b::Node("Relu", "relu", {"xd"}, {"y"},
                                {b::IntAttribute("a", 1), b::IntAttribute("a", 2)});
         });
       },
       "node \"relu\": attribute \"a\" is given twice"},
      {"dangling in a subgraph",
       [] {
         return With([](b::Graph& g) {
           b::Graph inner;
           inner.nodes = {b::Node("Relu", "r", {"nowhere"}, {"o"})};
           g.nodes.push_back(
               b::Node("If", "c", {"x"}, {"o"}, {b::GraphAttribute("then_branch", inner.Bytes())}));
         });
       },
       "node \"c/then_branch/r\", input 0: tensor \"nowhere\" is never produced"},
  };
  for (const Hostile& hostile : cases)
    EXPECT_EQ(ErrorOf(hostile.graph()), hostile.error) << hostile.name;
}

TEST(OnnxReader, RefusesOtherFiles) {
  EXPECT_EQ(ErrorOf(std::string()), "not an ONNX model: there is no graph in it");
  EXPECT_EQ(ErrorOf("\x08\x0a"), "not an ONNX model: there is no graph in it");
  EXPECT_EQ(ErrorOf("{\"name\": \"m\"}"), "byte 0: not a protobuf field");
  EXPECT_EQ(ErrorOf(std::string(1000, '\0')), "byte 0: not a protobuf field");
}

TEST(OnnxReader, EveryTruncationIsRefusedOrAWholeModel) {
  const std::string bytes = b::Model(b::QdqRelu());
  // The opset_import behind the graph may be cut off whole; nothing else may.
  const size_t graph_end = bytes.size() - ReadOnnx(bytes, "", "").value().name.size() - 5;
  int whole = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string error = ErrorOf(bytes.substr(0, size));
    if (error.empty()) {
      ++whole;
      EXPECT_EQ(size, graph_end);
    }
  }
  EXPECT_EQ(whole, 1);
}

TEST(OnnxReader, SurvivesRandomChanges) {
  const std::string original = b::Model(b::QdqRelu());
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = original;
    for (int change = 0; change < 3; ++change)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto model = ReadOnnx(bytes, "f", "");
    if (model.ok()) {
      EXPECT_TRUE(ReadModelJson(WriteModelJson(*model), "f").ok());
    } else {
      ++refused;
      EXPECT_EQ(std::string(model.status().message()).find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(OnnxReader, ReadsTheExampleModels) {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(QUANTGATE_SOURCE_DIR "/docs/examples")) {
    if (file.path().extension() != ".onnx") continue;
    ++count;
    const auto status = ReadInput(file.path().string(), std::nullopt, [&](const ReadModel& read) {
      ASSERT_TRUE(read.model.ok()) << read.source << ": " << read.model.status();
      EXPECT_GT(read.model->nodes.size(), 5u) << read.source;
      for (const Node& node : read.model->nodes) {
        if (node.op != "QuantizeLinear" && node.op != "DequantizeLinear") continue;
        EXPECT_NE(read.model->tensors[node.inputs[1]].values, nullptr) << read.source << node.name;
      }
      const std::string json = WriteModelJson(*read.model);
      const auto again = ReadModelJson(json, "x");
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(WriteModelJson(*again), json);
    });
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace quantgate
