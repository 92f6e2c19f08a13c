#include "core/lower/route/route.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/lower/resolve/resolve.h"
#include "quantgate/database.h"
#include "quantgate/lower.h"
#include "quantgate/validator.h"
#include "tests/unit/support/onnx_model.h"

namespace quantgate {
namespace {

using testing_onnx::OnnxModel;

Resolved Take(const Model& model, const std::string& route) {
  const Target target = *Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = "v73"});
  Resolved r = Resolve(model, target, Database::Embedded().view());
  ApplyRoute(DocumentOf(route, Database::Embedded().view()), r);
  return r;
}
const Tensor& TensorOf(const Resolved& r, TensorId id) {
  return r.graph->tensors[static_cast<size_t>(id)];
}

TEST(Route, DefaultsByDialect) {
  const Target htp = *Target::Parse({.arch = "v73"}), ethosu = *Target::Parse({.backend = "ethosu"});
  EXPECT_EQ(UsualRoute(Dialect::kOnnx, htp), "onnxruntime");
  EXPECT_EQ(UsualRoute(Dialect::kAten, htp), "executorch");
  EXPECT_EQ(UsualRoute(Dialect::kQnn, htp), "direct");
  EXPECT_EQ(UsualRoute(Dialect::kTflite, htp), "litert");
  EXPECT_EQ(UsualRoute(Dialect::kTflite, ethosu), "vela");
  EXPECT_EQ(UsualRoute(Dialect::kOnnx, htp, /*with_encodings=*/true), "qairt");
  EXPECT_EQ(UsualRoute(Dialect::kQnn, htp, /*with_encodings=*/true), "direct");
  EXPECT_EQ(UsualRoute(Dialect::kTflite, ethosu, /*with_encodings=*/true), "vela");
}

TEST(Route, OneThatIsNotThereLeavesAllUnchecked) {
  OnnxModel m;
  m.Unit("r", "Relu", {m.Quantized("x", {1, 8}, 0.02)}, {1, 8}, {}, 0.02, 0);
  const Report report = Validator(*Target::Parse({}), {.route = "nowhere"}).Check(m.model);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].message, "the database has no route 'nowhere'");
  EXPECT_EQ(report.verdict, Consequence::kUnchecked);
}

TEST(Route, CopyWithOtherScaleRunsInFloat) {
  OnnxModel m;
  m.Unit("r", "Reshape", {m.Quantized("x", {1, 8}, 0.02), m.Constant("s", {8})}, {8}, {}, 0.03,
         100);
  const Resolved r = Take(m.model, "onnxruntime");
  ASSERT_EQ(r.graph->nodes.size(), 3u);
  EXPECT_EQ(r.graph->nodes[0].op, "Dequantize");
  EXPECT_EQ(r.graph->nodes[2].op, "Quantize");
  EXPECT_EQ(r.op_source, (std::vector<int32_t>{2, 2, 2}));
  const Node& reshape = r.graph->nodes[1];
  EXPECT_EQ(TensorOf(r, reshape.inputs[0]).dtype, Dtype::kFloat32);
  EXPECT_EQ(TensorOf(r, reshape.outputs[0]).dtype, Dtype::kFloat32);
  EXPECT_FLOAT_EQ(TensorOf(r, r.graph->nodes[2].outputs[0]).encoding->scales[0], 0.03f);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule->code, "QG602");
  EXPECT_EQ(r.findings[0].consequence, Consequence::kAltered);
  ASSERT_EQ(r.changes.size(), 1u);
  EXPECT_EQ(r.changes[0].kind, ChangeKind::kFloat);
  EXPECT_EQ(r.changes[0].written, "UFIXED_POINT_8");
  EXPECT_EQ(r.changes[0].runs, "FLOAT_16");
}

TEST(Route, CopyWithANearScaleCostsTimeAlone) {
  for (const auto& [scale, consequence] :
       {std::pair(0.0200002, Consequence::kAdvice), std::pair(0.02002, Consequence::kAdvice),
        std::pair(0.0201, Consequence::kAltered), std::pair(0.03, Consequence::kAltered)}) {
    OnnxModel m;
    m.Unit("r", "Reshape", {m.Quantized("x", {1, 8}), m.Constant("s", {8})}, {8}, {}, scale);
    const Resolved r = Take(m.model, "onnxruntime");
    ASSERT_EQ(r.findings.size(), 1u);
    EXPECT_EQ(r.findings[0].consequence, consequence) << scale;
    EXPECT_EQ(r.changes.size(), 1u);
  }
}

TEST(Route, CopyWithOtherZeroPointIsReadWithTheEncodingOfTheInput) {
  OnnxModel m;
  const TensorId shape = m.Constant("s", {8});
  const TensorId inner = m.Requantize(
      "r", m.Op("r.op", "Reshape", {m.Quantized("x", {1, 8}, 0.03), shape}, {8}, {}), 0.03, 100);
  m.Unit("t", "Reshape", {inner, m.Constant("s2", {1, 8})}, {1, 8}, {}, 0.03, 90);
  EXPECT_TRUE(Take(m.model, "direct").findings.empty());

  const Resolved r = Take(m.model, "onnxruntime");
  ASSERT_EQ(r.graph->nodes.size(), 2u);
  const Node& first = r.graph->nodes[0];
  EXPECT_EQ(TensorOf(r, first.outputs[0]).encoding, TensorOf(r, first.inputs[0]).encoding);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule->code, "QG605");
  EXPECT_EQ(r.findings[0].consequence, Consequence::kAltered);
  ASSERT_EQ(r.changes.size(), 1u);
  EXPECT_EQ(r.changes[0].kind, ChangeKind::kRead);
  // The caller reads the graph output with the written encoding: the op's own rule sees it.
  EXPECT_EQ(TensorOf(r, r.graph->nodes[1].outputs[0]).encoding->zero_points[0], 90);
}

TEST(Route, TransposeOfChannelsIsConvertedBefore) {
  const auto transpose = [](std::vector<int64_t> perm, int zero_point, int uses) {
    OnnxModel m;
    const TensorId y = m.Requantize("y",
                                    m.Op("t", "Transpose", {m.Quantized("x", {1, 4, 4, 4}, 0.03)},
                                         {1, 4, 4, 4}, {{"perm", std::move(perm)}}),
                                    0.03, zero_point);
    if (uses == 0) m.End(y);
    if (uses == 1) m.Unit("n", "Neg", {y}, {1, 4, 4, 4}, {}, 0.03, 128);
    if (uses == 2) m.Unit("n", "Add", {y, y}, {1, 4, 4, 4}, {}, 0.03, 128);
    const Resolved r = Take(m.model, "onnxruntime");
    return std::pair(r.graph->nodes[0].op.str(), r.findings.empty() ? "" : r.findings[0].rule->code);
  };
  using Result = std::pair<std::string, std::string_view>;
  EXPECT_EQ(transpose({0, 2, 3, 1}, 100, 0), Result("Convert", "QG602"));
  EXPECT_EQ(transpose({0, 3, 1, 2}, 100, 1), Result("Convert", "QG602"));
  EXPECT_EQ(transpose({0, 2, 3, 1}, 128, 2), Result("Convert", "QG602"));
  EXPECT_EQ(transpose({0, 2, 3, 1}, 128, 1), Result("Transpose", ""));
  EXPECT_EQ(transpose({0, 1, 3, 2}, 128, 2), Result("Transpose", ""));
  EXPECT_EQ(transpose({0, 1, 3, 2}, 100, 1), Result("Transpose", "QG605"));
}

TEST(Route, UnsignedSixteenBitWeightsAreConverted) {
  for (const int zero_point : {32768, 30000}) {
    OnnxModel m;
    m.Unit("c", "Conv",
           {m.Quantized("x", {1, 8, 6, 4}, 0.001, 32768, Dtype::kUint16),
            m.Weight("w", {8, 8, 1, 1}, Dtype::kUint16, zero_point, 0.001)},
           {1, 8, 6, 4}, {}, 0.001, 32768, Dtype::kUint16);
    const Resolved r = Take(m.model, "onnxruntime");
    ASSERT_EQ(r.graph->nodes.size(), 2u);
    const Tensor& w = TensorOf(r, r.graph->nodes[1].inputs[1]);
    EXPECT_EQ(w.dtype, Dtype::kSfixedPoint16);
    EXPECT_EQ(w.encoding->zero_points[0], 0);
    EXPECT_FLOAT_EQ(w.encoding->scales[0],
                    0.001f * static_cast<float>(zero_point == 32768 ? 32768 : 35535) / 32767);
  }
}

TEST(Route, SymmetricSoftmaxIsConvertedFromTheFixedOne) {
  OnnxModel m;
  const TensorId x = m.Quantized("x", {1, 8});
  m.Unit("s", "Softmax", {x}, {1, 8}, {}, 0.01, 128);
  m.Unit("t", "Softmax", {x}, {1, 8}, {}, 1.0 / 256, 10);
  const Resolved r = Take(m.model, "onnxruntime");
  ASSERT_EQ(r.graph->nodes.size(), 3u);
  EXPECT_EQ(r.graph->nodes[1].op, "Convert");
  EXPECT_FLOAT_EQ(TensorOf(r, r.graph->nodes[0].outputs[0]).encoding->scales[0], 1.0f / 256);
  EXPECT_FLOAT_EQ(TensorOf(r, r.graph->nodes[1].outputs[0]).encoding->scales[0], 0.01f);
  ASSERT_EQ(r.changes.size(), 1u);
  EXPECT_EQ(r.changes[0].kind, ChangeKind::kConvert);
}

TEST(Route, CopyWithOneEncodingIsLeftAlone) {
  OnnxModel m;
  m.Unit("r", "Reshape", {m.Quantized("x", {1, 8}), m.Constant("s", {8})}, {8}, {});
  const Resolved r = Take(m.model, "onnxruntime");
  EXPECT_EQ(r.graph->nodes.size(), 1u);
  EXPECT_TRUE(r.findings.empty());
}

TEST(Route, FloatBetweenKeepsTheLayoutOfAChannelsLastOp) {
  OnnxModel m;
  m.Unit("p", "MaxPool", {m.Quantized("x", {1, 8, 6, 4}, 0.02)}, {1, 8, 5, 3},
         {{"kernel_shape", std::vector<int64_t>{2, 2}}}, 0.03, 128);
  const Resolved r = Take(m.model, "onnxruntime");
  ASSERT_EQ(r.graph->nodes.size(), 3u);
  const TensorId computed = r.graph->nodes[1].outputs[0];
  EXPECT_EQ(TensorOf(r, computed).dims, TensorOf(r, r.graph->nodes[2].outputs[0]).dims);
  EXPECT_TRUE(r.layout.contains(computed));
}

TEST(Route, SixteenBitSigmoidIsReplacedAndWrongAtTheEnd) {
  OnnxModel m;
  const TensorId x = m.Quantized("x", {1, 8}, 0.001, 32768, Dtype::kUint16);
  const TensorId y =
      m.Requantize("y", m.Op("s", "Sigmoid", {x}, {1, 8}, {}), 0.0001, 100, Dtype::kUint16);
  m.Unit("n", "Neg", {y}, {1, 8}, {}, 0.0001, 65535, Dtype::kUint16);
  m.Unit("t", "Tanh", {x}, {1, 8}, {}, 0.0001, 100, Dtype::kUint16);
  const Resolved r = Take(m.model, "onnxruntime");
  ASSERT_EQ(r.findings.size(), 2u);
  EXPECT_EQ(r.findings[0].consequence, Consequence::kAltered);
  EXPECT_EQ(r.findings[1].consequence, Consequence::kWrongValues);
  EXPECT_FLOAT_EQ(TensorOf(r, r.graph->nodes[0].outputs[0]).encoding->scales[0], 1.0f / 65536);
  // What the next op reads is the same tensor.
  EXPECT_EQ(r.graph->nodes[1].inputs[0], r.graph->nodes[0].outputs[0]);
}

TEST(Route, EightBitSigmoidIsLeftAlone) {
  OnnxModel m;
  m.Unit("s", "Sigmoid", {m.Quantized("x", {1, 8})}, {1, 8}, {}, 0.01, 3);
  EXPECT_TRUE(Take(m.model, "onnxruntime").findings.empty());
}

TEST(Route, BiasOfAnotherScaleIsRequantized) {
  for (const bool per_channel : {false, true}) {
    for (const double scale : {0.0002, 0.001}) {  // 0.02 x 0.01, and another
      OnnxModel m;
      const TensorId w =
          per_channel ? m.PerChannelWeight("w", {8, 8, 1, 1}, 0) : m.Weight("w", {8, 8, 1, 1});
      const TensorId b = m.Weight("b", {8}, Dtype::kInt32, 0, scale);
      m.Unit("c", "Conv", {m.Quantized("x", {1, 8, 6, 4}), w, b}, {1, 8, 6, 4}, {});
      const Resolved r = Take(m.model, "onnxruntime");
      if (scale == 0.0002) {
        EXPECT_TRUE(r.findings.empty());
        continue;
      }
      ASSERT_EQ(r.findings.size(), 1u);
      EXPECT_EQ(r.findings[0].rule->code, "QG605");
      EXPECT_EQ(r.findings[0].consequence,
                per_channel ? Consequence::kWrongValues : Consequence::kAltered);
      EXPECT_NEAR(TensorOf(r, r.graph->nodes[0].inputs[2]).encoding->scales[0], 0.0002, 1e-9);
    }
  }
}

TEST(Route, DynamicSixteenBitOperandIsNarrowed) {
  OnnxModel m;
  m.Unit("mm", "MatMul",
         {m.Quantized("a", {1, 4, 8}, 0.001, 32768, Dtype::kUint16),
          m.Quantized("b", {1, 8, 4}, 0.001, 32768, Dtype::kUint16)},
         {1, 4, 4}, {}, 0.001, 32768, Dtype::kUint16);
  const Resolved r = Take(m.model, "onnxruntime");
  ASSERT_EQ(r.graph->nodes.size(), 2u);
  EXPECT_EQ(r.graph->nodes[0].op, "Convert");
  const Tensor& b = TensorOf(r, r.graph->nodes[1].inputs[1]);
  EXPECT_EQ(b.dtype, Dtype::kUfixedPoint8);
  EXPECT_FLOAT_EQ(b.encoding->scales[0], 0.257f);
  EXPECT_EQ(b.encoding->zero_points[0], 128);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule->code, "QG605");
}

TEST(Route, WhatTheProviderDoesNotHandOverIsRejected) {
  OnnxModel m;
  m.Unit("p", "ReduceProd", {m.Quantized("x", {1, 8})}, {1, 1}, {});
  const Resolved r = Take(m.model, "onnxruntime");
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule->code, "QG103");
  EXPECT_EQ(r.findings[0].consequence, Consequence::kRejected);
  EXPECT_TRUE(Take(m.model, "direct").findings.empty());
}

TEST(Route, OpsWithADynamicDimensionAreNotHandedOver) {
  const auto relu = [](std::vector<int64_t> dims) {
    OnnxModel m;
    m.Op("r", "Relu", {m.Input("x", dims)}, dims, {});
    return m.model;
  };
  const Resolved fixed = Take(relu({2, 8}), "onnxruntime");
  EXPECT_TRUE(fixed.findings.empty());
  const Resolved open = Take(relu({kDynamicDim, 8}), "onnxruntime");
  ASSERT_EQ(open.findings.size(), 1u);
  EXPECT_EQ(open.findings[0].rule->code, "QG503");
  EXPECT_EQ(open.findings[0].consequence, Consequence::kRejected);
  EXPECT_EQ(open.findings[0].port, "in[0]");
  EXPECT_EQ(open.findings[0].found, "[?, 8]");
  EXPECT_EQ(open.sources[0].state, SourceNode::State::kRefused);
  EXPECT_TRUE(Take(relu({kDynamicDim, 8}), "direct").findings.empty());
}

TEST(Route, FloatBetweenIsNotPreparedOnV68) {
  OnnxModel m;
  const TensorId in = m.Quantized("x", {1, 8, 6, 4});
  const TensorId x = m.Requantize("a.y", m.Op("a", "Add", {in, in}, {1, 8, 6, 4}, {}));
  const TensorId f = m.Op("n", "Neg", {x}, {1, 8, 6, 4}, {});
  const TensorId y = m.Requantize("y", m.Op("e", "Exp", {f}, {1, 8, 6, 4}, {}));
  m.Unit("c", "Conv", {y, m.Weight("w", {8, 8, 1, 1})}, {1, 8, 6, 4}, {});
  for (const char* arch : {"v68", "v73"}) {
    const Target target = *Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = arch});
    const Report report = Validator(target, {}).Check(m.model);
    const auto reported = std::count_if(report.findings.begin(), report.findings.end(),
                                    [](const Finding& f) { return f.rule->code == "QG618"; });
    EXPECT_EQ(reported, arch == std::string_view("v68") ? 1 : 0);
  }
}

TEST(Route, TransposeInSixDimensionsIsHandedOverInFive) {
  using TestDims = std::vector<int64_t>;
  struct Case {
    TestDims from, wide, perm, to;
    size_t rank;  // of what is transposed then
    int refused;  // nodes that the route refuses
  };
  for (const Case& c : std::vector<Case>{
           {{1, 8, 8, 4}, {1, 2, 4, 2, 4, 4}, {0, 1, 3, 2, 4, 5}, {4, 4, 4, 4}, 5, 0},
           {{2, 8, 4, 4}, {2, 2, 4, 4, 4, 1}, {0, 1, 3, 2, 4, 5}, {2, 8, 4, 4}, 5, 0},
           // It has no dimension of size 1, or that one moves.
           {{2, 8, 8, 4}, {2, 2, 4, 2, 4, 4}, {0, 1, 3, 2, 4, 5}, {8, 4, 4, 4}, 6, 0},
           {{1, 8, 8, 4}, {1, 2, 4, 2, 4, 4}, {1, 0, 3, 2, 4, 5}, {4, 4, 4, 4}, 6, 0},
           // Six dimensions before or behind it.
           {{1, 2, 4, 2, 4, 4}, {1, 2, 4, 2, 4, 4}, {0, 1, 3, 2, 4, 5}, {4, 4, 4, 4}, 6, 0},
           {{1, 8, 8, 4}, {1, 2, 4, 2, 4, 4}, {0, 1, 3, 2, 4, 5}, {1, 2, 2, 4, 4, 4}, 5, 1}}) {
    OnnxModel m;
    TestDims moved;
    for (const int64_t axis : c.perm) moved.push_back(c.wide[static_cast<size_t>(axis)]);
    TensorId x = m.Quantized("x", c.from);
    x = m.Unit("a", "Reshape", {x, m.Constant("s", c.wide)}, c.wide, {});
    x = m.Unit("t", "Transpose", {x}, moved, {{"perm", c.perm}});
    m.Unit("b", "Reshape", {x, m.Constant("z", c.to)}, c.to, {});
    const Resolved r = Take(m.model, "onnxruntime");
    const auto transpose = std::find_if(r.graph->nodes.begin(), r.graph->nodes.end(),
                                        [](const Node& node) { return node.op == "Transpose"; });
    ASSERT_NE(transpose, r.graph->nodes.end());
    EXPECT_EQ(TensorOf(r, transpose->inputs[0]).dims.size(), c.rank);
    EXPECT_EQ(TensorOf(r, transpose->outputs[0]).dims.size(), c.rank);
    EXPECT_EQ(std::get<TensorParam>(transpose->FindParam("perm")->value).ints.size(), c.rank);
    EXPECT_EQ(std::count_if(r.sources.begin(), r.sources.end(),
                            [](const SourceNode& source) { return source.fatal; }),
              c.refused);
  }
}

TEST(Route, GatherThatIsOnlyRequantizedIsNotPreparedOnV68) {
  struct Case {
    double scale;
    bool through_float, read_twice;
    const char* arch;
    int found;
  };
  for (const Case& c : std::vector<Case>{{0.03, true, false, "v68", 1},
                                         {0.03, false, false, "v68", 1},
                                         {0.02, true, false, "v68", 0},
                                         {0.03, true, true, "v68", 0},
                                         {0.03, true, false, "v73", 0}}) {
    OnnxModel m;
    const TensorId indices = m.Constant("i", {1, 2});
    m.model.tensors[static_cast<size_t>(indices)].dims = {2};
    const TensorId y = m.Unit("g", "Gather", {m.Quantized("x", {8, 4}), indices}, {2, 4}, {});
    TensorId f = y;
    if (c.through_float) f = m.Op("c", "Cast", {y}, {2, 4}, {{"to", IntParam{1}}});
    const TensorId z = m.Requantize("z", f, c.scale);
    m.Unit("a", "Add", {z, c.read_twice ? y : z}, {2, 4}, {});
    const Target target = *Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = c.arch});
    const Report report = Validator(target, {}).Check(m.model);
    const auto found =
        std::count_if(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
          return finding.rule->code == "QG618" && finding.op == "Gather" &&
                 finding.consequence == Consequence::kPrepareFails;
        });
    EXPECT_EQ(found, c.found) << c.scale << c.through_float << c.read_twice << c.arch;
  }
}

TEST(Route, GemmWithoutAQuantizeBehindIsAUnitThatIsRefused) {
  OnnxModel m;
  m.Op("g", "Gemm", {m.Quantized("x", {4, 8}), m.Weight("w", {8, 8})}, {4, 8},
       {{"transB", IntParam{1}}});
  const Target target = *Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = "v73"});
  EXPECT_EQ(Validator(target, {}).Check(m.model).verdict, Consequence::kRejected);
}

// What a check of the first op of this name says by this rule; empty = nothing.
std::string Said(const Model& model, const std::string& route, std::string_view code, std::string sdk = "") {
  const Target target =
      *Target::Parse({.backend = "htp", .sdk = std::move(sdk), .soc = "", .arch = "v73"});
  ValidatorOptions options;
  options.route = route;
  for (const Finding& f : Validator(target, options).Check(model).findings) {
    if (f.rule->code == code) return f.message;
  }
  return "";
}

TEST(RouteRows, OperatorsAreRefusedByTheirAttributes) {
  for (const bool bad : {true, false}) {
    OnnxModel m;
    m.Unit("r", "CumSum", {m.Quantized("x", {4, 8}), m.Constant("axis", {1})}, {4, 8},
           {{"reverse", IntParam{bad ? 1 : 0}}});
    EXPECT_EQ(Said(m.model, "onnxruntime", "QG103"),
              bad ? "CumSum falls back to the CPU: exclusive and reverse are not translated" : "");
    EXPECT_EQ(Said(m.model, "qairt", "QG103"), "");
  }
}

TEST(RouteRows, UnmappedOperatorsAreRefusedUntilTheToolKnowsThem) {
  OnnxModel m;
  const TensorId q = m.Input("q", {1, 8, 64});
  m.Op("a", "Attention", {q, q, q}, {1, 8, 64}, {{"q_num_heads", IntParam{4}}});
  EXPECT_NE(Said(m.model, "onnxruntime", "QG103", "2.49"), "");
  EXPECT_EQ(Said(m.model, "onnxruntime", "QG102", "2.49"), "");
  EXPECT_EQ(Said(m.model, "onnxruntime", "QG103", "2.51"), "");
  EXPECT_NE(Said(m.model, "onnxruntime", "QG102", "2.51"), "");
}

TEST(RouteRows, OperatorsThatNoToolTranslatesStayOnTheCpu) {
  OnnxModel onnx;
  onnx.Op("n", "CumProd", {onnx.Input("x", {4, 8}), onnx.Constant("axis", {1})}, {4, 8}, {});
  EXPECT_EQ(Said(onnx.model, "onnxruntime", "QG103"),
            "CumProd falls back to the CPU: the provider does not translate it");
  OnnxModel aten;
  aten.model.dialect = Dialect::kAten;
  aten.model.outputs = {aten.Op("n", "aten.erf.default", {aten.Input("x", {4, 8})}, {4, 8}, {})};
  EXPECT_NE(Said(aten.model, "executorch", "QG103").find("has no builder"),
            std::string::npos);
  EXPECT_EQ(Said(aten.model, "direct", "QG103"), "");
}

TEST(RouteRows, OperatorsStayOnTheCpuUntilTheProviderTranslatesThem) {
  const auto said = [](std::string op, std::string sdk) {
    OnnxModel m;
    m.Op("n", op, {m.Input("x", {1, 4, 8, 8})}, {1, 4, 8, 8}, {});
    return Said(m.model, "onnxruntime", "QG103", std::move(sdk));
  };
  EXPECT_NE(said("Swish", "2.48"), "");
  EXPECT_EQ(said("Swish", "2.51"), "");
  EXPECT_NE(said("Tan", "2.42"), "");
  EXPECT_EQ(said("Tan", "2.48"), "");
  EXPECT_NE(said("AffineGrid", "2.51"), "");
  EXPECT_NE(said("com.microsoft.GroupQueryAttention", "2.48"), "");
  EXPECT_EQ(said("com.microsoft.GroupQueryAttention", "2.50"), "");
}

TEST(RouteRows, OperatorsAreRefusedForTheBackendsThatARowNames) {
  const auto said = [](const char* backend) -> std::string {
    OnnxModel m;
    m.Op("n", "ScatterND", {m.Input("x", {4, 8}), m.Constant("rows", {1}), m.Input("y", {8})}, {4, 8}, {});
    const Target target = *Target::Parse({.backend = backend});
    ValidatorOptions options;
    options.route = "onnxruntime";
    for (const Finding& f : Validator(target, options).Check(m.model).findings) {
      if (f.rule->code == "QG103") return f.message;
    }
    return "";
  };
  EXPECT_EQ(said("cpu"), "ScatterND falls back to the CPU: the provider does not hand it to its CPU backend");
  EXPECT_EQ(said("htp"), "");
}

TEST(RouteRows, PoolsAreRefusedByVersionAndForm) {
  const auto pool = [](int p, std::string sdk) {
    OnnxModel m;
    m.Op("n", "LpPool", {m.Input("x", {1, 4, 8, 8})}, {1, 4, 4, 4}, {{"p", IntParam{p}}});
    return Said(m.model, "onnxruntime", "QG103", std::move(sdk));
  };
  EXPECT_NE(pool(2, "2.47").find("no builder"), std::string::npos);
  EXPECT_EQ(pool(2, "2.48").find("no builder"), std::string::npos);
  EXPECT_NE(pool(3, "2.51").find("p = 1 and p = 2"), std::string::npos);
  for (const char* mode : {"avg", "max"}) {
    OnnxModel m;
    m.Op("n", "RoiAlign",
         {m.Input("x", {1, 4, 8, 8}), m.Input("rois", {3, 4}), m.Constant("i", {0, 0, 0})},
         {3, 4, 1, 1}, {{"mode", std::string(mode)}});
    EXPECT_EQ(Said(m.model, "onnxruntime", "QG103").find("max") != std::string::npos,
              std::string_view(mode) == "max");
  }
}

TEST(RouteRows, OneHotOfSixtyFourBitsStaysOnTheCpu) {
  for (const Dtype dtype : {Dtype::kInt64, Dtype::kInt32}) {
    OnnxModel m;
    const TensorId x = m.Input("x", {1, 16}, Dtype::kInt64);
    m.Op("n", "OneHot", {x, m.Constant("depth", {2}), m.Constant("values", {0, 1}, dtype)},
         {1, 16, 2}, {}, dtype);
    EXPECT_EQ(Said(m.model, "onnxruntime", "QG103").empty(), dtype == Dtype::kInt32);
  }
}

TEST(RouteRows, ModOfIntegersIsComputedInHalfPrecisionOrNotAtAll) {
  OnnxModel m;
  const TensorId x = m.Input("x", {1, 16}, Dtype::kInt32);
  m.Op("n", "Mod", {x, m.Constant("seven", {7}, Dtype::kInt32)}, {1, 16}, {}, Dtype::kInt32);
  for (const bool old : {true, false}) {
    const Target target = *Target::Parse({.arch = old ? "v68" : "v79"});
    const Report report = Validator(target, {.route = "onnxruntime"}).Check(m.model);
    EXPECT_EQ(report.verdict, old ? Consequence::kPrepareFails : Consequence::kAdvice);
    ASSERT_EQ(report.findings.size(), 1U);
    EXPECT_EQ(report.findings[0].rule->code, old ? "QG103" : "QG620");
  }
}

TEST(RouteRows, QuantizedOperatorsThatAreComputedInFloatAreAltered) {
  for (const bool quantized : {true, false}) {
    OnnxModel m;
    const TensorId w = quantized ? m.Weight("w", {1, 12, 8}) : m.Input("w", {1, 12, 8});
    m.Op("gru", "GRU", {m.Input("x", {6, 1, 8}), w, m.Input("r", {1, 12, 4})}, {6, 1, 1, 4},
         {{"hidden_size", IntParam{4}}});
    EXPECT_EQ(Said(m.model, "onnxruntime", "QG601").empty(), !quantized);
  }
}

TEST(RouteRows, SomeQuantizedAveragesOfPaddedOrEvenWindowsAreComputedOtherwise) {
  const auto said = [](int64_t side, int64_t window, int64_t step, int64_t pad, double scale = 0.02) {
    OnnxModel m;
    using Ints = std::vector<int64_t>;
    const int64_t out = (side + 2 * pad - window) / step + 1;
    m.Unit("n", "AveragePool", {m.Quantized("x", {1, 8, side, side})}, {1, 8, out, out},
           {{"kernel_shape", Ints{window, window}}, {"strides", Ints{step, step}}, {"pads", Ints{pad, pad, pad, pad}}}, scale);
    return !Said(m.model, "onnxruntime", "QG620").empty();
  };
  EXPECT_TRUE(said(15, 3, 3, 1)) << "as many windows as without padding";
  EXPECT_FALSE(said(16, 3, 3, 1));
  EXPECT_FALSE(said(15, 3, 3, 0));
  EXPECT_TRUE(said(16, 5, 3, 1));
  EXPECT_FALSE(said(16, 7, 3, 1));
  EXPECT_TRUE(said(14, 5, 2, 2));
  EXPECT_FALSE(said(13, 5, 2, 2));
  EXPECT_TRUE(said(16, 4, 4, 0, 0.01)) << "a smaller range behind it";
  EXPECT_FALSE(said(16, 4, 4, 0));
  EXPECT_FALSE(said(15, 4, 4, 0, 0.01));
  EXPECT_FALSE(said(16, 2, 2, 0, 0.01));
}

TEST(RouteRows, SixteenBitQuantizationNeedsItsOperatorSet) {
  for (const int64_t opset : {17, 21}) {
    OnnxModel m;
    m.model.opset = opset;
    const TensorId x = m.Input("x", {4});
    m.Requantize("q", x, 0.02, 32768, Dtype::kUint16);
    const std::string said = Said(m.model, "onnxruntime", "QG103");
    EXPECT_EQ(said.find("16 bits need opset 21") != said.npos, opset < 21) << said;
  }
}

TEST(RouteRows, FreeDimensionsAreSaidOnceAModel) {
  OnnxModel m;
  const TensorId x = m.Input("x", {-1, 8}), y = m.Input("y", {-1, 8});
  m.Op("a", "Add", {x, y}, {-1, 8}, {});
  m.model.inputs = {x, y};
  for (const char* route :
       {"onnxruntime", "qairt", "executorch", "direct"}) {
    ValidatorOptions options;
    options.route = route;
    const Target target = *Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = "v73"});
    const Report report = Validator(target, options).Check(m.model);
    const auto said = [](const Finding& f) {
      return f.rule->code == "QG503" && f.node_index < 0 && f.found == "x [?, 8], y [?, 8]" &&
             f.fixes.size() == 1;
    };
    EXPECT_EQ(std::count_if(report.findings.begin(), report.findings.end(), said), 1);
  }
}

TEST(RouteRows, WeightsInBlocksOfTheProvidersOwnOperator) {
  OnnxModel m;
  const TensorId w = m.Input("w", {32, 4, 16}), scales = m.Input("s", {128});
  for (const TensorId constant : {w, scales}) {
    m.model.tensors[static_cast<size_t>(constant)].is_static = true;
  }
  m.Op("n", "com.microsoft.MatMulNBits", {m.Input("x", {1, 8, 128}), w, scales}, {1, 8, 32},
       {{"K", IntParam{128}}, {"N", IntParam{32}}});
  ValidatorOptions options;
  options.route = "onnxruntime";
  for (const bool old : {true, false}) {
    const Target target = *Target::Parse({.soc = old ? "SM8350" : "SM8550"});
    const Report report = Validator(target, options).Check(m.model);
    EXPECT_EQ(report.verdict, old ? Consequence::kRejected : Consequence::kAdvice) << "half precision";
  }
}

TEST(RouteRows, ARequantizedBiasMayNotFitAnyMore) {
  for (const double scale : {1e-5, 1e-9}) {
    OnnxModel m;
    const TensorId w = m.Weight("w", {2, 3, 3, 3}, Dtype::kInt8, 0, 1e-6);
    const TensorId b = m.Weight("b", {2}, Dtype::kInt32, 0, scale);
    const auto stored = std::find_if(m.model.tensors.begin(), m.model.tensors.end(),
                                     [](const Tensor& t) { return t.name == "b"; });
    ASSERT_NE(stored, m.model.tensors.end());
    stored->values =
        std::make_shared<const TensorValues>(TensorValues{.ints = {500000, -450000}, .reals = {}});
    m.Unit("c", "Conv", {m.Quantized("x", {1, 3, 8, 8}, 0.0001), w, b}, {1, 2, 6, 6}, {});
    EXPECT_EQ(Said(m.model, "onnxruntime", "QG406").empty(), scale < 1e-6);
  }
}

}  // namespace
}  // namespace quantgate
