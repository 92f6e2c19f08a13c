#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "quantgate/reader.h"

namespace quantgate {
namespace {

// Every kind of encoding and param.
constexpr std::string_view kFull = R"({
 "name": "m", "dialect": "qnn", "inputs": ["x"], "outputs": ["y"],
 "tensors": [
  {"name": "x", "dtype": "UFIXED_POINT_8", "dims": [1, 8, 8, 32], "encoding": {"perTensor": {"scale": 0.02, "zeroPoint": 128}}},
  {"name": "w", "dtype": "SFIXED_POINT_8", "dims": [3, 3, 32, 16], "isStatic": true, "encoding": {"perChannel": {"axis": 3, "scales": [0.01], "zeroPoints": [0], "bitwidth": 4}}},
  {"name": "v", "dtype": "SFIXED_POINT_8", "dims": [1, 1, 128, 16], "isStatic": true,
   "encoding": {"lpbq": {"axis": 3, "scales": [0.01], "zeroPoints": [0], "numBlocks": 4, "blockScales": [3], "blockScaleBitwidth": 4, "blockScaleStorageBits": 8}}},
  {"name": "u", "dtype": "SFIXED_POINT_8", "dims": [1, 1, 128, 16], "isStatic": true, "encoding": {"block": {"blockSize": [1, 1, 32, 1], "scales": [0.01], "zeroPoints": [0]}}},
  {"name": "k", "dtype": "INT_32", "dims": [3], "isStatic": true, "values": [1, "-2", 9007199254740993]},
  {"name": "e", "dtype": "FLOAT_32", "isStatic": true, "realValues": ["NaN"]},
  {"name": "s", "dims": [4], "isStatic": true, "sparse": "3", "valueRange": {"min": -1, "max": 2.5}},
  {"name": "r", "unknownRank": true, "isStatic": true},
  {"name": "y", "dtype": "UFIXED_POINT_8", "dims": [-1, 6, 6, 16], "encoding": {"perTensor": {"scale": 0.05, "zeroPoint": 3}}}],
 "nodes": [{"name": "n0", "op": "Conv2d", "inputs": ["x", "w", ""], "outputs": ["y"],
   "params": {"stride": {"tensor": {"dtype": "UINT_32", "dims": [2], "ints": [1, 1]}}, "group": {"uint": 1}, "axis": {"int": -1}, "epsilon": {"real": 1e-5}, "keep_dims": {"flag": true},
    "mode": {"text": "a\"\\\u00e9\n"}, "names": {"texts": ["a", ""]}, "pads": {"ints": [0, 1]}, "rates": {"reals": [0.5, "Infinity"]}, "nothing": {}}},
  {"op": "Add", "inputs": ["u", "v"], "outputs": ["", ""], "dialect": "onnx", "domain": "d", "location": "f.py:1", "uncheckedReason": "why"}],
 "notes": ["n"]})";

Model Read(std::string_view json) {
  auto model = ReadModelJson(json, "file");
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : Model();
}
std::string ErrorOf(std::string_view json) {
  const auto model = ReadModelJson(json, "file");
  return model.ok() ? "" : std::string(model.status().message());
}

TEST(ModelJson, ReadsEveryField) {
  const Model model = Read(kFull);
  EXPECT_EQ(model.name, "m");
  ASSERT_EQ(model.tensors.size(), 9u);
  EXPECT_EQ(model.tensors[0].dtype, Dtype::kUfixedPoint8);
  EXPECT_EQ(model.tensors[0].encoding->kind, EncodingKind::kPerTensor);
  EXPECT_EQ(model.tensors[0].encoding->scales[0], 0.02F);
  EXPECT_EQ(model.tensors[0].encoding->zero_points[0], 128);
  EXPECT_EQ(model.tensors[1].encoding->bitwidth, 4);
  EXPECT_EQ(model.tensors[1].encoding->axis, 3);
  EXPECT_EQ(model.tensors[2].encoding->kind, EncodingKind::kLpbq);
  EXPECT_EQ(model.tensors[2].encoding->num_blocks, 4);
  EXPECT_EQ(model.tensors[2].encoding->block_scales, std::vector<int32_t>{3});
  EXPECT_EQ(model.tensors[2].encoding->block_scale_storage_bits, 8);
  EXPECT_EQ(model.tensors[3].encoding->block_size, (std::vector<int64_t>{1, 1, 32, 1}));
  EXPECT_EQ(model.tensors[4].values->ints, (std::vector<int64_t>{1, -2, 9007199254740993}));
  EXPECT_TRUE(std::isnan(model.tensors[5].values->reals[0]));
  EXPECT_EQ(model.tensors[6].sparse, 3);
  EXPECT_EQ(model.tensors[6].value_range->second, 2.5);
  EXPECT_EQ(model.tensors[7].rank(), -1);
  EXPECT_EQ(model.tensors[8].dims[0], kDynamicDim);
  const Node& node = model.nodes[0];
  EXPECT_EQ(node.inputs[2], kNoTensor);
  EXPECT_EQ(std::get<TensorParam>(node.FindParam("stride")->value).ints,
            (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(std::get<UintParam>(node.FindParam("group")->value).value, 1u);
  EXPECT_EQ(std::get<IntParam>(node.FindParam("axis")->value).value, -1);
  EXPECT_EQ(std::get<double>(node.FindParam("epsilon")->value), 1e-5);
  EXPECT_TRUE(std::get<bool>(node.FindParam("keep_dims")->value));
  EXPECT_EQ(std::get<std::string>(node.FindParam("mode")->value), "a\"\\\xC3\xA9\n");
  EXPECT_EQ(model.nodes[1].name, "Add_1");
  EXPECT_EQ(model.nodes[1].dialect, Dialect::kOnnx);
  EXPECT_EQ(model.nodes[1].unchecked_reason, "why");
}

TEST(ModelJson, WritesTheSameBytesAgain) {
  for (const int indent : {0, 1, 2}) {
    const std::string once = WriteModelJson(Read(kFull), indent);
    EXPECT_EQ(WriteModelJson(Read(once), indent), once);
    EXPECT_EQ(once.find('\n') == std::string::npos, indent == 0);
  }
}

TEST(ModelJson, FloatsAreShortAndExact) {
  const std::string json = WriteModelJson(Read(kFull), 0);
  EXPECT_NE(json.find("\"scale\": 0.02,"), std::string::npos) << json;
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    float value;
    const uint32_t bits = random();
    static_assert(sizeof(value) == sizeof(bits));
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value)) continue;
    Model model = Read(R"({"tensors": [{"name": "x", "encoding": {"perTensor": {"scale": 1}}}]})");
    model.tensors[0].encoding.Edit().scales[0] = value;
    EXPECT_EQ(Read(WriteModelJson(model)).tensors[0].encoding->scales[0], value);
  }
}

TEST(ModelJson, TakesSnakeCaseAndNumbersAsText) {
  const Model model = Read(R"({"tensors": [{"name": "x", "is_static": true, "dims": ["2", 2.0, 1e1],
    "encoding": {"per_channel": {"axis": 0, "scales": ["0.5", 1], "zero_points": ["1", -2]}}, "dtype": 1032}]})");
  EXPECT_EQ(model.tensors[0].dtype, Dtype::kUfixedPoint8);
  EXPECT_EQ(model.tensors[0].dims[2], 10);
  EXPECT_EQ(model.tensors[0].encoding->zero_points[1], -2);
  EXPECT_EQ(model.tensors[0].encoding->scales[0], 0.5F);
}

TEST(ModelJson, FillsInTheEndsOfTheGraph) {
  const Model model = Read(
      R"({"tensors": [{"name": "w", "isStatic": true}, {"name": "x"}, {"name": "m"}, {"name": "y"}],
    "nodes": [{"op": "A", "inputs": ["x", "w"], "outputs": ["m"]}, {"op": "B", "inputs": ["m"], "outputs": ["y"]}]})");
  EXPECT_EQ(model.name, "file");
  EXPECT_EQ(model.inputs, std::vector<TensorId>{1});
  EXPECT_EQ(model.outputs, std::vector<TensorId>{3});
}

TEST(ModelJson, NullIsAbsent) {
  EXPECT_EQ(Read(R"({"name": null, "tensors": null, "nodes": []})").name, "file");
}

TEST(ModelJson, NonFiniteScalesAreForTheRules) {
  const Model model =
      Read(R"({"tensors": [{"name": "x", "encoding": {"perTensor": {"scale": "NaN"}}}]})");
  EXPECT_TRUE(std::isnan(model.tensors[0].encoding->scales[0]));
}

TEST(ModelJson, SaysWhereAndWhatIsWrong) {
  struct Case {
    std::string json;
    std::string error;
  };
  const auto tensor = [](std::string_view fields) {
    return "{\"tensors\": [\n{\"name\": \"x\", " + std::string(fields) + "}]}";
  };
  const Case cases[] = {
      {"", "1:1: no JSON value"},
      {"   ", "1:4: no JSON value"},
      {"[]", "1:1: must be an object, not an array"},
      {"3", "1:1: must be an object"},
      {"{} {}", "1:4: something follows the JSON value"},
      {"{\"tensor\": []}", "1:2: tensor: unknown key (did you mean tensors?)"},
      {"{\"name\": \"a\", \"name\": \"b\"}", "1:15: name: given twice"},
      {"{\"name\": 3}", "1:10: name: must be a string, not a number"},
      {"{\"name\": nul}", "1:10: name: bad literal"},
      {"{\"name\": \"a}", "1:10: the string is not closed"},
      {"{\"name\": \"a\nb\"}", "1:12: control character in a string"},
      {"{\n\"name\": \"a\xFF\"}", "2:1: not UTF-8"},
      {"{\"name\": \"\\ud800\"}", "1:10: name: the string has a bad escape"},
      {"{\"dialect\": \"tf\"}", "1:13: dialect: unknown dialect \"tf\" (one of qnn, onnx, aten)"},
      {tensor("\"dtype\": \"UFIXED_POINT8\""),
       "2:24: tensors[0].dtype: unknown dtype \"UFIXED_POINT8\" (did you mean UFIXED_POINT_8, "
       "SFIXED_POINT_8 or UFIXED_POINT_4?)"},
      {tensor("\"dtype\": 77"), "2:24: tensors[0].dtype: no QNN datatype has the number 77"},
      {tensor("\"dims\": [1, -2]"),
       "2:27: tensors[0].dims[1]: -2 is outside -1..9223372036854775807"},
      {tensor("\"dims\": [1.5]"), "2:24: tensors[0].dims[0]: \"1.5\" is not an integer"},
      {tensor("\"dims\": [99999999999999999999]"),
       "2:24: tensors[0].dims[0]: \"99999999999999999999\" is not an integer of 64 bits"},
      {tensor("\"dims\": [4294967296, 4294967296]"),
       "2:1: tensors[0]: tensor \"x\": the product of \"dims\" is beyond 64 bits"},
      {tensor("\"dims\": 3"), "2:23: tensors[0].dims: must be an array, not a number"},
      {tensor("\"isStatic\": 1"), "2:27: tensors[0].isStatic: must be true or false, not a number"},
      {tensor("\"dims\": [2], \"values\": [1, 2, 3]"),
       "2:1: tensors[0]: tensor \"x\" has 3 values for 2 elements"},
      {tensor("\"encoding\": {\"perTensor\": {\"scale\": 1}, \"lpbq\": {}}"),
       "2:63: tensors[0].encoding.lpbq: the encoding is per-tensor already; give one kind only"},
      {tensor("\"encoding\": {\"perTensor\": {\"axis\": 1}}"),
       "2:42: tensors[0].encoding.perTensor.axis: unknown key"},
      {tensor("\"encoding\": {\"perTensor\": {\"zeroPoint\": 2147483648}}"),
       "2:55: tensors[0].encoding.perTensor.zeroPoint: 2147483648 is outside "
       "-2147483648..2147483647"},
      {tensor("\"encoding\": {\"perTensor\": {\"scale\": 1e39}}"),
       "2:51: tensors[0].encoding.perTensor.scale: 1e+39 is beyond a 32-bit float"},
      {tensor("\"encoding\": {\"perTensor\": {\"scale\": \"nan\"}}"),
       "2:51: tensors[0].encoding.perTensor.scale: \"nan\" is not a number"},
      {"{\"tensors\": [{\"name\": \"x\"},\n {\"name\": \"x\"}]}",
       "2:2: tensors[1]: a tensor named \"x\" exists already, tensors[0]"},
      {"{\"tensors\": [{}]}", "1:14: tensors[0]: a tensor needs a \"name\""},
      {"{\"nodes\": [{\"name\": \"n\"}]}", "1:12: nodes[0]: a node needs an \"op\""},
      {"{\"tensors\": [{\"name\": \"abc\"}], \"nodes\": [{\"op\": \"A\", \"inputs\": [\"abd\"]}]}",
       "1:65: nodes[0].inputs[0]: no tensor is named \"abd\" (did you mean abc?)"},
      {"{\"inputs\": [\"\"]}", "1:13: inputs[0]: no tensor is named \"\""},
      {"{\"tensors\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"inputs\": [\"a\"], \"nodes\": "
       "[{\"op\": \"A\", \"inputs\": "
       "[\"b\"]}]}",
       "1:95: nodes[0].inputs[0]: tensor \"b\" is never produced"},
      {"{\"tensors\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"nodes\": [{\"op\": \"A\", "
       "\"inputs\": [\"a\"], "
       "\"outputs\": [\"b\"]}, {\"op\": \"B\", \"inputs\": [\"b\"], \"outputs\": [\"a\"]}]}",
       "1:55: nodes[0]: the graph has a cycle: \"B_1\" -> \"A_0\" -> \"B_1\""},
      {"{\"nodes\": [{\"op\": \"A\", \"params\": {\"p\": {\"int\": 1, \"real\": 2}}}]}",
       "1:59: nodes[0].params.p.real: a param has one value only"},
      {"{\"nodes\": [{\"op\": \"A\", \"params\": {\"p\": {\"int\": 1}, \"p\": {\"int\": 2}}}]}",
       "1:12: nodes[0]: param \"p\" is given twice"},
      {"{\"nodes\": [{\"op\": \"A\", \"params\": {\"p\": {\"uint\": -1}}}]}",
       "1:49: nodes[0].params.p.uint: \"-1\" is not an unsigned integer of 64 bits"},
      {"{\"name\": \"a\" \"nodes\": []}", "1:14: not valid JSON"},
  };
  for (const Case& c : cases) EXPECT_EQ(ErrorOf(c.json), c.error) << c.json;
}

TEST(ModelJson, DeepNestingIsRefused) {
  const std::string deep =
      "{\"tensors\": " + std::string(1000000, '[') + std::string(1000000, ']') + "}";
  EXPECT_EQ(ErrorOf(deep), "1:14: tensors[0]: must be an object, not an array");
  EXPECT_NE(ErrorOf(std::string(1000000, '[')), "");
  EXPECT_NE(ErrorOf(std::string(1000000, '{')), "");
}

TEST(ModelJson, EveryTruncationIsRefused) {
  for (size_t size = 0; size < kFull.size(); ++size) {
    EXPECT_NE(ErrorOf(kFull.substr(0, size)), "") << size;
  }
}

TEST(ModelJson, SurvivesRandomChanges) {
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string json(kFull);
    for (int change = 0; change < 2; ++change)
      json[random() % json.size()] = static_cast<char>(random());
    const auto model = ReadModelJson(json, "f");
    if (model.ok()) {
      EXPECT_TRUE(ReadModelJson(WriteModelJson(*model), "f").ok());
    } else {
      ++refused;
      EXPECT_EQ(std::string(model.status().message()).find('\n'), std::string::npos)
          << model.status();
    }
  }
  EXPECT_GT(refused, 1000);
}

class InputFile : public testing::Test {
 protected:
  std::string Write(const std::string& name, std::string_view content) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("quantgate_" + name);
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  // "SOURCE ok|ERROR" of each model, then the status of the whole.
  static std::vector<std::string> Models(const std::string& path,
                                         std::optional<InputFormat> format = std::nullopt) {
    std::vector<std::string> out;
    const auto status = ReadInput(path, format, [&](const ReadModel& read) {
      out.push_back(read.source.substr(read.source.find("quantgate_") + 10) + " " +
                    (read.model.ok() ? "ok" : std::string(read.model.status().message())));
    });
    out.push_back(std::string(status.message()));
    return out;
  }
  using Lines = std::vector<std::string>;
};

TEST_F(InputFile, ALineOfAJsonlThatIsBadLeavesTheOthers) {
  EXPECT_EQ(Models(Write("a.jsonl", "{}\n\n{\"x\": 1}\r\n{}")),
            (Lines{"a.jsonl:1 ok", "a.jsonl:3 1:2: x: unknown key", "a.jsonl:4 ok", ""}));
}

TEST_F(InputFile, IsGuessedByItsNameAndContent) {
  EXPECT_EQ(Models(Write("m.json", "{}")), (Lines{"m.json ok", ""}));
  EXPECT_EQ(Models(Write("m.txt", " {}")), (Lines{"m.txt ok", ""}));
  EXPECT_EQ(Models(Write("m2.txt", "{}\n{}")), (Lines{"m2.txt:1 ok", "m2.txt:2 ok", ""}));
  EXPECT_EQ(GuessFormat("-", "{\"a\": \"graph\", \"graph\": {}}").value(),
            InputFormat::kQnnNetJson);
  EXPECT_EQ(GuessFormat("-", "{\"a\": {\"graph\": 1}, \"b\": \"graph\"}").value(),
            InputFormat::kModelJson);
  EXPECT_EQ(GuessFormat("-", "PK\x03\x04").value(), InputFormat::kPt2);
  EXPECT_EQ(GuessFormat("-", "\x08\x0a").value(), InputFormat::kOnnx);
  EXPECT_EQ(GuessFormat("A.ONNX", "").value(), InputFormat::kOnnx);
  EXPECT_FALSE(GuessFormat("-", "hello").ok());
  EXPECT_EQ(Models(Write("net.json", "{\"graph\": {}}")), (Lines{"net.json ok", ""}));
}

TEST_F(InputFile, UnusableOnesAreRefusedWithTheReason) {
  EXPECT_EQ(Models(Write("empty.json", "")), Lines{"the file is empty"});
  EXPECT_EQ(Models(Write("blank.jsonl", "\n \n")), Lines{"no model in it: all lines are blank"});
  EXPECT_EQ(Models(testing::TempDir()), Lines{"is a directory, not a model file"});
  EXPECT_EQ(Models("/no/such/file.json"), Lines{"there is no such file"});
  EXPECT_EQ(Models("/dev/null"), Lines{"the input is empty"});
  EXPECT_EQ(Models("/dev/zero", InputFormat::kOnnx), Lines{"not onnx data: it holds zero bytes"});
  EXPECT_NE(Models("/dev/zero").back().find("not a known model format"), std::string::npos);
}

}  // namespace
}  // namespace quantgate
