// Encodings files: what each version's entries mean, what the model adds to them, and what is
// said of files that can't be used.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/readers/aimet/encodings_reader.h"
#include "quantgate/encodings_file.h"
#include "quantgate/reader.h"
#include "quantgate/rule.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace quantgate {
namespace {

EncodingsFile Read(std::string_view json) {
  auto file = ReadEncodings(json);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : EncodingsFile();
}
std::string ErrorOf(std::string_view json) {
  const auto file = ReadEncodings(json);
  return file.ok() ? "no error" : std::string(file.status().message());
}
const EncodingsEntry& Only(const EncodingsFile& file) {
  EXPECT_EQ(file.entries.size(), 1u);
  return file.entries.at(0);
}
std::vector<int32_t> ZeroPoints(const Encoding& e) {
  return {e.zero_points.begin(), e.zero_points.end()};
}
std::string V100(std::string_view section, std::string_view entry) {
  const std::string other =
      section == "param_encodings" ? "activation_encodings" : "param_encodings";
  return R"({"version": "1.0.0", ")" + std::string(section) + "\": [" + std::string(entry) +
         "], \"" + other + "\": []}";
}
std::string V200(std::string_view entry, std::string_view version = "2.0.0") {
  return R"({"version": ")" + std::string(version) + R"(", "encodings": [)" + std::string(entry) +
         "]}";
}

TEST(Encodings, Version061CountsFromTheUnsignedGrid) {
  const EncodingsFile file = Read(R"({"version": "0.6.1",
    "activation_encodings": {"x": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False",
       "min": -0.3, "max": 2.25, "offset": -30, "scale": 0.01}]},
    "param_encodings": {"w": [
       {"bitwidth": 4, "dtype": "int", "is_symmetric": "True", "offset": -8, "scale": 0.5},
       {"bitwidth": 4, "dtype": "int", "is_symmetric": "True", "offset": -8, "scale": 0.25}]},
    "quantizer_args": {"param_bitwidth": 4}})");
  EXPECT_EQ(file.version, "0.6.1");
  EXPECT_TRUE(file.problems.empty());
  EXPECT_TRUE(file.notes.empty());
  ASSERT_EQ(file.entries.size(), 2u);
  const EncodingsEntry& x = file.entries[0];
  EXPECT_EQ(x.section, EncodingsSection::kActivations);
  EXPECT_EQ(x.dtype, Dtype::kUfixedPoint8);
  EXPECT_EQ(x.encoding->kind, EncodingKind::kPerTensor);
  EXPECT_EQ(ZeroPoints(x.encoding), std::vector<int32_t>{30});
  const EncodingsEntry& w = file.entries[1];
  EXPECT_EQ(w.dtype, Dtype::kSfixedPoint8);
  EXPECT_EQ(w.encoding->kind, EncodingKind::kPerChannel);
  EXPECT_EQ(w.encoding->bitwidth, 4);
  EXPECT_EQ(w.encoding->scales.size(), 2u);
  EXPECT_FALSE(w.has_axis);
  EXPECT_TRUE(w.encoding->zero_points.empty());
}

TEST(Encodings, Version100KnowsItsKinds) {
  EncodingsFile file =
      Read(V100("param_encodings",
                R"({"name": "w", "enc_type": "PER_BLOCK", "dtype": "INT", "bw": 4, "is_sym": true,
          "block_size": 2, "scale": [1, 2, 3, 4], "offset": [-8.0, -8.0, -8.0, -8.0]})"));
  EXPECT_EQ(Only(file).encoding->kind, EncodingKind::kBlock);
  EXPECT_EQ(Only(file).block, 2);
  file = Read(V100("param_encodings",
                   R"({"name": "w", "enc_type": "LPBQ", "dtype": "INT", "bw": 8, "compressed_bw": 4,
          "is_sym": true, "block_size": 2, "scale": [1, 2], "offset": [-128, -128],
          "per_block_int_scale": [1, 2, 3, 16]})"));
  const EncodingsEntry& lpbq = Only(file);
  EXPECT_EQ(lpbq.encoding->kind, EncodingKind::kLpbq);
  EXPECT_EQ(lpbq.encoding->bitwidth, 4);
  EXPECT_EQ(lpbq.encoding->block_scale_bitwidth, 4);
  EXPECT_EQ(lpbq.encoding->block_scales, (std::vector<int32_t>{1, 2, 3, 16}));
  EXPECT_EQ(lpbq.dtype, Dtype::kSfixedPoint8);
  EXPECT_TRUE(lpbq.encoding->zero_points.empty());
  EXPECT_TRUE(file.problems.empty());
  file = Read(V100("activation_encodings",
                   R"({"name": "x", "enc_type": "PER_TENSOR", "dtype": "FLOAT", "bw": 16})"));
  EXPECT_EQ(Only(file).dtype, Dtype::kFloat16);
  EXPECT_EQ(Only(file).encoding->kind, EncodingKind::kNone);
}

TEST(Encodings, Version2HasZeroPointsOfItsType) {
  EncodingsFile file =
      Read(V200(R"({"name": "x", "output_dtype": "int16", "y_scale": 0.5, "y_zero_point": -7})"));
  EXPECT_EQ(file.version, "2.0.0");
  EXPECT_EQ(Only(file).dtype, Dtype::kSfixedPoint16);
  EXPECT_EQ(ZeroPoints(Only(file).encoding), std::vector<int32_t>{-7});
  file = Read(V200(R"({"name": "w", "output_dtype": "int4", "axis": 0,
      "block_size": 2, "per_channel_float_scale": [[0.5], [0.25]],
      "per_block_int_scale": [[1, 2], [3, 4]]})"));
  EXPECT_EQ(Only(file).encoding->kind, EncodingKind::kLpbq);
  EXPECT_EQ(Only(file).block_axis, 0);
  EXPECT_EQ(Only(file).encoding->bitwidth, 4);
  file = Read(V200(R"({"name": "w", "output_dtype": "int4", "axis": 1, "block_size": 2,
      "y_scale": {"x": [[1, 2], [3, 4]], "x_scale": [0.5, 0.25], "axis": 0, "input_dtype": "uint4"}})",
                   "2.1.0"));
  EXPECT_EQ(file.version, "2.1.0");
  EXPECT_EQ(Only(file).encoding->kind, EncodingKind::kLpbq);
  EXPECT_TRUE(Only(file).has_axis);
  EXPECT_EQ(Only(file).encoding->axis, 0);
  EXPECT_EQ(Only(file).block_axis, 1);
  EXPECT_TRUE(file.problems.empty());
}

TEST(Encodings, SignsOfOtherConventionsAreSaid) {
  const auto problem = [](std::string_view json) {
    const EncodingsFile file = Read(json);
    EXPECT_EQ(file.problems.size(), 1u);
    return file.problems.empty() ? EncodingsProblem() : file.problems[0];
  };
  EncodingsProblem p = problem(
      V100("activation_encodings",
           R"({"name": "x", "enc_type": "PER_TENSOR", "dtype": "INT", "bw": 8, "is_sym": false,
          "scale": [0.1], "offset": [128]})"));
  EXPECT_EQ(p.kind, EncodingsProblem::Kind::kOffsetSign);
  p = problem(
      V200(R"({"name": "x", "output_dtype": "uint8", "y_scale": 1, "y_zero_point": -128})"));
  EXPECT_EQ(p.kind, EncodingsProblem::Kind::kOffsetSign);
  p = problem(V200(R"({"name": "x", "output_dtype": "uint8", "y_scale": 1, "y_zero_point": 999})"));
  EXPECT_EQ(p.kind, EncodingsProblem::Kind::kInconsistent);
  p = problem(R"({"version": "0.6.1", "param_encodings": {}, "activation_encodings": {"x": [
      {"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "min": -1, "max": 5, "offset": -128,
       "scale": 0.01}]}})");
  EXPECT_EQ(p.kind, EncodingsProblem::Kind::kInconsistent);
}

TEST(Encodings, AStrictGridEndsAsFarAboveZeroAsBelow) {
  const auto problems = [](std::string_view maximum) {
    return Read(fmt::format(R"({{"version": "0.6.1", "activation_encodings": {{}}, "param_encodings":
        {{"w": [{{"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "min": -1.27, "max": {},
                  "offset": -127, "scale": 0.01}}]}}}})",
                            maximum))
        .problems;
  };
  EXPECT_TRUE(problems("1.27").empty());
  ASSERT_EQ(problems("1.28").size(), 1u);
  EXPECT_EQ(problems("1.28")[0].kind, EncodingsProblem::Kind::kInconsistent);
}

TEST(Encodings, VersionAndContentAreCompared) {
  const auto found = [](std::string_view json) {
    const EncodingsFile file = Read(json);
    return file.problems.empty() ? std::string() : file.problems[0].found;
  };
  EXPECT_EQ(found(R"({"version": "1.0.0", "activation_encodings": {}, "param_encodings": {}})"),
            "version \"1.0.0\"");
  EXPECT_EQ(found(R"({"version": "0.6.1", "activation_encodings": {}})"), "no \"param_encodings\"");
  EXPECT_EQ(found(R"({"version": "0.6.1", "activation_encodings": {}, "param_encodings": []})"),
            "one section is an object and one a list");
  EXPECT_EQ(found(R"({"activation_encodings": {}, "param_encodings": {}})"), "no \"version\"");
  EXPECT_EQ(found(V200(R"({"name": "x", "output_dtype": "uint8", "y_scale": 1, "bw": 8})")),
            "fields of version 1.0.0 and of 2.0.0 in one entry");
  EXPECT_EQ(found(R"({"version": "2.0.0.beta", "encodings": []})"), "");
}

TEST(Encodings, UnknownFieldsAreNamed) {
  const EncodingsFile file = Read(
      R"({"version": "2.0.0", "extra": {"a": [1]}, "encodings": [
          {"name": "x", "output_dtype": "uint8", "y_scale": 1, "colour": "red"}]})");
  ASSERT_EQ(file.notes.size(), 1u);
  EXPECT_EQ(file.notes[0], "fields that are not known and not used: \"colour\", \"extra\"");
}

// Each broken file: one line, with the place.
TEST(Encodings, BrokenFilesAreRefusedInOneLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "1:1: the text ends early"},
      {"[]", "1:1: must be an object"},
      {"{}",
       "not an encodings file: it has neither \"activation_encodings\" and "
       "\"param_encodings\" nor \"encodings\""},
      {R"({"encodings": {}})", "1:15: encodings: must be a list of encodings"},
      {R"({"encodings": [)", "1:16: an object or array is not closed"},
      {R"({"encodings": []} x)", "1:19: something follows the JSON value"},
      {R"({"encodings": [], "encodings": []})", "1:31: encodings: given twice"},
      {R"({"encodings": [{}]})", "1:16: encodings[0]: an entry needs a \"name\""},
      {"{\"encodings\": [\n {\"name\": \"x\"}]}", "2:2: encodings[0]: \"output_dtype\" is missing"},
      {V200(R"({"name": "x", "output_dtype": "uint8"})"),
       "1:36: encodings[0]: an integer encoding needs a scale"},
      {V200(R"({"name": "x", "output_dtype": "bfloat16"})"),
       "1:36: encodings[0]: no QNN datatype for \"bfloat16\""},
      {V200(R"({"name": "x", "output_dtype": "uint8", "y_scale": [[1], 2]})"),
       "1:92: encodings[0].y_scale[1]: the lists differ in depth"},
      {V200(R"({"name": "x", "output_dtype": "uint8", "y_scale": "one"})"),
       "1:86: encodings[0].y_scale: \"one\" is not a number"},
      {V100("param_encodings", R"({"name": "w", "enc_type": "PER_CHANEL", "bw": 8})"),
       "1:68: param_encodings[0].enc_type: unknown enc_type \"PER_CHANEL\" (did you mean "
       "PER_CHANNEL?)"},
      {V100("param_encodings", R"({"name": "w", "dtype": "INT", "scale": [1]})"),
       "1:42: param_encodings[0]: \"bw\" is missing"},
      {R"({"activation_encodings": {"m": {"input": {"0": {}}}}, "param_encodings": {}})",
       "1:32: activation_encodings.\"m\": holds encodings by module and port, which have no tensor "
       "names; use the encodings file of the ONNX export"},
      {R"({"activation_encodings": {"x": [{"scale": 1, "bitwidth": "eight"}]}})",
       "1:58: activation_encodings.\"x\"[0].bitwidth: \"eight\" is not an integer of 64 bits"},
  };
  for (const auto& [json, error] : cases) EXPECT_EQ(ErrorOf(json), error) << json;
}

// ---- on a model --------------------------------------------------------------------------

constexpr std::string_view kGemm = R"({"name": "m", "dialect": "onnx", "opset": 17, "inputs": ["x"],
  "outputs": ["y"], "tensors": [
   {"name": "x", "dtype": "FLOAT_32", "dims": [1, 4]},
   {"name": "w", "dtype": "FLOAT_32", "dims": [4, 4], "isStatic": true},
   {"name": "y", "dtype": "FLOAT_32", "dims": [1, 4]}],
  "nodes": [{"name": "fc", "op": "Gemm", "inputs": ["x", "w"], "outputs": ["y"],
             "params": {"transB": {"int": TRANS}}}]})";

Model Gemm(int trans_b) {
  std::string json(kGemm);
  json.replace(json.find("TRANS"), 5, std::to_string(trans_b));
  auto model = ReadModelJson(json, "m");
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

// A square weight says nothing of its channel axis; the operator does.
TEST(ApplyEncodings, TheOperatorGivesTheChannelAxis) {
  const EncodingsFile file =
      Read(V100("param_encodings",
                R"({"name": "w", "enc_type": "PER_CHANNEL", "dtype": "INT", "bw": 8, "is_sym": true,
          "scale": [1, 2, 3, 4], "offset": [-128, -128, -128, -128]})"));
  for (const int trans : {0, 1}) {
    Model model = Gemm(trans);
    EXPECT_TRUE(ApplyEncodings(file, model).empty());
    EXPECT_EQ(model.tensors[1].encoding->axis, trans == 0 ? 1 : 0);
    EXPECT_EQ(model.tensors[1].dtype, Dtype::kSfixedPoint8);
  }
}

// Factors end up channel by channel, whatever order the file has them in.
TEST(ApplyEncodings, FactorsAreOrderedByChannel) {
  const std::string nested = R"("per_block_int_scale": [[1, 2, 3, 4], [5, 6, 7, 8]])";
  Model model = Gemm(0);  // [in, out]
  auto findings =
      ApplyEncodings(Read(V200(R"({"name": "w", "output_dtype": "int4", "axis": 0, "block_size": 2,
                    "per_channel_float_scale": [[1, 1, 1, 1]], )" +
                               nested + "}")),
                     model);
  EXPECT_TRUE(findings.empty());
  const Encoding e = model.tensors[1].encoding;
  EXPECT_EQ(e.axis, 1);
  EXPECT_EQ(e.num_blocks, 2);
  EXPECT_EQ(e.block_scales, (std::vector<int32_t>{1, 5, 2, 6, 3, 7, 4, 8}));
  // 1.0.0 has them by channel already.
  model = Gemm(0);
  findings = ApplyEncodings(
      Read(V100("param_encodings",
                R"({"name": "w", "enc_type": "LPBQ", "dtype": "INT", "bw": 8, "compressed_bw": 4,
                    "is_sym": true, "block_size": 2, "scale": [1, 1, 1, 1],
                    "offset": [-128, -128, -128, -128],
                    "per_block_int_scale": [1, 5, 2, 6, 3, 7, 4, 8]})")),
      model);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(model.tensors[1].encoding, e);
}

TEST(ApplyEncodings, BlocksOfAMatrixFollowItsGrid) {
  Model model = Gemm(0);
  const auto findings = ApplyEncodings(
      Read(V100("param_encodings",
                R"({"name": "w", "enc_type": "PER_BLOCK", "dtype": "INT", "bw": 8, "is_sym": true,
                    "block_size": 2, "scale": [1, 5, 2, 6, 3, 7, 4, 8],
                    "offset": [-128, -128, -128, -128, -128, -128, -128, -128]})")),
      model);
  EXPECT_TRUE(findings.empty());
  const Encoding& e = model.tensors[1].encoding;
  EXPECT_EQ(e.block_size, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(std::vector<float>(e.scales.begin(), e.scales.end()),
            (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(ApplyEncodings, AnAnnotatedModelIsCheckedAsQuantized) {
  const EncodingsFile file = Read(R"({"version": "2.0.0", "encodings": [
      {"name": "x", "output_dtype": "uint8", "y_scale": 0.1, "y_zero_point": 128},
      {"name": "w", "output_dtype": "int8", "y_scale": 0.1},
      {"name": "y", "output_dtype": "uint8", "y_scale": 0.2, "y_zero_point": 3}]})");
  const auto target = Target::Parse({.backend = "htp", .sdk = "2.51", .soc = "", .arch = "v73"});
  const Validator validator(*target);
  const Report report = validator.Check(Gemm(1), file);
  EXPECT_EQ(report.route, "qairt");
  ASSERT_EQ(report.nodes.size(), 1u);
  EXPECT_EQ(report.nodes[0].verdict, Consequence::kAccepted)
      << (report.findings.empty() ? "" : report.findings[0].message);
  ASSERT_EQ(report.nodes[0].resolved.size(), 1u);
  EXPECT_EQ(report.nodes[0].resolved[0], "FullyConnected");
  // Without the output's encoding it can't run quantized.
  EncodingsFile part = file;
  part.entries.pop_back();
  const Report partial = validator.Check(Gemm(1), part);
  ASSERT_FALSE(partial.findings.empty());
  EXPECT_EQ(partial.findings[0].rule->code, "QG702");
  EXPECT_EQ(partial.findings[0].tensor, "y");
}

}  // namespace
}  // namespace quantgate
