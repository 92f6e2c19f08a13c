#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/readers/tflite/table_writer.h"
#include "core/readers/tflite/tflite_schema.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

namespace t = tflite;
using flatbuffer::NewTable;

constexpr int32_t kAdd = 0, kConv2d = 3, kReshape = 22, kCustom = 32, kWhile = 119, kGelu = 150;

// Files of a few tables, as writers make them.
struct File {
  std::vector<NewTable> opcodes, buffers, tensors, operators, more_subgraphs, signatures;
  std::vector<int32_t> inputs = {0}, outputs = {1};
  uint32_t version = 3;

  File() { buffers.emplace_back(); }

  NewTable& Opcode(int32_t code, int32_t op_version = 1) {
    NewTable& table = opcodes.emplace_back();
    table.Set<int8_t>(t::operator_code::kByteCode, static_cast<int8_t>(std::min(code, 127)));
    if (code > 127) table.Set<int32_t>(t::operator_code::kCode, code);
    table.Set<int32_t>(t::operator_code::kVersion, op_version);
    return table;
  }
  uint32_t Buffer(std::string data) {
    buffers.emplace_back().Bytes(t::buffer::kData, std::move(data), 16);
    return static_cast<uint32_t>(buffers.size() - 1);
  }
  static NewTable Tensor(std::string_view name, int8_t type, std::vector<int32_t> shape,
                         uint32_t buffer = 0) {
    NewTable table;
    table.Text(t::tensor::kName, name);
    table.Set<int8_t>(t::tensor::kType, type);
    table.List(t::tensor::kShape, shape);
    table.Set<uint32_t>(t::tensor::kBuffer, buffer);
    return table;
  }
  NewTable& Add(std::string_view name, int8_t type, std::vector<int32_t> shape,
                uint32_t buffer = 0) {
    tensors.push_back(Tensor(name, type, std::move(shape), buffer));
    return tensors.back();
  }
  NewTable& Operator(uint32_t opcode, std::vector<int32_t> in, std::vector<int32_t> out) {
    NewTable& table = operators.emplace_back();
    table.Set<uint32_t>(t::node::kOpcodeIndex, opcode);
    table.List(t::node::kInputs, in);
    table.List(t::node::kOutputs, out);
    return table;
  }
  std::string Bytes() {
    NewTable root;
    root.Set<uint32_t>(t::model::kVersion, version);
    root.Add(t::model::kOperatorCodes, std::move(opcodes));
    NewTable main;
    main.Add(t::subgraph::kTensors, std::move(tensors));
    main.List(t::subgraph::kInputs, inputs);
    main.List(t::subgraph::kOutputs, outputs);
    main.Add(t::subgraph::kOperators, std::move(operators));
    main.Text(t::subgraph::kName, "main");
    std::vector<NewTable> subgraphs;
    subgraphs.push_back(std::move(main));
    for (NewTable& more : more_subgraphs) subgraphs.push_back(std::move(more));
    root.Add(t::model::kSubgraphs, std::move(subgraphs));
    root.Add(t::model::kBuffers, std::move(buffers));
    if (!signatures.empty()) root.Add(t::model::kSignatures, std::move(signatures));
    return root.File(t::kIdentifier);
  }
};

void Quantize(NewTable& tensor, std::vector<float> scales, std::vector<int64_t> zero_points,
              int32_t axis = 0) {
  NewTable& given = tensor.Sub(t::tensor::kQuantization);
  given.List(t::quantization::kScale, scales);
  given.List(t::quantization::kZeroPoint, zero_points);
  if (axis != 0) given.Set<int32_t>(t::quantization::kDimension, axis);
}

// x (INT8) -> one operator -> y.
File OneOperator(int32_t code, int32_t version = 1) {
  File file;
  file.Opcode(code, version);
  Quantize(file.Add("x", 9, {1, 4}), {0.5F}, {3});
  Quantize(file.Add("y", 9, {1, 4}), {0.25F}, {-4});
  file.Operator(0, {0}, {1});
  return file;
}

Model Read(File file) {
  auto model = ReadTflite(file.Bytes(), "file");
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : Model();
}
std::string ErrorOf(const std::string& bytes) {
  const auto model = ReadTflite(bytes, "file");
  return model.ok() ? "" : std::string(model.status().message());
}
std::string ErrorOf(File file) { return ErrorOf(file.Bytes()); }

int64_t ParamOf(const Node& node, std::string_view name) {
  const Param* const param = node.FindParam(name);
  return param == nullptr ? -100 : IntOf(param->value).value_or(-200);
}

template <typename T>
std::string Raw(std::vector<T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(TfliteReader, ReadsOperatorsTensorsAndTheirEncodings) {
  const Model model = Read(OneOperator(kGelu, 2));
  EXPECT_EQ(model.name, "file");
  EXPECT_EQ(model.dialect, Dialect::kTflite);
  ASSERT_EQ(model.nodes.size(), 1u);
  EXPECT_EQ(model.nodes[0].op, "GELU");
  EXPECT_EQ(model.nodes[0].name, "GELU_0");
  EXPECT_EQ(model.nodes[0].location, "subgraph 0 \"main\", operator 0");
  EXPECT_EQ(ParamOf(model.nodes[0], "version"), 2);
  EXPECT_EQ(ParamOf(model.nodes[0], "approximate"), 0);
  ASSERT_EQ(model.tensors.size(), 2u);
  EXPECT_EQ(model.tensors[0].dtype, Dtype::kSfixedPoint8);
  EXPECT_EQ(model.tensors[0].encoding->scales[0], 0.5F);
  EXPECT_EQ(model.tensors[0].encoding->zero_points[0], 3);
  EXPECT_EQ(model.inputs, std::vector<TensorId>{0});
  EXPECT_EQ(model.outputs, std::vector<TensorId>{1});
}

TEST(TfliteReader, GivesOptionsTheirDefaultsOrTheirValues) {
  File file = OneOperator(kConv2d);
  EXPECT_EQ(ParamOf(Read(OneOperator(kConv2d)).nodes[0], "dilation_w_factor"), 1);
  NewTable& node = file.operators[0];
  node.Set<uint8_t>(t::node::kOptionsType, 1);
  NewTable& options = node.Sub(t::node::kOptions);
  options.Set<int8_t>(0, 1);   // padding
  options.Set<int32_t>(1, 2);  // stride_w
  options.Set<int32_t>(4, 3);  // dilation_w_factor
  const Model model = Read(std::move(file));
  EXPECT_EQ(ParamOf(model.nodes[0], "padding"), 1);
  EXPECT_EQ(ParamOf(model.nodes[0], "stride_w"), 2);
  EXPECT_EQ(ParamOf(model.nodes[0], "stride_h"), 0);
  EXPECT_EQ(ParamOf(model.nodes[0], "dilation_w_factor"), 3);
  // Options of another operator are none, as in the interpreter.
  File other = OneOperator(kAdd);
  other.operators[0].Set<uint8_t>(t::node::kOptionsType, 1);
  other.operators[0].Sub(t::node::kOptions).Set<int8_t>(0, 1);
  EXPECT_EQ(ParamOf(Read(std::move(other)).nodes[0], "fused_activation_function"), 0);
}

TEST(TfliteReader, TellsPlainIntegersFromQuantizedOnes) {
  File file = OneOperator(kAdd);
  file.Add("plain", 2, {2}, file.Buffer(Raw<int32_t>({1, -1})));
  Quantize(file.Add("bias", 2, {2}, file.Buffer(Raw<int32_t>({5, 6}))), {0.1F, 0.2F}, {0, 0});
  Quantize(file.Add("weight", 17, {3}, file.Buffer("ab")), {0.1F}, {0});
  Quantize(file.Add("float", 0, {1}), {0.1F}, {0});
  file.operators[0] = NewTable();
  file.operators.pop_back();
  file.Operator(0, {0, 2, 3, 4}, {1});
  file.inputs.push_back(5);
  const Model model = Read(std::move(file));
  EXPECT_EQ(model.tensors[2].dtype, Dtype::kInt32);
  EXPECT_EQ(model.tensors[2].values->ints, (std::vector<int64_t>{1, -1}));
  EXPECT_EQ(model.tensors[3].dtype, Dtype::kSfixedPoint32);
  EXPECT_EQ(model.tensors[3].encoding->kind, EncodingKind::kPerChannel);
  EXPECT_TRUE(model.tensors[3].is_static);
  EXPECT_EQ(model.tensors[4].dtype, Dtype::kSfixedPoint4);
  EXPECT_EQ(model.tensors[4].values, nullptr);
  EXPECT_EQ(model.tensors[5].dtype, Dtype::kFloat32);
  EXPECT_EQ(model.tensors[5].encoding->kind, EncodingKind::kNone);
}

TEST(TfliteReader, KeepsSmallWeightsOnly) {
  File file = OneOperator(kAdd);
  file.Add("w", 9, {64, 65}, file.Buffer(std::string(4160, 'w')));
  file.Add("axes", 2, {64, 2}, file.Buffer(std::string(512, '\1')));
  file.Add("v", 9, {64, 2}, file.Buffer(std::string(128, 'v')));
  file.operators.clear();
  file.Operator(0, {0, 2, 3}, {1});
  const Model model = Read(std::move(file));
  EXPECT_TRUE(model.tensors[2].is_static);
  EXPECT_EQ(model.tensors[2].values, nullptr);
  EXPECT_EQ(model.tensors[3].values->ints.size(), 128u);
  EXPECT_EQ(model.tensors[4].values->ints, std::vector<int64_t>(128, 'v'));
}

TEST(TfliteReader, ReadsDynamicDimensionsFromTheSignature) {
  File file = OneOperator(kAdd);
  file.tensors[0].List<int32_t>(t::tensor::kShapeSignature, {-1, 4});
  EXPECT_EQ(Read(std::move(file)).tensors[0].dims[0], kDynamicDim);
}

TEST(TfliteReader, PrefixesOtherSubgraphsWithTheirSignature) {
  File file = OneOperator(kAdd);
  NewTable second;
  std::vector<NewTable> tensors, operators;
  tensors.push_back(File::Tensor("x", 0, {1}));
  tensors.push_back(File::Tensor("", 0, {1}));
  second.Add(t::subgraph::kTensors, std::move(tensors));
  second.List<int32_t>(t::subgraph::kInputs, {0});
  second.List<int32_t>(t::subgraph::kOutputs, {1});
  NewTable& node = operators.emplace_back();
  node.List<int32_t>(t::node::kInputs, {0});
  node.List<int32_t>(t::node::kOutputs, {1});
  second.Add(t::subgraph::kOperators, std::move(operators));
  file.more_subgraphs.push_back(std::move(second));
  NewTable& signature = file.signatures.emplace_back();
  signature.Text(t::signature::kKey, "decode");
  signature.Set<uint32_t>(t::signature::kSubgraph, 1);
  const Model model = Read(std::move(file));
  ASSERT_EQ(model.nodes.size(), 2u);
  EXPECT_EQ(model.nodes[1].name, "decode/ADD_0");
  EXPECT_EQ(model.nodes[1].location, "subgraph 1 \"decode\", operator 0");
  EXPECT_EQ(model.tensors[2].name, "decode/x");
  EXPECT_EQ(model.tensors[3].name, "decode/tensor_1");
  EXPECT_EQ(model.inputs, (std::vector<TensorId>{0, 2}));
}

TEST(TfliteReader, NamesCustomAndUnknownOperators) {
  File file = OneOperator(kCustom);
  file.opcodes[0].Text(t::operator_code::kCustomCode, "ADD");
  EXPECT_EQ(Read(std::move(file)).nodes[0].op, "CUSTOM:ADD");
  const Model model = Read(OneOperator(100000));
  EXPECT_EQ(model.nodes[0].op, "BUILTIN_100000");
  ASSERT_EQ(model.notes.size(), 1u);
}

TEST(TfliteReader, TakesStatesAndTensorsWithoutElementsAsGiven) {
  File file = OneOperator(kWhile);
  file.Add("state", 0, {1, 4}).Set<uint8_t>(t::tensor::kIsVariable, 1);
  file.Add("none", 2, {0});
  file.operators.clear();
  file.Operator(0, {0, 2, 3, -1}, {1});
  const Model model = Read(std::move(file));
  EXPECT_EQ(model.inputs, (std::vector<TensorId>{0, 2}));
  EXPECT_TRUE(model.tensors[3].is_static);
  EXPECT_EQ(model.nodes[0].inputs[3], kNoTensor);
}

TEST(TfliteReader, TakesWhatNothingConsumesAsOutputsWhereNoneAreGiven) {
  File file = OneOperator(kAdd);
  file.outputs.clear();
  EXPECT_EQ(Read(std::move(file)).outputs, std::vector<TensorId>{1});
}

TEST(TfliteReader, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(ErrorOf("abc"), "byte 4: not a TensorFlow Lite model: no \"TFL3\"");
  File version = OneOperator(kAdd);
  version.version = 4;
  EXPECT_EQ(ErrorOf(std::move(version)), "the model: schema version 4; 3 is known");
  File ports = OneOperator(kAdd);
  ports.operators.clear();
  ports.Operator(0, {7}, {1});
  EXPECT_EQ(ErrorOf(std::move(ports)),
            "subgraph 0 \"main\", operator 0, input 0: tensor 7 of 2");
  File opcode = OneOperator(kAdd);
  opcode.operators.clear();
  opcode.Operator(9, {0}, {1});
  EXPECT_EQ(ErrorOf(std::move(opcode)), "subgraph 0 \"main\", operator 0: operator code 9 of 1");
  File buffer = OneOperator(kAdd);
  buffer.Add("w", 9, {1}, 5);
  EXPECT_EQ(ErrorOf(std::move(buffer)), "subgraph 0 \"main\", tensor 2: buffer 5 of 1");
  File axis = OneOperator(kAdd);
  Quantize(axis.Add("w", 9, {1}), {0.1F, 0.2F}, {0, 0}, 3);
  EXPECT_EQ(ErrorOf(std::move(axis)),
            "subgraph 0 \"main\", tensor 2: quantized along dimension 3 of 1");
  File dims = OneOperator(kAdd);
  dims.Add("w", 9, {-2});
  EXPECT_EQ(ErrorOf(std::move(dims)), "subgraph 0 \"main\", tensor 2: -2 is no dimension");
  File missing = OneOperator(kAdd);
  missing.Add("lost", 9, {1});
  missing.operators.clear();
  missing.Operator(0, {0, 2}, {1});
  EXPECT_EQ(ErrorOf(std::move(missing)), "subgraph 0 \"main\", operator 0 (ADD), input 1: tensor "
                                         "\"lost\" is never produced");
}

TEST(TfliteReader, SurvivesCutsAndHostileOffsets) {
  std::string bytes = OneOperator(kReshape).Bytes();
  ASSERT_EQ(ErrorOf(bytes), "");
  // Cut anywhere, it is an error and never a crash.
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = ReadTflite(std::string_view(bytes).substr(0, size), "file");
    if (!cut.ok()) {
      EXPECT_EQ(std::string(cut.status().message()).find('\n'), std::string::npos);
    }
  }
  // Every word of the file, set to what an offset can be.
  for (size_t at = 8; at + 4 <= bytes.size(); at += 4) {
    for (const uint32_t value : {0U, 4U, 0xFFFFU, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
      std::string changed = bytes;
      std::memcpy(changed.data() + at, &value, sizeof value);
      (void)ReadTflite(changed, "file");
    }
  }
}

TEST(TfliteReader, BoundsWhatSharedTablesMayBecome) {
  // A list of tensors whose offsets all lead to the first.
  NewTable root, main;
  root.Set<uint32_t>(t::model::kVersion, 3);
  std::vector<NewTable> tensors;
  constexpr size_t kMany = 100'000;
  for (size_t i = 0; i < kMany; ++i) tensors.emplace_back();
  main.Add(t::subgraph::kTensors, std::move(tensors));
  std::vector<NewTable> subgraphs;
  subgraphs.push_back(std::move(main));
  root.Add(t::model::kSubgraphs, std::move(subgraphs));
  std::string bytes = root.File(t::kIdentifier);
  const uint32_t count = kMany;
  const size_t list = bytes.find(std::string(reinterpret_cast<const char*>(&count), 4));
  ASSERT_NE(list, std::string::npos);
  uint32_t first = 0;
  std::memcpy(&first, bytes.data() + list + 4, 4);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t offset = first - 4 * i;
    std::memcpy(bytes.data() + list + 4 + size_t{4} * i, &offset, 4);
  }
  bytes.resize(list + 4 + size_t{4} * kMany + 64);
  EXPECT_NE(ErrorOf(bytes).find("over and over"), std::string::npos) << ErrorOf(bytes);
}

TEST(TfliteWriter, WritesWhatTheReaderReads) {
  File file = OneOperator(kConv2d, 3);
  file.Add("axes", 2, {2}, file.Buffer(Raw<int32_t>({7, 8})));
  file.tensors[0].List<int32_t>(t::tensor::kShapeSignature, {-1, 4});
  file.operators.clear();
  NewTable& node = file.Operator(0, {0, 2, -1}, {1});
  node.Set<uint8_t>(t::node::kOptionsType, 1);
  node.Sub(t::node::kOptions).Set<int32_t>(1, 2);
  const Model model = Read(std::move(file));
  const auto bytes = WriteTflite(model);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto again = ReadTflite(*bytes, "file");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(WriteModelJson(*again), WriteModelJson(model));
}

TEST(TfliteWriter, SaysWhatItCannotWrite) {
  Model model = Read(OneOperator(kAdd));
  model.nodes[0].op = "Conv2d";
  EXPECT_EQ(WriteTflite(model).status().message(),
            "node \"ADD_0\": \"Conv2d\" is no operator of this format");
  model.nodes[0].op = "ADD";
  model.tensors[0].dtype = Dtype::kUndefined;
  EXPECT_EQ(WriteTflite(model).status().message(),
            "tensor \"x\" has no type, no rank, or is sparse");
}

TEST(TfliteReader, IsGuessedByNameAndContent) {
  EXPECT_EQ(GuessFormat("a.TFLITE", "").value(), InputFormat::kTflite);
  EXPECT_EQ(GuessFormat("-", OneOperator(kAdd).Bytes()).value(), InputFormat::kTflite);
}

}  // namespace
}  // namespace quantgate
