// Mappings, routes, rules, recipes and op sets are checked when the database is compiled: each case
// changes one place of tests/fixtures/opdefs/documents.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/compile.h"
#include "core/database/compile/document/document_schema.h"
#include "quantgate/database.h"
#include "quantgate/rule.h"
#include "quantgate/validator.h"

namespace quantgate::opdefs {
namespace {

namespace fs = std::filesystem;

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Documents : public ::testing::Test {
 protected:
  Documents() {
    const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) /
            ("documents_test." + std::to_string(::getpid()) + "." + info->name());
    fs::remove_all(root_);
    fs::copy(kFolder, root_, fs::copy_options::recursive);
  }
  ~Documents() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  // The first line of the error without the folder, or "".
  std::string Error(const std::vector<std::string>& folders) const {
    const auto image = CompileOpdefs(folders);
    if (image.ok()) return "";
    std::string text(image.status().message());
    text = text.substr(0, text.find('\n'));
    const std::string prefix = folders.back() + "/";
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }
  void Write(const std::string& file, std::string_view text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << text;
  }
  // The error when one piece of a file's text is another.
  std::string Changed(const std::string& file, std::string_view from, std::string_view to) const {
    const std::string text = Read(root_ / file);
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << file << " lacks " << from;
    if (at == text.npos) return "";
    Write(file, std::string(text).replace(at, from.size(), to));
    std::string error = Error({root_.string()});
    Write(file, text);
    return error;
  }

  static constexpr const char* kFolder = QUANTGATE_SOURCE_DIR "/tests/fixtures/opdefs/documents";
  fs::path root_;
};

struct Case {
  std::string file, from, to, error;
};

class DocumentErrors : public Documents {
 protected:
  void ExpectAll(const std::vector<Case>& cases) const {
    for (const Case& c : cases) EXPECT_EQ(Changed(c.file, c.from, c.to), c.error) << c.to;
  }
};

TEST_F(Documents, TheFolderItselfIsRight) { EXPECT_EQ(Error({kFolder}), ""); }

TEST_F(DocumentErrors, MisspeltAndMisplacedKeys) {
  ExpectAll({
      {"routes/onnxruntime.yaml", "never_alone", "never_alon",
       "routes/onnxruntime.yaml:5:1: unknown key \"never_alon\" of a route (did you mean "
       "never_alone?)"},
      {"routes/onnxruntime.yaml", "unless_refused_by", "unless",
       "routes/onnxruntime.yaml:6:54: unknown key \"unless\" of `session_failure` (did you mean "
       "unless_refused_by?)"},
      {"routes/onnxruntime.yaml", "outcome: float", "becomes: float",
       "routes/onnxruntime.yaml:11:5: a row of `value_copies` has no `outcome`"},
      {"routes/onnxruntime.yaml", ", quantize_op: Convert}\nfixed", "}\nfixed",
       "routes/onnxruntime.yaml:11:63: `dequantize_op` of a row of `value_copies` stands beside "
       "`quantize_op` only"},
      {"resolve/onnx.yaml", "clamp:", "clamps:",
       "resolve/onnx.yaml:4:20: unknown key \"clamps\" of an operator (did you mean clamp?)"},
      {"resolve/onnx.yaml", "like: \"out[0]\"", "liek: \"out[0]\"",
       "resolve/onnx.yaml:15:61: unknown key \"liek\" of a port (did you mean like?)"},
      {"resolve/onnx.yaml", "unit: float", "unit: float\n    inputs: [0]",
       "resolve/onnx.yaml:10:5: `inputs` of an operator stands beside `to` only"},
      {"resolve/onnx.yaml", "boundary_ops", "borders",
       "resolve/onnx.yaml:2:1: unknown key \"borders\" of a mapping file"},
      {"rules/mask-range.yaml", "max_mask_addend", "weakest",
       "rules/mask-range.yaml:1:1: the rule mask-range has no `max_mask_addend`"},
      {"rules/mask-range.yaml", "required_sets", "requires_sets",
       "rules/mask-range.yaml:4:1: unknown key \"requires_sets\" of the rule mask-range (did you "
       "mean required_sets?)"},
      {"rules/mask-range.yaml",
       "since:", "rank:", "rules/mask-range.yaml:3:1: unknown key \"rank\" of the rule mask-range"},
      {"rules/reported-preparation.yaml", "message:", "mesage:",
       "rules/reported-preparation.yaml:5:5: a row of `patterns` has no `message`"},
      {"rules/judged.yaml", "validate:", "validated:",
       "rules/judged.yaml:3:61: unknown key \"validated\" of an answer (did you mean validate?)"},
      {"recipes/mllm.yaml",
       "unit_axes:", "ones:", "recipes/mllm.yaml:10:71: unknown key \"ones\" of a layer"},
      {"recipes/mllm.yaml", "  onnx:", "  onx:",
       "recipes/mllm.yaml:10:3: unknown key \"onx\" of `layers` (did you mean onnx?)"},
      {"op_sets.yaml", "ops: [Convert]", "op: [Convert]", "op_sets.yaml:2:16: a set has no `ops`"},
  });
}

TEST_F(DocumentErrors, Releases) {
  ExpectAll({
      {"routes/onnxruntime.yaml", "before: \"1.1\"", "before: \"1.2\"",
       "routes/onnxruntime.yaml:31:46: no release of the route is named \"1.2\" (did you mean 1.0 or 1.1?)"},
      {"routes/onnxruntime.yaml", "from: \"1.0\"", "from: \"0.9\"",
       "routes/onnxruntime.yaml:31:31: no release of the route is named \"0.9\""},
      {"routes/onnxruntime.yaml", "{name: \"1.0\", sdk: \"1.0\"}", "{name: \"1.0\", sdk: \"1.5\"}",
       "routes/onnxruntime.yaml:29:24: is older than the SDK of the release before it"},
      {"routes/onnxruntime.yaml", "client: Tool\n", "",
       "routes/onnxruntime.yaml:26:1: `releases` of a route stands beside `client` only"},
  });
}

TEST_F(DocumentErrors, UnknownNames) {
  ExpectAll({
      {"routes/onnxruntime.yaml", "[Convert]", "[Convrt]",
       "routes/onnxruntime.yaml:5:15: unknown op \"Convrt\" (did you mean Convert or Conv2d?)"},
      {"routes/onnxruntime.yaml", "FLOAT_16", "FLOAT16",
       "routes/onnxruntime.yaml:4:14: unknown dtype \"FLOAT16\" (did you mean FLOAT_16 or "
       "FLOAT_64?)"},
      {"routes/onnxruntime.yaml", "quant-axis", "quant-axes",
       "routes/onnxruntime.yaml:6:74: unknown rule \"quant-axes\" (did you mean quant-axis?)"},
      {"routes/onnxruntime.yaml", "archs: [v68]", "archs: [v86]",
       "routes/onnxruntime.yaml:8:79: unknown arch \"v86\" (did you mean v68?)"},
      {"routes/onnxruntime.yaml", "{operation: 8}", "{operatoin: 8}",
       "routes/onnxruntime.yaml:13:38: unknown param \"operatoin\" of ElementWiseNeuron (did you "
       "mean operation?)"},
      {"routes/onnxruntime.yaml", "encoding: per-channel", "encoding: per_channel",
       "routes/onnxruntime.yaml:18:36: `encoding` must be per-tensor | per-channel | block | LPBQ, "
       "not \"per_channel\" (did you mean per-channel?)"},
      {"routes/onnxruntime.yaml", "route: onnxruntime", "route: executorch",
       "routes/onnxruntime.yaml:1:8: `route` must be the file's name, onnxruntime, not "
       "\"executorch\""},
      {"resolve/onnx.yaml", "Relu: {to: Relu", "Relu: {to: Rleu",
       "resolve/onnx.yaml:4:14: unknown op \"Rleu\" (did you mean Relu?)"},
      {"resolve/onnx.yaml", "'TANH'", "'TANHH'",
       "resolve/onnx.yaml:16:105: unknown value \"TANHH\" of ElementWiseNeuron operation (did you "
       "mean TANH?)"},
      {"resolve/onnx.yaml", "\"group?\"", "\"groups?\"",
       "resolve/onnx.yaml:18:79: unknown param \"groups\" of Conv2d (did you mean group?)"},
      {"resolve/onnx.yaml", "unit: float", "unit: flota",
       "resolve/onnx.yaml:9:11: `unit` must be float | same_input_dtypes | float_output | "
       "value_movement | stored_bias | single_input, not \"flota\" (did you mean float?)"},
      {"resolve/onnx.yaml", "like: \"out[0]\"", "like: \"out0\"",
       "resolve/onnx.yaml:15:67: no port like \"in[0]\" or \"out[0]\": \"out0\""},
      {"rules/mask-range.yaml", "[softmaxes]\nadds", "[softmax]\nadds",
       "rules/mask-range.yaml:7:13: unknown op set \"softmax\" (did you mean softmaxes?)"},
      {"rules/mask-range.yaml", "[asymmetric-encoding]", "[asymetric-encoding]",
       "rules/mask-range.yaml:5:15: unknown rule \"asymetric-encoding\" (did you mean "
       "asymmetric-encoding or symmetric-encoding?)"},
      {"rules/mask-range.yaml", "[htp]", "[htq]",
       "rules/mask-range.yaml:1:12: unknown backend \"htq\" (did you mean htp?)"},
      {"recipes/mllm.yaml", "form: conv", "form: cnov",
       "recipes/mllm.yaml:10:23: unknown form \"cnov\" (did you mean conv?)"},
      {"recipes/mllm.yaml", "[1, tokens, in]", "[1, token, in]",
       "recipes/mllm.yaml:4:56: an entry of `activation` must be 1 | tokens | in | out, not "
       "\"token\" (did you mean tokens?)"},
      {"op_sets.yaml", "values: [RELU]", "values: [RELU6]",
       "op_sets.yaml:3:101: unknown value \"RELU6\" of ElementWiseNeuron operation (did you mean "
       "RELU?)"},
      {"op_sets.yaml", "param: operation", "param: operations",
       "op_sets.yaml:3:81: unknown param \"operations\" of ElementWiseNeuron (did you mean "
       "operation?)"},
  });
}

TEST_F(DocumentErrors, WrongTypes) {
  ExpectAll({
      {"routes/onnxruntime.yaml", "cpu_fallback: true", "cpu_fallback: yes",
       "routes/onnxruntime.yaml:3:15: `cpu_fallback` must be true or false"},
      {"routes/onnxruntime.yaml", "scale: 0.5", "scale: half",
       "routes/onnxruntime.yaml:13:83: `scale` must be a number"},
      {"routes/onnxruntime.yaml", "min_uses: 2", "min_uses: 0",
       "routes/onnxruntime.yaml:10:78: `min_uses` must be a whole number from 1 to 255"},
      {"routes/onnxruntime.yaml", "never_alone: [Convert]", "never_alone: Convert",
       "routes/onnxruntime.yaml:5:14: `never_alone` must be a list"},
      {"routes/onnxruntime.yaml", "reason: no session", "reason: 3",
       "routes/onnxruntime.yaml:6:27: `reason` must be text"},
      {"resolve/onnx.yaml", "{role: identity}", "[identity]",
       "resolve/onnx.yaml:5:13: \"Identity\" of `ops` must be a name"},
      {"resolve/onnx.yaml", "inputs: [0, ", "inputs: [-1, ",
       "resolve/onnx.yaml:12:55: an entry of `inputs` must be a whole number from 0 to 255"},
      {"resolve/onnx.yaml", "layout: [1, 0]", "layout: chanels_last",
       "resolve/onnx.yaml:12:76: `layout` must be channels_last, not \"chanels_last\" (did you "
       "mean "
       "channels_last?)"},
      {"rules/mask-range.yaml", "since: \"2.25\"", "since: 2.25",
       "rules/mask-range.yaml:3:8: an SDK version must be quoted text like \"2.25\""},
      {"rules/mask-range.yaml", "max_mask_addend: -20", "max_mask_addend: low",
       "rules/mask-range.yaml:9:18: `max_mask_addend` must be a number"},
      {"rules/reported-preparation.yaml", "rank: 3", "rank: three",
       "rules/reported-preparation.yaml:5:26: `rank` must be a whole number"},
      {"recipes/mllm.yaml", "groups: [16, 32]", "groups: [16, 0]",
       "recipes/mllm.yaml:4:35: an entry of `groups` must be a whole number from 1 to 2147483647"},
  });
  Write("op_sets.yaml", "- Convert\n");
  EXPECT_EQ(Error({root_.string()}), "op_sets.yaml:1:1: op_sets.yaml must be a map");
  Write("op_sets.yaml", "");  // nothing in it has a place
  EXPECT_EQ(Error({root_.string()}), "op_sets.yaml: op_sets.yaml must be a map");
}

TEST_F(DocumentErrors, Expressions) {
  ExpectAll({
      {"resolve/onnx.yaml", "inputs() == 2", "inptus() == 2",
       "resolve/onnx.yaml:12:16: expression \"inptus() == 2\": unknown function inptus (did you "
       "mean inputs?) at character 1"},
      {"resolve/onnx.yaml", "norm(axis, rank(in[0]))", "norm(axis)",
       "resolve/onnx.yaml:13:15: expression \"norm(axis) == 3\": wrong number of arguments for "
       "norm at character 1"},
      {"resolve/onnx.yaml", "\"dims(in[0])\"", "\"dims(in[0)\"",
       "resolve/onnx.yaml:7:27: expression \"dims(in[0)\": expected ']' at character 10"},
      {"resolve/onnx.yaml", "\"dims(in[0])\"", "\"dims(in0..m)\"",
       "resolve/onnx.yaml:7:27: expression \"dims(in0..m)\": unexpected text at character 6"},
      {"resolve/onnx.yaml", "\"dims(in[0])\"", "\"dims(param:in)\"",
       "resolve/onnx.yaml:7:27: expression \"dims(param:in)\": an attribute is written without "
       "param: at character 12"},
      {"resolve/onnx.yaml", "clamp: {min: 0}", "clamp: {min: {a: 0}}",
       "resolve/onnx.yaml:4:33: `min` must be an expression"},
      {"resolve/onnx.yaml", "stride: [1, 1]", "stride: [1, \"2 +\"]",
       "resolve/onnx.yaml:18:108: expression \"2 +\": expected a value at character 4"},
  });
}

TEST_F(DocumentErrors, WhatBelongsTogether) {
  ExpectAll({
      {"resolve/onnx.yaml", "Relu: {to: Relu", "Relu: {refused: why, to: Relu",
       "resolve/onnx.yaml:4:10: an operator has `to` or `refused`, not both"},
      {"resolve/onnx.yaml", "{role: identity}", "{unit: float}",
       "resolve/onnx.yaml:5:13: an operator has none of `to`, `steps`, `cases`, `refused`, "
       "`unchecked`"},
      {"resolve/onnx.yaml", "{from: 1, layout", "{layout",
       "resolve/onnx.yaml:12:58: a port has none of `from`, `all_from`, `temp`, `const`, "
       "`fused_addend`"},
      {"resolve/onnx.yaml", "[{temp: first, dtype", "[{temp: frist, dtype",
       "resolve/onnx.yaml:16:53: no step before writes \"frist\" (did you mean first?)"},
      {"resolve/onnx.yaml", "when: \"inputs() == 2\", ", "",
       "resolve/onnx.yaml:13:9: is never chosen: the case before has no `when`"},
      {"resolve/onnx.yaml", "dialect: onnx", "dialect: aten",
       "resolve/onnx.yaml:1:10: `dialect` must be the file's name, onnx, not \"aten\""},
  });
}

TEST_F(DocumentErrors, NamesOfAFileAreShownPrintable) {
  ExpectAll({{"recipes/mllm.yaml", "  conv: {op", "  \"co\\x01nv\": {op",
              "recipes/mllm.yaml:10:23: unknown form \"conv\" (did you mean co?nv?)"}});
}

TEST_F(Documents, OnlyFilesThatAreReadHaveAPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"rules/mask-rang.yaml",
       "rules/mask-rang.yaml: no file of rules/ has the name \"mask-rang\" (did you mean "
       "mask-range?)"},
      {"resolve/onx.yaml",
       "resolve/onx.yaml: no file of resolve/ has the name \"onx\" (did you mean onnx?)"},
      {"routes/On ward.yaml", "routes/On ward.yaml: no file of routes/ has the name \"On ward\""},
      {"recipes/mlm.yaml",
       "recipes/mlm.yaml: no file of recipes/ has the name \"mlm\" (did you mean mllm?)"}};
  for (const auto& [file, error] : cases) {
    Write(file, "a: 1\n");
    EXPECT_EQ(Error({root_.string()}), error);
    fs::remove(root_ / file);
  }
}

// What an overlay names may stand in the database below.
TEST_F(Documents, OverlaysAreCheckedTheSameWay) {
  const fs::path overlay = root_ / "overlay";
  fs::create_directories(overlay / "rules");
  const std::string rule = Read(root_ / "rules/mask-range.yaml");
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = rule;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(overlay / "rules/mask-range.yaml", std::ios::binary) << text;
    return Error({kFolder, overlay.string()});
  };
  EXPECT_EQ(with("-20", "-30"), "");
  EXPECT_EQ(with("coarse_score_step", "coarsest_step"),
            "rules/mask-range.yaml:1:1: the rule mask-range has no `coarse_score_step`");
  EXPECT_EQ(with("adds: [relus]", "adds: [relu]"),
            "rules/mask-range.yaml:8:8: unknown op set \"relu\" (did you mean relus?)");
}

TEST(DocumentSchema, AllTablesAreWellFormed) {
  EXPECT_EQ(ShapeOfDocument("resolve/coreml"), nullptr);
  EXPECT_EQ(ShapeOfDocument("htp"), nullptr);
  EXPECT_EQ(Choices("a|bc|d"), (std::vector<std::string_view>{"a", "bc", "d"}));
  EXPECT_TRUE(Choices("").empty());
  for (const Rule* rule : AllRules()) EXPECT_NE(RuleShape(rule->slug), nullptr) << rule->slug;
}

}  // namespace
}  // namespace quantgate::opdefs
