#include "quantgate/validator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/database/kinds.h"
#include "core/rules/rule_entry.h"
#include "quantgate/database.h"
#include "tests/unit/support/one_node.h"
#include "tests/unit/support/onnx_model.h"

namespace quantgate {
namespace {

using ::testing::HasSubstr;

Validator MakeValidator(ValidatorOptions options = {}) {
  return Validator(*Target::Parse({.backend = "htp", .sdk = "2.51", .soc = "", .arch = "v73"}),
                   options);
}

Tensor Activation(std::string name, float scale, int32_t zero_point) {
  Tensor tensor = PerTensor(Dtype::kUfixedPoint8, {1, 8, 8, 4}, scale, zero_point);
  tensor.name = std::move(name);
  return tensor;
}

// One op with one input and one output.
Model Unary(std::string op, float out_scale = 0.02F) {
  return OneNode(std::move(op), {Activation("x", 0.02F, 128), Activation("y", out_scale, 128)});
}

TEST(Validator, ACopyThatIsOffByAStepAtMostIsNotWrong) {
  // 127 steps of 0.0202 are 128.27 of 0.02, rounded one more; 127 of 0.021 are 133.
  EXPECT_EQ(MakeValidator().Check(Unary("Reshape", 0.0202F)).verdict, Consequence::kUndocumented);
  EXPECT_EQ(MakeValidator().Check(Unary("Reshape", 0.021F)).verdict, Consequence::kWrongValues);
}

TEST(Validator, ATruthValueMayHaveAnyScaleThatRoundsItToOne) {
  for (const float scale : {0.7F, 1.0F, 1.01F, 2.0F}) {
    Model model = Unary("ElementWiseNot", scale);
    model.tensors[1].encoding.Edit().zero_points = {0};
    EXPECT_EQ(MakeValidator().Check(model).verdict, Consequence::kAccepted) << scale;
    model.tensors[1].encoding.Edit().zero_points = {1};
    EXPECT_EQ(MakeValidator().Check(model).verdict, Consequence::kWrongValues) << scale;
  }
  for (const float scale : {0.5F, 2.1F}) {
    Model model = Unary("ElementWiseNot", scale);
    model.tensors[1].encoding.Edit().zero_points = {0};
    EXPECT_EQ(MakeValidator().Check(model).verdict, Consequence::kWrongValues) << scale;
  }
}

TEST(Validator, AnEncodingHasAsManyEntriesAsItsFormAsksFor) {
  const auto make = [](EncodingKind kind, size_t scales, size_t zero_points) {
    Encoding e;
    e.kind = kind;
    e.axis = 3;
    e.scales.assign(scales, 0.02F);
    e.zero_points.assign(zero_points, 0);
    return e;
  };
  const auto per_channel = [&](int32_t axis, size_t scales, size_t zero_points) {
    Encoding e = make(EncodingKind::kPerChannel, scales, zero_points);
    e.axis = axis;
    return e;
  };
  const auto lpbq = [&](int32_t blocks, size_t block_scales) {
    Encoding e = make(EncodingKind::kLpbq, 1, 1);
    e.num_blocks = blocks;
    e.block_scales.assign(block_scales, 3);
    e.block_scale_bitwidth = 4;
    e.block_scale_storage_bits = 8;
    return e;
  };
  const auto block = [&](std::vector<int64_t> sizes, size_t scales) {
    Encoding e = make(EncodingKind::kBlock, scales, 1);
    e.block_size.assign(sizes.begin(), sizes.end());
    return e;
  };
  struct Case {
    Encoding encoding;  // of a tensor of [1, 8, 8, 4]
    const char* found;  // empty: nothing is said of its entries
  };
  const Case cases[] = {
      {make(EncodingKind::kPerTensor, 1, 0), ""},
      {make(EncodingKind::kPerTensor, 1, 1), ""},
      {make(EncodingKind::kPerTensor, 0, 0), "no scale"},
      {make(EncodingKind::kPerTensor, 2, 1), "2 scales for 1 tensor"},
      {make(EncodingKind::kPerTensor, 1, 2), "2 zero points for 1 tensor"},
      {per_channel(3, 1, 0), ""},
      {per_channel(3, 4, 4), ""},
      {per_channel(-1, 4, 4), ""},
      {per_channel(-4, 1, 1), ""},
      {per_channel(3, 3, 1), "3 scales for 4 channels"},
      {per_channel(3, 4, 3), "3 zero points for 4 channels"},
      {per_channel(4, 1, 1), "axis 4 of [1, 8, 8, 4]"},
      {per_channel(-5, 1, 1), "axis -5 of [1, 8, 8, 4]"},
      {lpbq(2, 1), ""},
      {lpbq(2, 8), ""},
      {lpbq(1, 4), ""},
      {lpbq(2, 4), "4 block scales for 4 channels × 2 blocks"},
      {lpbq(0, 1), "0 blocks"},
      {block({1, 2, 4, 4}, 1), ""},
      {block({1, 2, 4, 4}, 8), ""},
      {block({1, 2, 4, 4}, 4), "4 scales for 8 blocks"},
      {block({2, 4, 4}, 1), "a block size of 3 dimensions for [1, 8, 8, 4]"},
      {block({1, 3, 4, 4}, 1), "blocks of 3 along dimension 1 of [1, 8, 8, 4]"},
      {block({0, 2, 4, 4}, 1), "blocks of 0 along dimension 0 of [1, 8, 8, 4]"},
      {block({1, 2, 4, 8}, 1), "blocks of 8 along dimension 3 of [1, 8, 8, 4]"},
  };
  for (const Case& c : cases) {
    Model model = Unary("Relu");
    model.tensors[0].encoding = c.encoding;
    std::string found;
    for (const Finding& f : MakeValidator().Check(model).findings) {
      if (f.rule->slug == "encoding-shape") found = f.found;
    }
    EXPECT_EQ(found, c.found) << c.found;
  }
}

TEST(Validator, BlocksOfAnUnknownDimensionAreNotCounted) {
  Model model = Unary("Relu");
  model.tensors[0].dims[1] = kDynamicDim;
  model.tensors[0].encoding.Edit().kind = EncodingKind::kBlock;
  model.tensors[0].encoding.Edit().block_size = {1, 3, 4, 4};
  model.tensors[0].encoding.Edit().scales.assign(7, 0.02F);
  for (const Finding& f : MakeValidator().Check(model).findings) {
    EXPECT_NE(f.rule->slug, "encoding-shape") << f.message;
  }
}

TEST(Validator, AcceptsANodeThatKeepsTheRules) {
  const Report report = MakeValidator().Check(Unary("Relu"));
  EXPECT_EQ(report.verdict, Consequence::kAccepted);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_FALSE(report.failed);
  EXPECT_EQ(report.counts[static_cast<size_t>(Consequence::kAccepted)], 1);
  EXPECT_EQ(report.route, "direct");
}

TEST(Validator, SaysThatAModelIsNoGraph) {
  struct Case {
    const char* what;
    void (*breaks)(Model&);
  };
  const Case cases[] = {
      {"tensor id 7 of 2", [](Model& m) { m.nodes[0].inputs[0] = 7; }},
      {"tensor id -2 of 2", [](Model& m) { m.nodes[0].outputs[0] = -2; }},
      {"has two producers", [](Model& m) { m.nodes.push_back(m.nodes[0]); }},
      {"graph end", [](Model& m) { m.outputs = {9}; }},
  };
  for (const Case& c : cases) {
    Model model = Unary("Relu");
    c.breaks(model);
    const Report report = MakeValidator().Check(model);
    ASSERT_EQ(report.findings.size(), 1U) << c.what;
    EXPECT_EQ(report.findings[0].rule->slug, "malformed-model");
    EXPECT_THAT(report.findings[0].message, HasSubstr(c.what));
    EXPECT_TRUE(report.failed);
    for (const NodeReport& node : report.nodes) EXPECT_EQ(node.verdict, Consequence::kUnchecked);
  }
}

TEST(Validator, ModesAndLinesDecideLevelsAndExit) {
  const Model wrong = Unary("Reshape", 0.05F);  // raw copy: wrong_values
  struct Case {
    ValidatorOptions options;
    Level level;
    int exit;
  };
  const Case cases[] = {
      {{Mode::kStrict, Consequence::kWrongValues, ""}, Level::kError, 1},
      {{Mode::kWarn, Consequence::kWrongValues, ""}, Level::kWarning, 0},
      {{Mode::kStrict, Consequence::kRejected, ""}, Level::kWarning, 0},
      {{Mode::kStrict, Consequence::kAdvice, ""}, Level::kError, 1},
      {{Mode::kStrict, Consequence::kUnchecked, ""}, Level::kError, 1},
  };
  for (const Case& c : cases) {
    const Report report = MakeValidator(c.options).Check(wrong);
    ASSERT_EQ(report.findings.size(), 1U);
    EXPECT_EQ(report.findings[0].consequence, Consequence::kWrongValues);
    EXPECT_EQ(report.findings[0].level, c.level);
    EXPECT_EQ(report.ExitCode(), c.exit);
  }
}

TEST(Validator, FindsScalesThatAreNoNumbers) {
  for (const float scale : {0.0F, -0.5F, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
    const Report report = MakeValidator().Check(Unary("Relu", scale));
    ASSERT_FALSE(report.findings.empty()) << scale;
    EXPECT_EQ(report.findings[0].rule->slug, "bad-scale") << scale;
    EXPECT_TRUE(report.failed) << scale;
  }
}

TEST(Validator, UncheckedFailsWhereItIsAllOrAskedFor) {
  Model unknown = Unary("Relu");
  unknown.nodes[0].unchecked_reason = "it is of the op package \"own\"";
  EXPECT_EQ(MakeValidator().Check(unknown).ExitCode(), 1);
  EXPECT_EQ(MakeValidator({.mode = Mode::kWarn}).Check(unknown).ExitCode(), 0);
  // Beside a node that could be checked it fails only where that is asked for.
  unknown.tensors.push_back(Activation("z", 0.02F, 128));
  Node known = unknown.nodes[0];
  known.name = "known";
  known.unchecked_reason = {};
  known.outputs = {2};
  unknown.nodes.push_back(known);
  EXPECT_EQ(MakeValidator().Check(unknown).ExitCode(), 0);
  const Report report =
      MakeValidator({Mode::kStrict, Consequence::kUnchecked, ""}).Check(unknown);
  EXPECT_EQ(report.ExitCode(), 1);
  EXPECT_FALSE(report.nodes[0].reason.empty());
}

TEST(Validator, ReportsEveryNodeInOrder) {
  Model model = Unary("Relu");
  model.tensors.push_back(Activation("z", 0.02F, 128));
  Node second = model.nodes[0];
  second.name = "second";
  second.op = "Softmax";
  second.inputs = {1};
  second.outputs = {2};
  model.nodes.push_back(second);
  const Report report = MakeValidator().Check(model);
  ASSERT_EQ(report.nodes.size(), 2U);
  EXPECT_EQ(report.nodes[1].name, "second");
  ASSERT_EQ(report.nodes[1].resolved.size(), 1U);
  EXPECT_EQ(report.nodes[1].verdict, Consequence::kWrongValues);  // zero point of an 8-bit Softmax
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].node_index, 1);
  EXPECT_EQ(report.findings[0].node, "second");
}

// Every kind but a note names a rule that can check it, and no rule checks what no kind names.
TEST(Rules, KindsNameTheRuleThatChecksThem) {
  std::set<const rules::RuleEntry*> named;
  for (const opdb::KindRow& kind : opdb::Kinds()) {
    const rules::RuleEntry* entry = rules::EntryOf(kind.kind);
    EXPECT_EQ(entry == nullptr, kind.kind == opdb::Kind::kNote) << kind.name;
    if (entry == nullptr) continue;
    EXPECT_EQ(entry->rule.code, kind.rule_code()) << kind.name;
    EXPECT_TRUE(entry->holds != nullptr && entry->explain != nullptr) << kind.name;
    named.insert(entry);
  }
  for (const rules::RuleEntry* entry : rules::AllEntries()) {
    EXPECT_EQ(entry->holds != nullptr, named.contains(entry)) << entry->rule.slug;
  }
}

TEST(Rules, AreFoundByCodeAndSlugInOrder) {
  std::string_view last;
  for (const Rule* rule : AllRules()) {
    EXPECT_LT(last, rule->code);
    last = rule->code;
    EXPECT_EQ(FindRule(rule->code), rule);
    EXPECT_EQ(FindRule(rule->slug), rule);
  }
  EXPECT_NE(FindRule("qg301"), nullptr);
  EXPECT_EQ(FindRule("QG999"), nullptr);
}

// Rows of the documented backends are lists per port.
TEST(Validator, TellsStatedCombinationsFromUnstatedOnes) {
  struct Case {
    const char* backend;
    Dtype in, out;
    Consequence verdict;
    const char* code;
  };
  const Case cases[] = {
      {"lpai", Dtype::kUfixedPoint8, Dtype::kUfixedPoint8, Consequence::kAccepted, ""},
      {"lpai", Dtype::kUfixedPoint8, Dtype::kUfixedPoint16, Consequence::kUndocumented, "QG204"},
      {"lpai", Dtype::kFloat32, Dtype::kFloat32, Consequence::kRejected, "QG201"},
      {"cpu", Dtype::kFloat32, Dtype::kFloat32, Consequence::kAccepted, ""},
      {"cpu", Dtype::kFloat32, Dtype::kUfixedPoint8, Consequence::kUndocumented, "QG204"},
      {"htp", Dtype::kUfixedPoint8, Dtype::kUfixedPoint16, Consequence::kRejected, "QG201"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.backend) + " " + std::string(DtypeName(c.in)) + " to " +
                 std::string(DtypeName(c.out)));
    Model model = Unary("Relu");
    model.tensors[0].dtype = c.in;
    model.tensors[1].dtype = c.out;
    for (Tensor& tensor : model.tensors) {
      if (IsFloat(tensor.dtype)) tensor.encoding = {};
    }
    const Validator validator(*Target::Parse({.backend = c.backend, .sdk = "2.25"}));
    const Report report = validator.Check(model);
    EXPECT_EQ(report.verdict, c.verdict);
    if (*c.code == 0) {
      EXPECT_TRUE(report.findings.empty());
    } else {
      ASSERT_FALSE(report.findings.empty());
      EXPECT_EQ(report.findings[0].rule->code, c.code);
      EXPECT_EQ(report.findings[0].sources->at(0).substr(0, 5), "docs-");
    }
  }
}

// HTP below 2.25: lists per port, and what the revision history dates.
TEST(Validator, TakesTheKnowledgeAtOrBelowTheSdk) {
  struct Case {
    const char* sdk;
    const char* op;
    Dtype in, out;
    const char* knowledge;
    Consequence verdict;
  };
  constexpr Dtype kU8 = Dtype::kUfixedPoint8, kU16 = Dtype::kUfixedPoint16;
  const Case cases[] = {
      {"2.13", "Relu", kU8, kU8, "2.13", Consequence::kAccepted},
      {"2.13", "Relu", kU8, kU16, "2.13", Consequence::kUndocumented},
      {"2.24", "Relu", kU8, kU16, "2.24", Consequence::kUndocumented},
      {"2.25", "Relu", kU8, kU16, "2.25", Consequence::kRejected},
      {"2.30", "Relu", kU8, kU8, "2.25", Consequence::kAccepted},
      {"9.9", "Relu", kU8, kU8, "2.51", Consequence::kAccepted},
      // Came with 2.23; its list then has it.
      {"2.22", "Relu", Dtype::kSfixedPoint16, Dtype::kSfixedPoint16, "2.22",
       Consequence::kRejected},
      {"2.23", "Relu", Dtype::kSfixedPoint16, Dtype::kSfixedPoint16, "2.23",
       Consequence::kAccepted},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.sdk) + " " + std::string(DtypeName(c.in)) + " to " +
                 std::string(DtypeName(c.out)));
    Model model = Unary(c.op);
    model.tensors[0].dtype = c.in;
    model.tensors[1].dtype = c.out;
    const Validator validator(*Target::Parse({.sdk = c.sdk, .arch = "v73"}));
    const Report report = validator.Check(model);
    EXPECT_EQ(report.knowledge_sdk, c.knowledge);
    EXPECT_EQ(report.verdict, c.verdict);
    // Where the facts are those of another version, the report says so in words too.
    const bool other = report.sdk != report.knowledge_sdk;
    EXPECT_EQ(!report.notes.empty(), other);
    if (other) {
      EXPECT_NE(report.notes[0].find(c.knowledge), std::string::npos);
    }
  }
  EXPECT_FALSE(Target::Parse({.sdk = "2.7"}).ok());
}

// A limit that is recognised by another element of the same param.
TEST(Validator, ComparesElementsOfAParam) {
  const Validator validator(*Target::Parse({.backend = "gpu", .sdk = "2.25"}));
  for (const int64_t width : {2, 4}) {
    Model model = Unary("SpaceToDepth");
    for (Tensor& tensor : model.tensors) {
      tensor.dtype = Dtype::kFloat32;
      tensor.encoding = {};
    }
    model.tensors[1].dims = {1, 4, 8 / width, 8 * width};
    TensorParam block;
    block.dtype = Dtype::kUint32;
    block.dims = {2};
    block.ints = {2, width};
    model.nodes[0].params.push_back({"block_size", block});
    const Report report = validator.Check(model);
    EXPECT_EQ(report.verdict, width == 2 ? Consequence::kAccepted : Consequence::kRejected);
    if (width != 2) {
      ASSERT_EQ(report.findings.size(), 1u);
      EXPECT_EQ(report.findings[0].rule->code, "QG504");
      EXPECT_EQ(report.findings[0].constraint, "gpu/SpaceToDepth/block_size/square-block");
    }
  }
}

// Between the ends of an ONNX file and the quantized tensors stand Q and DQ, with names of their
// own.
TEST(Validator, CachesArePairedByTheNamesOfTheFile) {
  for (const double scale : {0.02, 0.03}) {
    testing_onnx::OnnxModel m;
    const TensorId past = m.Quantized("past_key_values.0.key", {1, 2, 7, 4});
    const TensorId token = m.Quantized("key", {1, 2, 1, 4});
    const TensorId out =
        m.Unit("cat", "Concat", {past, token}, {1, 2, 8, 4}, {{"axis", IntParam{2}}}, scale);
    m.model.tensors[static_cast<size_t>(out)].name = "present.0.key";
    const Report report = MakeValidator().Check(m.model);
    const bool found = std::any_of(report.findings.begin(), report.findings.end(), [](auto& f) {
      return f.rule->slug == "kv-cache-encoding" &&
             f.message.find("past_key_values.0.key") != std::string::npos &&
             f.message.find("present.0.key") != std::string::npos;
    });
    EXPECT_EQ(found, scale != 0.02);
  }
}

// Whatever the order of the file: here the op stands before the nodes that quantize its input.
TEST(Validator, WhatAnOpTakesInNamesTheOp) {
  testing_onnx::OnnxModel m;
  m.Unit("r", "Reshape", {m.Quantized("x", {1, 8}, 0.02), m.Constant("s", {8})}, {8}, {}, 0.03);
  std::swap(m.model.nodes[0], m.model.nodes[m.NodeIndex("r")]);
  const Report report = MakeValidator({.route = "direct"}).Check(m.model);
  ASSERT_EQ(report.nodes.size(), 5U);
  EXPECT_EQ(report.nodes[0].name, "r");
  EXPECT_EQ(report.nodes[0].into, "");
  EXPECT_EQ(report.nodes[0].verdict, Consequence::kWrongValues);
  std::map<std::string, std::string> into;
  for (const NodeReport& node : report.nodes) into[node.name] = node.into;
  EXPECT_EQ(into, (std::map<std::string, std::string>{
                      {"r", ""}, {"x.q", "x.dq"}, {"x.dq", "r"}, {"r.y.q", "r"}, {"r.y.dq", ""}}));
}

// A layer and the activation that is folded into it; the layer is the first node of the file.
TEST(Validator, WhatBecamePartOfAnOpSharesItsVerdict) {
  struct Case {
    Dtype weight;
    bool known;
    Consequence verdict;
  };
  for (const auto& [weight, known, verdict] : {Case{Dtype::kInt8, true, Consequence::kAccepted},
                                               {Dtype::kUint32, true, Consequence::kRejected},
                                               {Dtype::kInt8, false, Consequence::kUnchecked}}) {
    testing_onnx::OnnxModel m;
    const TensorId y =
        m.Op("layer", "Conv", {m.Quantized("x", {1, 8, 6, 4}), m.Weight("w", {8, 8, 1, 1}, weight)},
             {1, 8, 6, 4}, {});
    m.End(m.Requantize("z", m.Op("activation", "Relu", {y}, {1, 8, 6, 4}, {}), 0.02, 0));
    for (Tensor& t : m.model.tensors) {
      if (!known && t.name.view().starts_with("w")) {
        t.dims.clear();
        t.unknown_rank = true;
      }
    }
    std::swap(m.model.nodes[0], m.model.nodes[m.NodeIndex("layer")]);
    const Report report = MakeValidator({.route = "direct"}).Check(m.model);
    const NodeReport& layer = report.nodes[0];
    const NodeReport& activation = report.nodes[m.NodeIndex("activation")];
    EXPECT_EQ(layer.verdict, verdict) << DtypeName(weight);
    EXPECT_EQ(activation.verdict, verdict) << DtypeName(weight);
    EXPECT_EQ(activation.into, "layer") << DtypeName(weight);
    EXPECT_EQ(activation.reason, layer.reason);
    EXPECT_EQ(activation.reason.empty(), verdict != Consequence::kUnchecked);
  }
}

TEST(Validator, AFloatIslandCountsWhatTheRouteRefuses) {
  testing_onnx::OnnxModel m;
  TensorId y = m.Quantized("x", {1, 8, 6, 4});
  y = m.Op("product", "ReduceProd", {y}, {1, 1, 1, 1}, {{"keepdims", IntParam{1}}});
  y = m.Op("abs", "Abs", {y}, {1, 1, 1, 1}, {});
  y = m.Op("sin", "Sin", {y}, {1, 1, 1, 1}, {});
  m.Unit("r", "Relu", {m.Requantize("z", y)}, {1, 1, 1, 1}, {});
  std::string found;
  for (const Finding& f : MakeValidator({.route = "onnxruntime"}).Check(m.model).findings) {
    if (f.rule->slug == "float-island") found = f.found;
  }
  EXPECT_THAT(found, HasSubstr("\"product\""));
  EXPECT_THAT(found, HasSubstr("; 1 on the CPU"));
}

TEST(Validator, PortsThatAnOpDoesNotHave) {
  const Tensor t = Activation("", 0.02F, 128);
  for (const bool output : {false, true}) {
    Model model = OneNode("Relu", {t, t, t});
    Node& node = model.nodes[0];
    if (output) {
      node.inputs = {0};
      node.outputs = {1, 2};
      model.inputs = {0};
      model.outputs = {1, 2};
    }
    std::string message;
    for (const Finding& f : MakeValidator().Check(model).findings) {
      if (f.rule->code == "QG506") message = f.message;
    }
    EXPECT_EQ(message, output ? "Relu has 1 output, found 2" : "Relu has 1 input, found 2");
  }
}

// Half of the ops ends within a node.
TEST(Validator, OpsOfOneNodeStayWithOneThread) {
  constexpr TensorId kNodes = 4999;
  Model model;
  model.dialect = Dialect::kAten;
  model.tensors.resize(kNodes + 1);
  for (Tensor& t : model.tensors) {
    t.name = "t" + std::to_string(&t - model.tensors.data());
    t.dtype = Dtype::kFloat32;
    t.dims = {1, 8};
  }
  for (TensorId i = 0; i < kNodes; ++i) {
    Node& node = model.nodes.emplace_back();
    node.name = "n" + std::to_string(i);
    node.op = "aten.silu.default";  // two ops
    node.inputs = {i};
    node.outputs = {i + 1};
  }
  model.inputs = {0};
  model.outputs = {kNodes};
  const Report alone = MakeValidator().Check(model);
  const Report shared = MakeValidator({.threads = 2}).Check(model);
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    ASSERT_EQ(alone.nodes[i].resolved.size(), 2U) << i;
    ASSERT_EQ(alone.nodes[i].resolved, shared.nodes[i].resolved) << i;
  }
}

TEST(Validator, FailsOnAnyConsequenceThatIsOne) {
  EXPECT_EQ(FailOnNames(),
            (std::vector<std::string_view>{"advice", "undocumented", "altered", "wrong_values",
                                           "prepare_fails", "rejected", "unchecked"}));
}

}  // namespace
}  // namespace quantgate
