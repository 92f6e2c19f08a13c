#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "quantgate/reader.h"
#include "quantgate/v1/model.pb.h"

namespace quantgate {
namespace {

constexpr std::string_view kJson = R"({
 "name": "m", "dialect": "onnx", "opset": 21, "inputs": ["x"], "outputs": ["y"],
 "tensors": [
  {"name": "x", "dtype": "UFIXED_POINT_8", "dims": [1, -1], "encoding": {"perTensor": {"scale": 0.02, "zeroPoint": -128, "bitwidth": 8}}},
  {"name": "p", "dtype": "STRING", "isStatic": true, "encoding": {"perTensor": {}}},
  {"name": "w", "dims": [3, 16], "isStatic": true, "encoding": {"perChannel": {"axis": 1, "scales": [0.01, "NaN"], "zeroPoints": [0, -5], "bitwidth": 4}}},
  {"name": "v", "isStatic": true, "encoding": {"lpbq": {"axis": -3, "scales": [0.01], "numBlocks": 4, "blockScales": [3, 4], "blockScaleBitwidth": 4, "blockScaleStorageBits": 8}}},
  {"name": "u", "isStatic": true, "encoding": {"block": {"blockSize": [1, 32], "scales": [0.01], "zeroPoints": [7], "bitwidth": 4}}},
  {"name": "k", "dims": [2], "isStatic": true, "values": [-1, "9223372036854775807"]},
  {"name": "e", "isStatic": true, "realValues": ["-Infinity"]},
  {"name": "s", "dims": [4], "isStatic": true, "sparse": 0, "valueRange": {"min": -1, "max": 2.5}},
  {"name": "r", "unknownRank": true, "isStatic": true},
  {"name": "y"}],
 "nodes": [{"name": "n0", "op": "Conv", "inputs": ["x", "", "w"], "outputs": ["y"],
   "params": {"a": {"tensor": {"dtype": "UINT_32", "dims": [2], "ints": [1, -1]}}, "b": {"uint": "18446744073709551615"}, "c": {"int": 0},
    "d": {"real": 0}, "e": {"flag": false}, "f": {"text": ""}, "g": {"texts": ["a", ""]}, "h": {"ints": [0, 1]}, "i": {"reals": [0.5]}, "j": {"tensor": {}}, "k": {"ints": []}}},
  {"op": "Add", "inputs": ["x"], "outputs": [""], "dialect": "aten", "domain": "d", "location": "f.py:1", "uncheckedReason": "why"}],
 "notes": ["n"]})";

Model FromJson(std::string_view json) {
  auto model = ReadModelJson(json, "f");
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : Model();
}
std::string ErrorOf(std::string_view bytes) {
  const auto model = ReadModelBinpb(bytes, "f");
  return model.ok() ? "" : std::string(model.status().message());
}

TEST(Binpb, CarriesWhatTheJsonCarries) {
  const Model model = FromJson(kJson);
  const auto again = ReadModelBinpb(WriteModelBinpb(model), "f");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(WriteModelJson(*again), WriteModelJson(model));
}

// The schema's own library is the judge of both forms.
TEST(Binpb, IsTheMessageOfTheSchema) {
  const Model model = FromJson(kJson);
  v1::Model from_binary;
  ASSERT_TRUE(from_binary.ParseFromString(WriteModelBinpb(model)));
  EXPECT_EQ(from_binary.tensors(0).encoding().per_tensor().zero_point(), -128);
  EXPECT_EQ(from_binary.tensors(0).dtype(), v1::UFIXED_POINT_8);
  EXPECT_EQ(from_binary.nodes(0).params().at("b").uint(), 18446744073709551615u);
  EXPECT_TRUE(from_binary.GetReflection()->GetUnknownFields(from_binary).empty());

  v1::Model from_json;
  const auto status =
      google::protobuf::util::JsonStringToMessage(WriteModelJson(model), &from_json);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(from_json.ShortDebugString(), from_binary.ShortDebugString());

  std::string canonical;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(from_binary, &canonical).ok());
  EXPECT_EQ(WriteModelJson(FromJson(canonical)), WriteModelJson(model));
  const auto again = ReadModelBinpb(from_binary.SerializeAsString(), "f");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(WriteModelJson(*again), WriteModelJson(model));
}

TEST(Binpb, KnowsEveryDtypeOfTheSchema) {
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    v1::Dtype value = v1::UNDEFINED;
    ASSERT_TRUE(v1::Dtype_Parse(std::string(DtypeName(dtype)), &value)) << DtypeName(dtype);
    EXPECT_EQ(static_cast<uint32_t>(value), i == 0 ? 0 : QnnValue(dtype)) << DtypeName(dtype);
  }
}

std::string ErrorOfText(const std::string& text) {
  v1::Model model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model)) << text;
  return ErrorOf(model.SerializeAsString());
}

TEST(Binpb, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOfText("tensors {name: 'a'} nodes {inputs: 'a' op: 'A'}"), "");
  EXPECT_EQ(ErrorOfText("tensors {name: 'a'} nodes {inputs: 'a'}"),
            "nodes[0]: a node needs an \"op\"");
  EXPECT_EQ(ErrorOfText("tensors {name: 'a'} nodes {inputs: 'b' op: 'A'}"),
            "nodes[0]: no tensor is named \"b\"");
  EXPECT_EQ(ErrorOfText("tensors {name: 'a'} tensors {name: 'a'}"),
            "tensors[1]: a tensor named \"a\" exists already, tensors[0]");
  EXPECT_EQ(ErrorOfText("tensors {name: 'b' dims: [2, -5]}"),
            "tensors[0]: tensor \"b\": -5 is not a dimension");
  EXPECT_EQ(ErrorOfText("dialect: 'tf'"), "unknown dialect \"tf\" (one of qnn, onnx, aten)");
  EXPECT_EQ(ErrorOf(std::string(8, '\0')), "byte 0: not a protobuf field");
  EXPECT_EQ(ErrorOf(std::string_view("\x0a\x05zz")), "byte 0: a field is longer than what is left");
}

TEST(Binpb, SurvivesTruncationAndRandomChanges) {
  const std::string original = WriteModelBinpb(FromJson(kJson));
  for (size_t size = 0; size < original.size(); ++size) {
    const auto model = ReadModelBinpb(original.substr(0, size), "f");
    EXPECT_EQ(std::string(model.status().message()).find('\n'), std::string::npos);
  }
  std::mt19937 random(5);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = original;
    for (int i = 0; i < 2; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    refused += ReadModelBinpb(bytes, "f").ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace quantgate
