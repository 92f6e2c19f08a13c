#include "core/lower/expression/nearest.h"
#include "core/lower/resolve/resolve.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/lower/resolve/mapping.h"
#include "quantgate/database.h"
#include "tests/unit/support/onnx_model.h"

namespace quantgate {
namespace {

using testing_onnx::OnnxModel;
using TestDims = testing_onnx::Dims;

Target Htp() { return *Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = "v73"}); }
Resolved ResolveModel(const Model& model) {
  return Resolve(model, Htp(), Database::Embedded().view());
}
const Node* FindOp(const Resolved& resolved, std::string_view op) {
  for (const Node& node : resolved.graph->nodes) {
    if (node.op == op) return &node;
  }
  return nullptr;
}
const Tensor& In(const Resolved& r, const Node& node, size_t i) {
  return r.graph->tensors[static_cast<size_t>(node.inputs.at(i))];
}
const Tensor& Out(const Resolved& r, const Node& node, size_t i = 0) {
  return r.graph->tensors[static_cast<size_t>(node.outputs.at(i))];
}
std::vector<int64_t> Dims(const Tensor& t) { return {t.dims.begin(), t.dims.end()}; }
std::vector<std::string> Ops(const Resolved& r) {
  std::vector<std::string> ops;
  for (const Node& node : r.graph->nodes) ops.push_back(node.op);
  return ops;
}
std::vector<int64_t> Ints(const Node& node, std::string_view param) {
  const Param* p = node.FindParam(param);
  return p != nullptr ? IntsOf(p->value).value_or(std::vector<int64_t>{}) : std::vector<int64_t>{};
}
std::set<std::string> Codes(const Resolved& r) {
  std::set<std::string> codes;
  for (const Finding& f : r.findings) codes.insert(std::string(f.rule->code));
  return codes;
}

TEST(Resolve, QnnModelIsReferredTo) {
  Model model;
  model.nodes.emplace_back().op = "Relu";
  const Resolved r = ResolveModel(model);
  EXPECT_EQ(r.graph, &model);
  EXPECT_TRUE(r.sources.empty());
}

TEST(Resolve, EveryMappingCompiles) {
  const opdb::View& view = Database::Embedded().view();
  mapping::Mapping mapping(view, "resolve/onnx",
                           &view.backends()[static_cast<size_t>(view.FindBackend("htp"))]);
  const std::vector<std::string_view> names = mapping.Names();
  int with_op = 0;
  for (const std::string_view name : names) {
    const size_t dot = name.rfind('.');
    const mapping::OpMapping* op = dot == std::string_view::npos
                                       ? mapping.Find("", name)
                                       : mapping.Find(name.substr(0, dot), name.substr(dot + 1));
    ASSERT_NE(op, nullptr) << name;
    EXPECT_EQ(op->error, "") << name;
    bool has_step = false;
    for (const mapping::Case& c : op->cases) {
      for (const mapping::Step& step : c.steps) {
        has_step = true;
        EXPECT_GE(
            view.FindOp(view.backends()[static_cast<size_t>(view.FindBackend("htp"))], step.op), 0)
            << name << " becomes " << step.op << ", which the database does not know";
      }
    }
    with_op += has_step;
  }
  EXPECT_GE(with_op, 90);
}

TEST(Resolve, ConvUnitGetsChannelsLastPortsAndPermutedAxis) {
  OnnxModel m;
  const TensorId x = m.Quantized("x", {1, 8, 6, 4});
  const TensorId w = m.PerChannelWeight("w", {16, 8, 3, 3}, 0);
  const TensorId b = m.Weight("b", {16}, Dtype::kInt32);
  m.Unit("conv", "Conv", {x, w, b}, {1, 16, 4, 2}, {{"pads", std::vector<int64_t>{0, 0, 0, 0}}});
  const Resolved r = ResolveModel(m.model);
  ASSERT_EQ(Ops(r), (std::vector<std::string>{"Conv2d"}));
  const Node& conv = r.graph->nodes[0];
  EXPECT_EQ(Dims(In(r, conv, 0)), (std::vector<int64_t>{1, 6, 4, 8}));
  EXPECT_EQ(Dims(In(r, conv, 1)), (std::vector<int64_t>{3, 3, 8, 16}));
  EXPECT_EQ(In(r, conv, 1).encoding->axis, 3);
  EXPECT_EQ(In(r, conv, 1).dtype, Dtype::kSfixedPoint8);
  EXPECT_TRUE(In(r, conv, 1).is_static);
  EXPECT_EQ(In(r, conv, 2).dtype, Dtype::kSfixedPoint32);
  EXPECT_EQ(Dims(Out(r, conv)), (std::vector<int64_t>{1, 4, 2, 16}));
  EXPECT_EQ(Ints(conv, "stride"), (std::vector<int64_t>{1, 1}));
  const auto layout = r.layout.at(conv.inputs[1]);
  EXPECT_EQ((std::vector<int>(layout.begin(), layout.end())), (std::vector<int>{2, 3, 1, 0}));
  // Q and DQ around it are absorbed; the last DQ is the caller's.
  for (size_t i = 0; i < m.model.nodes.size(); ++i) {
    const bool is_conv = m.model.nodes[i].name == "conv";
    EXPECT_EQ(r.sources[i].state, is_conv ? SourceNode::State::kOps : SourceNode::State::kAbsorbed)
        << m.model.nodes[i].name;
  }
}

TEST(Resolve, DepthwiseIsChosenByData) {
  OnnxModel m;
  m.Unit("conv", "Conv", {m.Quantized("x", {1, 8, 6, 4}), m.Weight("w", {8, 1, 3, 3})},
         {1, 8, 4, 2}, {{"group", IntParam{8}}});
  const Resolved r = ResolveModel(m.model);
  ASSERT_EQ(Ops(r), (std::vector<std::string>{"DepthWiseConv2d"}));
  EXPECT_EQ(Dims(In(r, r.graph->nodes[0], 1)), (std::vector<int64_t>{3, 3, 1, 8}));
}

TEST(Resolve, OneDimensionalConvBecomesAnImage) {
  OnnxModel m;
  m.Unit("conv", "Conv", {m.Quantized("x", {1, 8, 10}), m.PerChannelWeight("w", {16, 8, 3}, 0)},
         {1, 16, 8}, {});
  const Resolved r = ResolveModel(m.model);
  ASSERT_EQ(Ops(r), (std::vector<std::string>{"Conv2d"}));
  const Node& conv = r.graph->nodes[0];
  EXPECT_EQ(Dims(In(r, conv, 0)), (std::vector<int64_t>{1, 1, 10, 8}));
  EXPECT_EQ(Dims(In(r, conv, 1)), (std::vector<int64_t>{1, 3, 8, 16}));
  EXPECT_EQ(In(r, conv, 1).encoding->axis, 3);
  EXPECT_EQ(Ints(conv, "stride"), (std::vector<int64_t>{1, 1}));
}

TEST(Resolve, SamePaddingIsComputed) {
  OnnxModel m;
  m.Unit("conv", "Conv", {m.Quantized("x", {1, 8, 6, 4}), m.Weight("w", {16, 8, 3, 3})},
         {1, 16, 3, 2},
         {{"auto_pad", std::string("SAME_UPPER")}, {"strides", std::vector<int64_t>{2, 2}}});
  const Resolved r = ResolveModel(m.model);
  ASSERT_EQ(r.graph->nodes.size(), 1u);
  EXPECT_EQ(Ints(r.graph->nodes[0], "pad_amount"), (std::vector<int64_t>{0, 1, 0, 1}));
}

TEST(Resolve, StaticMatMulBecomesFullyConnected) {
  OnnxModel m;
  m.Unit("mm", "MatMul", {m.Quantized("x", {1, 4, 8}), m.PerChannelWeight("w", {8, 16}, 1)},
         {1, 4, 16}, {});
  const Resolved r = ResolveModel(m.model);
  ASSERT_EQ(Ops(r), (std::vector<std::string>{"FullyConnected", "Reshape"}));
  const Node& fc = r.graph->nodes[0];
  EXPECT_EQ(Dims(In(r, fc, 1)), (std::vector<int64_t>{16, 8}));
  EXPECT_EQ(In(r, fc, 1).encoding->axis, 0);
  EXPECT_EQ(Dims(Out(r, fc)), (std::vector<int64_t>{4, 16}));
  EXPECT_EQ(Out(r, fc).encoding, Out(r, r.graph->nodes[1]).encoding);
}

TEST(Resolve, FourBitWeightsTravelInTheEightBitType) {
  OnnxModel m;
  m.Unit("conv", "Conv",
         {m.Quantized("x", {1, 8, 6, 4}),
          m.PerChannelWeight("w", {16, 8, 1, 1}, 0, Dtype::kSfixedPoint4)},
         {1, 16, 6, 4}, {});
  const Resolved r = ResolveModel(m.model);
  const Tensor& w = In(r, r.graph->nodes.at(0), 1);
  EXPECT_EQ(w.dtype, Dtype::kSfixedPoint8);
  EXPECT_EQ(w.encoding->bitwidth, 4);
}

TEST(Resolve, BlockEncodingFollowsTheLayout) {
  OnnxModel m;
  m.Unit("mm", "MatMul", {m.Quantized("x", {4, 64}), m.BlockWeight("w", {64, 16}, 0, 32)}, {4, 16},
         {});
  const Resolved r = ResolveModel(m.model);
  bool found = false;
  for (const Tensor& t : r.graph->tensors) {
    if (t.encoding->kind != EncodingKind::kBlock) continue;
    found = true;
    EXPECT_EQ(t.encoding->block_size.size(), 2u);
  }
  EXPECT_TRUE(found);
}

TEST(Resolve, ActivationThatItsEncodingMakesRedundantIsFused) {
  for (const int zero_point : {0, 128}) {
    OnnxModel m;
    const TensorId y =
        m.Op("conv", "Conv", {m.Quantized("x", {1, 8, 6, 4}), m.Weight("w", {8, 8, 1, 1})},
             {1, 8, 6, 4}, {});
    const TensorId z = m.Op("act", "Relu", {y}, {1, 8, 6, 4}, {});
    m.End(m.Requantize("z", z, 0.02, zero_point));
    const Resolved r = ResolveModel(m.model);
    const SourceNode& act = r.sources[m.NodeIndex("act")];
    if (zero_point == 0) {
      EXPECT_EQ(Ops(r), (std::vector<std::string>{"Conv2d"}));
      EXPECT_EQ(act.state, SourceNode::State::kAbsorbed);
      EXPECT_TRUE(act.shares_verdict);
      EXPECT_EQ(act.into, static_cast<int32_t>(m.NodeIndex("conv")));
      EXPECT_EQ(Codes(r), std::set<std::string>{});
    } else {
      // The values below 0 are expressible: both run in float.
      EXPECT_EQ(act.state, SourceNode::State::kOps);
      EXPECT_EQ(Codes(r), std::set<std::string>{"QG601"});
      EXPECT_EQ(In(r, *FindOp(r, "Relu"), 0).dtype, Dtype::kFloat32);
    }
  }
}

TEST(Resolve, AdditionBehindAMatMulIsItsBias) {
  for (const bool with_bias : {true, false}) {
    OnnxModel m;
    const TensorId y =
        m.Op("mm", "MatMul", {m.Quantized("x", {2, 8}), m.Weight("w", {8, 16})}, {2, 16}, {});
    const TensorId b = m.Weight("b", {16}, with_bias ? Dtype::kInt32 : Dtype::kUint8);
    m.End(m.Requantize("z", m.Op("add", "Add", {b, y}, {2, 16}, {})));
    const Resolved r = ResolveModel(m.model);
    if (with_bias) {
      ASSERT_EQ(Ops(r), (std::vector<std::string>{"FullyConnected"}));
      EXPECT_EQ(In(r, r.graph->nodes[0], 2).dtype, Dtype::kSfixedPoint32);
      EXPECT_EQ(r.sources[m.NodeIndex("add")].into, static_cast<int32_t>(m.NodeIndex("mm")));
      EXPECT_TRUE(r.sources[m.NodeIndex("add")].shares_verdict);
      EXPECT_TRUE(r.findings.empty());
    } else {
      // No bias: neither is a unit.
      EXPECT_NE(FindOp(r, "ElementWiseAdd"), nullptr);
      EXPECT_EQ(r.findings.size(), 2u);
    }
  }
}

TEST(Resolve, BiasesAreInt32OrFloatConstants) {
  const auto conv = [](OnnxModel& m, TensorId bias) {
    m.Unit("c", "Conv", {m.Quantized("x", {1, 8, 6, 4}), m.Weight("w", {8, 8, 1, 1}), bias},
           {1, 8, 6, 4}, {});
    return ResolveModel(m.model);
  };
  OnnxModel in_float, in_8_bits;
  const Resolved a = conv(in_float, in_float.Scale("b", {8}, 1.0));
  ASSERT_EQ(Ops(a), (std::vector<std::string>{"Conv2d"}));
  EXPECT_EQ(In(a, a.graph->nodes[0], 2).dtype, Dtype::kSfixedPoint32);
  EXPECT_NEAR(In(a, a.graph->nodes[0], 2).encoding->scales[0], 0.0002, 1e-9);
  EXPECT_EQ(Codes(conv(in_8_bits, in_8_bits.Weight("b", {8}))), std::set<std::string>{"QG601"});
}

TEST(Resolve, SignedInputWithUnsignedWeightRunsInFloat) {
  for (const Dtype weight : {Dtype::kInt8, Dtype::kUint8}) {
    OnnxModel m;
    m.Unit("c", "Conv",
           {m.Quantized("x", {1, 8, 6, 4}, 0.02, 0, Dtype::kInt8),
            m.Weight("w", {8, 8, 1, 1}, weight)},
           {1, 8, 6, 4}, {}, 0.02, 0, Dtype::kInt8);
    EXPECT_EQ(ResolveModel(m.model).findings.empty(), weight == Dtype::kInt8);
  }
}

TEST(Resolve, LayerNormIsAUnitWithAnInt32BiasOnly) {
  const auto norm = [](OnnxModel& m, TensorId bias) {
    m.Unit("n", "LayerNormalization", {m.Quantized("x", {1, 4, 8}), m.Weight("g", {8}), bias},
           {1, 4, 8}, {});
    return ResolveModel(m.model);
  };
  OnnxModel in_32_bits, in_8_bits, in_float;
  const Resolved r = norm(in_32_bits, in_32_bits.Weight("b", {8}, Dtype::kInt32));
  ASSERT_EQ(Ops(r), (std::vector<std::string>{"LayerNorm"}));
  EXPECT_EQ(In(r, r.graph->nodes[0], 2).dtype, Dtype::kSfixedPoint32);
  EXPECT_EQ(Ints(r.graph->nodes[0], "axes"), (std::vector<int64_t>{2}));
  EXPECT_EQ(Codes(norm(in_8_bits, in_8_bits.Weight("b", {8}))), std::set<std::string>{"QG601"});
  EXPECT_EQ(Codes(norm(in_float, in_float.Scale("b", {8}, 1.0))), std::set<std::string>{"QG601"});
}

// With the Quantize and Dequantize between them taken in, the graph's tensors have other names.
TEST(Resolve, EndsOfTheGraphKnowTheEndsOfTheFile) {
  OnnxModel m;
  const TensorId out = m.Unit("neg", "Neg", {m.Quantized("x", {1, 4})}, {1, 4}, {});
  const Resolved r = ResolveModel(m.model);
  ASSERT_EQ(r.graph->inputs.size(), 1u);
  ASSERT_EQ(r.graph->outputs.size(), 1u);
  EXPECT_NE(r.graph->tensors[static_cast<size_t>(r.graph->inputs[0])].name, "x");
  EXPECT_EQ(r.end_of.at(r.graph->inputs[0]), m.model.inputs[0]);
  EXPECT_EQ(r.end_of.at(r.graph->outputs[0]), out);
}

TEST(Resolve, HalfQuantizedUnitRunsInFloat) {
  OnnxModel m;
  const TensorId y = m.Op("neg", "Neg", {m.Quantized("x", {1, 4})}, {1, 4}, {});
  m.End(y);
  const Resolved r = ResolveModel(m.model);
  EXPECT_EQ(Ops(r), (std::vector<std::string>{"Dequantize", "ElementWiseNeg"}));
  EXPECT_EQ(Codes(r), std::set<std::string>{"QG601"});
}

TEST(Resolve, AHalfQuantizedUnitSaysWhatItLacks) {
  const auto said = [](const OnnxModel& m) {
    const Resolved r = ResolveModel(m.model);
    return r.findings.empty() ? std::string() : r.findings[0].message.str();
  };
  OnnxModel no_quantize, widened, half, narrow_bias;
  no_quantize.End(no_quantize.Op("n", "Neg", {no_quantize.Quantized("x", {1, 4})}, {1, 4}, {}));
  EXPECT_EQ(said(no_quantize), "Neg runs in float: out[0] goes to no QuantizeLinear, or to others too");
  widened.Unit("n", "Neg", {widened.Quantized("x", {1, 4})}, {1, 4}, {}, 0.001, 32768, Dtype::kUint16);
  EXPECT_EQ(said(widened),
            "Neg runs in float: in[0] is UFIXED_POINT_8 and out[0] is UFIXED_POINT_16, which must be the same");
  half.Unit("a", "Add", {half.Quantized("x", {1, 4}), half.Input("z", {1, 4})}, {1, 4}, {});
  EXPECT_EQ(said(half), "Add runs in float: in[1] comes from no DequantizeLinear");
  narrow_bias.Unit("c", "Conv",
                   {narrow_bias.Quantized("x", {1, 8, 6, 4}), narrow_bias.Weight("w", {8, 8, 1, 1}),
                    narrow_bias.Weight("b", {8})},
                   {1, 8, 6, 4}, {});
  EXPECT_EQ(said(narrow_bias), "Conv runs in float: in[2], its bias, is UFIXED_POINT_8, not SFIXED_POINT_32");
}

TEST(Resolve, EncodingsPassThroughOpsThatMoveValues) {
  OnnxModel m;
  // DQ, Transpose, no Q; Reshape, Q, no DQ before it.
  const TensorId x = m.Quantized("x", {1, 4, 8});
  const TensorId t =
      m.Op("t", "Transpose", {x}, {1, 8, 4}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
  const TensorId n = m.Op("n", "Neg", {t}, {1, 8, 4}, {});
  const TensorId s = m.Op("s", "Reshape", {n, m.Constant("shape", {32})}, {32}, {});
  m.End(m.Requantize("y", s, 0.04, 120));
  const Resolved r = ResolveModel(m.model);
  EXPECT_EQ(Ops(r), (std::vector<std::string>{"Transpose", "ElementWiseNeg", "Reshape"}));
  EXPECT_TRUE(r.findings.empty());
  const Node& neg = r.graph->nodes.at(1);
  EXPECT_EQ(In(r, neg, 0).dtype, Dtype::kUfixedPoint8);
  EXPECT_EQ(neg.inputs[0], r.graph->nodes[0].outputs[0]);
  EXPECT_FLOAT_EQ(Out(r, neg).encoding->scales[0], 0.04f);
  EXPECT_EQ(neg.outputs[0], r.graph->nodes[2].inputs[0]);
}

TEST(Resolve, FloatNeighbourOfAPassedEncodingGetsABorder) {
  OnnxModel m;
  const TensorId t = m.Op("t", "Transpose", {m.Quantized("x", {4, 8})}, {8, 4}, {});
  m.End(m.Op("n", "Neg", {t}, {8, 4}, {}));
  EXPECT_EQ(Ops(ResolveModel(m.model)),
            (std::vector<std::string>{"Transpose", "Dequantize", "ElementWiseNeg"}));
  OnnxModel b;
  const TensorId n = b.Op("n", "Neg", {b.Input("x", {4, 8})}, {4, 8}, {});
  b.Unit("t", "Transpose", {n}, {8, 4}, {});
  EXPECT_EQ(Ops(ResolveModel(b.model)),
            (std::vector<std::string>{"ElementWiseNeg", "Quantize", "Transpose"}));
}

TEST(Resolve, TransposedWeightIsAConstant) {
  OnnxModel m;
  const TensorId w = m.Op("t", "Transpose", {m.Weight("w", {16, 8})}, {8, 16}, {});
  m.Unit("mm", "MatMul", {m.Quantized("x", {2, 8}), w}, {2, 16}, {});
  const Resolved r = ResolveModel(m.model);
  EXPECT_EQ(Ops(r), (std::vector<std::string>{"FullyConnected"}));
  EXPECT_TRUE(In(r, r.graph->nodes.at(0), 1).is_static);
  EXPECT_EQ(r.sources[m.NodeIndex("t")].into, static_cast<int32_t>(m.NodeIndex("mm")));
}

TEST(Resolve, FloatOpsAreJudgedAsFloat) {
  OnnxModel m;
  m.End(m.Op("neg", "Neg", {m.Input("x", {1, 4})}, {1, 4}, {}));
  const Resolved r = ResolveModel(m.model);
  EXPECT_EQ(Ops(r), (std::vector<std::string>{"ElementWiseNeg"}));
  EXPECT_TRUE(r.findings.empty());
  EXPECT_EQ(In(r, r.graph->nodes[0], 0).dtype, Dtype::kFloat32);
}

TEST(Resolve, UnitsOfMixedWidthsRunInFloat) {
  OnnxModel m;
  m.Unit("add", "Add",
         {m.Quantized("x", {1, 4}), m.Quantized("y", {1, 4}, 0.001, 32768, Dtype::kUint16)}, {1, 4},
         {});
  const Resolved r = ResolveModel(m.model);
  EXPECT_EQ(Codes(r), std::set<std::string>{"QG601"});
  EXPECT_EQ(In(r, *FindOp(r, "ElementWiseAdd"), 0).dtype, Dtype::kFloat32);
}

TEST(Resolve, QuantizeOfDequantizedIsConvert) {
  OnnxModel m;
  const TensorId x = m.Quantized("x", {1, 4});
  m.End(m.Requantize("y", x, 0.5, 3));
  const Resolved r = ResolveModel(m.model);
  ASSERT_EQ(Ops(r), (std::vector<std::string>{"Convert"}));
  EXPECT_FLOAT_EQ(Out(r, r.graph->nodes[0]).encoding->scales[0], 0.5f);
}

TEST(Resolve, RunTimeScaleIsRefused) {
  OnnxModel m;
  const TensorId x = m.Input("x", {1, 4});
  const TensorId scale = m.Input("scale", {});
  const TensorId q = m.Op("q", "QuantizeLinear", {x, scale}, {1, 4}, {}, Dtype::kUint8);
  m.End(q);
  const Resolved r = ResolveModel(m.model);
  EXPECT_EQ(Codes(r), std::set<std::string>{"QG603"});
  EXPECT_EQ(r.sources[m.NodeIndex("q")].state, SourceNode::State::kRefused);
}

TEST(Resolve, UnknownOpIsUncheckedAndErfIsRefused) {
  OnnxModel m;
  const TensorId x = m.Input("x", {1, 4});
  m.End(m.Op("a", "NoSuchOperator", {x}, {1, 4}, {}));
  m.End(m.Op("b", "Erf", {x}, {1, 4}, {}));
  const Resolved r = ResolveModel(m.model);
  EXPECT_EQ(r.sources[m.NodeIndex("a")].state, SourceNode::State::kUnchecked);
  EXPECT_NE(r.sources[m.NodeIndex("a")].reason.find("NoSuchOperator"), std::string::npos);
  EXPECT_EQ(r.sources[m.NodeIndex("b")].state, SourceNode::State::kRefused);
  EXPECT_EQ(Codes(r), std::set<std::string>{"QG102"});
}

TEST(Resolve, SliceBoundsAreClampedAndMustBeConstant) {
  OnnxModel m;
  const TensorId x = m.Quantized("x", {1, 8, 6, 4});
  m.Unit("slice", "Slice",
         {x, m.Constant("starts", {-3}), m.Constant("ends", {1000}), m.Constant("axes", {1})},
         {1, 3, 6, 4}, {});
  const TensorId dynamic = m.Input("s", {1}, Dtype::kInt64);
  m.Unit("free", "Slice", {m.Quantized("y", {1, 8}), dynamic, m.Constant("e", {4})}, {1, 4}, {});
  const Resolved r = ResolveModel(m.model);
  const Node* slice = FindOp(r, "StridedSlice");
  ASSERT_NE(slice, nullptr);
  EXPECT_EQ(Ints(*slice, "ranges"), (std::vector<int64_t>{0, 1, 1, 5, 8, 1, 0, 6, 1, 0, 4, 1}));
  EXPECT_EQ(r.sources[m.NodeIndex("free")].state, SourceNode::State::kRefused);
}

TEST(Resolve, ConstantsFoldAndScalarsHaveRankOne) {
  OnnxModel m;
  const TensorId x = m.Quantized("x", {1, 8});
  const TensorId shape = m.Op("shape", "Shape", {x}, {2}, {}, Dtype::kInt64);
  m.Unit("reshape", "Reshape", {x, shape}, {1, 8}, {});
  m.Unit("mul", "Mul", {m.Quantized("y", {1, 8}), m.Weight("s", {})}, {1, 8}, {});
  const Resolved r = ResolveModel(m.model);
  EXPECT_EQ(r.sources[m.NodeIndex("shape")].state, SourceNode::State::kAbsorbed);
  EXPECT_EQ(r.sources[m.NodeIndex("shape")].into, static_cast<int32_t>(m.NodeIndex("reshape")));
  EXPECT_EQ(Dims(In(r, *FindOp(r, "ElementWiseMultiply"), 1)), (std::vector<int64_t>{1}));
}

TEST(Resolve, SoftmaxBelowOpset13FlattensAndOtherAxesAreMoved) {
  OnnxModel m;
  m.model.opset = 11;
  m.Unit("s", "Softmax", {m.Quantized("x", {2, 3, 4})}, {2, 3, 4}, {{"axis", IntParam{1}}});
  EXPECT_EQ(Ops(ResolveModel(m.model)),
            (std::vector<std::string>{"Reshape", "Softmax", "Reshape"}));
  m.model.opset = 13;
  EXPECT_EQ(Ops(ResolveModel(m.model)),
            (std::vector<std::string>{"Transpose", "Softmax", "Transpose"}));
}

// Whatever the shapes and however few the ports: every node has an answer with a reason.
TEST(Resolve, IndicesThatCountFromTheEndAreMadePositive) {
  OnnxModel m;
  m.Unit("g", "Gather", {m.Quantized("x", {1, 4, 8}), m.Constant("i", {-1, 2})}, {1, 2, 8},
         {{"axis", IntParam{1}}});
  const Resolved r = ResolveModel(m.model);
  const Node* gather = FindOp(r, "Gather");
  ASSERT_NE(gather, nullptr);
  ASSERT_NE(In(r, *gather, 1).values, nullptr);
  EXPECT_EQ(In(r, *gather, 1).values->ints, (std::vector<int64_t>{3, 2}));
}

TEST(Resolve, ExpandOfAMaskThatChangesNothingIsLeftOut) {
  const auto ops = [](TestDims to) {
    OnnxModel m;
    const TensorId x = m.Input("x", {1, 4}, Dtype::kBool8);
    const TensorId y = m.Op("e", "Expand", {x, m.Constant("s", to)}, to, {}, Dtype::kBool8);
    m.Op("n", "Not", {y}, to, {}, Dtype::kBool8);
    return Ops(ResolveModel(m.model));
  };
  EXPECT_EQ(ops({1, 4}), std::vector<std::string>{"ElementWiseNot"});
  EXPECT_EQ(ops({2, 4}), (std::vector<std::string>{"ElementWiseAnd", "ElementWiseNot"}));
}

TEST(Resolve, GatherOfBooleansIsCastAround) {
  OnnxModel m;
  m.Op("g", "Gather", {m.Input("x", {4, 8}, Dtype::kBool8), m.Constant("i", {0, 2})}, {2, 8}, {},
       Dtype::kBool8);
  const Resolved r = ResolveModel(m.model);
  EXPECT_EQ(Ops(r), (std::vector<std::string>{"Cast", "Gather", "Cast"}));
  const Tensor& stored = In(r, r.graph->nodes[1], 0);
  EXPECT_EQ(stored.dtype, Dtype::kUfixedPoint8);
  ASSERT_EQ(stored.encoding->scales.size(), 1u);
  EXPECT_EQ(stored.encoding->scales[0], 1);
}

TEST(Resolve, SignedFactorsOfANormalizationArriveUnsigned) {
  const auto factor = [](Dtype dtype, int zero_point) {
    OnnxModel m;
    m.Unit("n", "InstanceNormalization",
           {m.Quantized("x", {1, 8, 4, 4}), m.Weight("w", {8}, dtype),
            m.Weight("b", {8}, Dtype::kInt32)},
           {1, 8, 4, 4}, {});
    const Resolved r = ResolveModel(m.model);
    const Node* norm = FindOp(r, "InstanceNorm");
    EXPECT_NE(norm, nullptr);
    if (norm == nullptr) return;
    const Tensor& t = In(r, *norm, 1);
    EXPECT_EQ(t.dtype, Dtype::kUfixedPoint8);
    ASSERT_EQ(t.encoding->zero_points.size(), 1u);
    EXPECT_EQ(t.encoding->zero_points[0], zero_point);
  };
  factor(Dtype::kInt8, 128);
}

TEST(Resolve, EinsumIsAProductOfMatricesOrRefused) {
  const auto ops = [](std::string equation, TestDims a, TestDims b, TestDims y) {
    OnnxModel m;
    m.Unit("e", "Einsum", {m.Quantized("a", a), m.Quantized("b", b)}, y,
           {{"equation", std::move(equation)}});
    const Resolved r = ResolveModel(m.model);
    return r.sources[4].state == SourceNode::State::kRefused ? std::vector<std::string>{"refused"}
                                                             : Ops(r);
  };
  const std::vector<std::string> product = {"MatMul"};
  EXPECT_EQ(ops("bhwc,hkc->bhwk", {2, 4, 6, 8}, {4, 5, 8}, {2, 4, 6, 5}), product);
  EXPECT_EQ(
      ops("B G H I D, B G H J D -> B G H I J", {1, 2, 3, 4, 8}, {1, 2, 3, 6, 8}, {1, 2, 3, 4, 6}),
      product);
  EXPECT_EQ(ops("bchq,bkhc->bkhq", {1, 2, 4, 8}, {1, 6, 4, 2}, {1, 6, 4, 8}),
            (std::vector<std::string>{"Transpose", "Transpose", "MatMul", "Transpose"}));
  EXPECT_EQ(ops("bhi,bhj->bij", {2, 4, 6}, {2, 4, 5}, {2, 6, 5}),
            std::vector<std::string>{"refused"});
}

TEST(Resolve, EveryMappedOperatorAnswersForOddNodes) {
  const opdb::View& view = Database::Embedded().view();
  const mapping::Mapping mapping(view, "resolve/onnx", nullptr);
  const std::vector<TestDims> shapes = {
      {}, {1}, {2, 3}, {1, 2, 6}, {1, 8, 6, 4}, {1, 2, 6, 6, 6}, {0, -1}};
  for (const std::string_view name : mapping.Names()) {
    const size_t dot = name.rfind('.');
    for (int inputs = 0; inputs <= 5; ++inputs) {
      for (size_t shape = 0; shape <= shapes.size(); ++shape) {
        for (const bool quantized : {false, true}) {
          OnnxModel m;
          const TestDims dims = shape < shapes.size() ? shapes[shape] : TestDims{};
          std::vector<TensorId> ids;
          for (int i = 0; i < inputs; ++i) {
            const std::string n = "x" + std::to_string(i);
            if (i == 3) {
              ids.push_back(kNoTensor);
            } else if (quantized) {
              ids.push_back(i == 1 ? m.Weight(n, dims) : m.Quantized(n, dims));
            } else {
              ids.push_back(i == 1 ? m.Constant(n, {1, 2}) : m.Input(n, dims));
            }
          }
          const TensorId y =
              m.Op("op", dot == std::string_view::npos ? name : name.substr(dot + 1), ids, dims,
                   {{"axis", IntParam{-1}}, {"kernel_shape", TestDims{2, 2}}});
          if (dot != std::string_view::npos) {
            m.model.nodes.back().domain = std::string(name.substr(0, dot));
          }
          const size_t op = m.model.nodes.size() - 1;
          m.End(quantized ? m.Requantize("y", y) : y);
          if (shape == shapes.size()) {
            for (Tensor& t : m.model.tensors) t.unknown_rank = true;
          }
          if (inputs == 5) m.model.nodes[op].outputs.clear();
          const Resolved r = ResolveModel(m.model);
          const SourceNode& source = r.sources[op];
          if (source.state == SourceNode::State::kUnchecked) {
            EXPECT_NE(source.reason, "") << name;
          } else if (source.state == SourceNode::State::kRefused) {
            EXPECT_FALSE(r.findings.empty()) << name;
          }
        }
      }
    }
  }
}

TEST(Resolve, FaultyExpressionsAreErrors) {
  for (const char* text :
       {"", "1 +", "f(", "nope(1)", "[1, 2", "a ? 1", "in[x]", "'open", "dim(1)", "1 2", "((((("}) {
    EXPECT_FALSE(mapping::Expr::Parse(text).ok()) << text;
  }
  EXPECT_FALSE(mapping::Expr::Parse(std::string(100000, '(')).ok());
  EXPECT_FALSE(mapping::Expr::Parse(std::string(100000, '-')).ok());
}

TEST(NearestPlaces, AreThoseOfOnnx) {
  using mapping::Ints;
  using mapping::PlacesOf;
  // From 4 to 2 each place lies between two elements.
  EXPECT_EQ(PlacesOf("half_pixel", "round_prefer_floor", 4, 2), (Ints{0, 2}));
  EXPECT_EQ(PlacesOf("half_pixel", "round_prefer_ceil", 4, 2), (Ints{1, 3}));
  EXPECT_EQ(PlacesOf("half_pixel", "floor", 2, 4), (Ints{0, 0, 0, 1}));
  EXPECT_EQ(PlacesOf("half_pixel", "ceil", 2, 4), (Ints{0, 1, 1, 1}));
  EXPECT_EQ(PlacesOf("asymmetric", "floor", 2, 4), (Ints{0, 0, 1, 1}));
  EXPECT_EQ(PlacesOf("align_corners", "round_prefer_floor", 3, 5), (Ints{0, 0, 1, 1, 2}));
  EXPECT_EQ(PlacesOf("tf_half_pixel_for_nn", "floor", 2, 4), (Ints{0, 0, 1, 1}));
  EXPECT_EQ(PlacesOf("pytorch_half_pixel", "floor", 9, 1), (Ints{0}));
  EXPECT_EQ(PlacesOf("half_pixel_symmetric", "floor", 2, 4), std::nullopt);
  EXPECT_EQ(PlacesOf("asymmetric", "nearest", 2, 4), std::nullopt);
  EXPECT_EQ(PlacesOf("asymmetric", "floor", 0, 4), std::nullopt);
}

}  // namespace
}  // namespace quantgate
