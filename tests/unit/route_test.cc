#include "core/route/route.h"

#include <gtest/gtest.h>

#include "core/resolve/resolve.h"
#include "quantgate/database.h"
#include "tests/unit/onnx_model.h"

namespace quantgate {
namespace {

using testing_onnx::OnnxModel;

Resolved Take(const Model& model, Route route) {
  const Target target = *Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = "v73"});
  Resolved r = Resolve(model, target, Database::Embedded().view());
  ApplyRoute(route, target, Database::Embedded().view(), r);
  return r;
}
const Tensor& TensorOf(const Resolved& r, TensorId id) {
  return r.graph->tensors[static_cast<size_t>(id)];
}

TEST(Route, DefaultsByDialect) {
  EXPECT_EQ(DefaultRoute(Dialect::kOnnx), Route::kOnnxruntime);
  EXPECT_EQ(DefaultRoute(Dialect::kAten), Route::kExecutorch);
  EXPECT_EQ(DefaultRoute(Dialect::kQnn), Route::kDirect);
}

TEST(Route, CopyWithOtherScaleRunsInFloat) {
  OnnxModel m;
  m.Unit("r", "Reshape", {m.Quantized("x", {1, 8}, 0.02), m.Constant("s", {8})}, {8}, {}, 0.03,
         100);
  const Resolved r = Take(m.model, Route::kOnnxruntime);
  ASSERT_EQ(r.graph->nodes.size(), 3u);
  EXPECT_EQ(r.graph->nodes[0].op, "Dequantize");
  EXPECT_EQ(r.graph->nodes[2].op, "Quantize");
  EXPECT_EQ(r.op_source, (std::vector<int32_t>{2, 2, 2}));
  const Node& reshape = r.graph->nodes[1];
  EXPECT_EQ(TensorOf(r, reshape.inputs[0]).dtype, Dtype::kFloat32);
  EXPECT_EQ(TensorOf(r, reshape.outputs[0]).dtype, Dtype::kFloat32);
  EXPECT_FLOAT_EQ(TensorOf(r, r.graph->nodes[2].outputs[0]).encoding.scales[0], 0.03f);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule->code, "QG602");
  EXPECT_EQ(r.findings[0].consequence, Consequence::kAltered);
  ASSERT_EQ(r.changes.size(), 1u);
  EXPECT_EQ(r.changes[0].kind, ChangeKind::kFloat);
  EXPECT_EQ(r.changes[0].written, "UFIXED_POINT_8");
  EXPECT_EQ(r.changes[0].runs, "FLOAT_16");
}

TEST(Route, CopyWithOtherZeroPointGetsAConvert) {
  OnnxModel m;
  m.Unit("r", "Reshape", {m.Quantized("x", {1, 8}, 0.03), m.Constant("s", {8})}, {8}, {}, 0.03,
         100);
  const Resolved direct = Take(m.model, Route::kDirect);
  ASSERT_EQ(direct.graph->nodes.size(), 1u);
  EXPECT_TRUE(direct.findings.empty());

  const Resolved r = Take(m.model, Route::kOnnxruntime);
  ASSERT_EQ(r.graph->nodes.size(), 2u);
  EXPECT_EQ(r.graph->nodes[1].op, "Convert");
  EXPECT_EQ(r.op_source, (std::vector<int32_t>{2, 2}));
  const Node& reshape = r.graph->nodes[0];
  EXPECT_EQ(TensorOf(r, reshape.outputs[0]).encoding, TensorOf(r, reshape.inputs[0]).encoding);
  EXPECT_FLOAT_EQ(TensorOf(r, r.graph->nodes[1].outputs[0]).encoding.scales[0], 0.03f);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule->code, "QG602");
  EXPECT_EQ(r.findings[0].consequence, Consequence::kAltered);
  EXPECT_EQ(r.findings[0].node_index, 2);
}

TEST(Route, SoftmaxWithOtherScaleIsConvertedFromTheFixedOne) {
  OnnxModel m;
  const TensorId x = m.Quantized("x", {1, 8});
  m.Unit("s", "Softmax", {x}, {1, 8}, {}, 0.01, 0);
  m.Unit("t", "Softmax", {x}, {1, 8}, {}, 1.0 / 256, 10);
  const Resolved r = Take(m.model, Route::kOnnxruntime);
  ASSERT_EQ(r.graph->nodes.size(), 3u);
  EXPECT_EQ(r.graph->nodes[1].op, "Convert");
  EXPECT_FLOAT_EQ(TensorOf(r, r.graph->nodes[0].outputs[0]).encoding.scales[0], 1.0f / 256);
  EXPECT_FLOAT_EQ(TensorOf(r, r.graph->nodes[1].outputs[0]).encoding.scales[0], 0.01f);
  ASSERT_EQ(r.changes.size(), 1u);
  EXPECT_EQ(r.changes[0].kind, ChangeKind::kConvert);
}

TEST(Route, CopyWithOneEncodingIsLeftAlone) {
  OnnxModel m;
  m.Unit("r", "Reshape", {m.Quantized("x", {1, 8}), m.Constant("s", {8})}, {8}, {});
  const Resolved r = Take(m.model, Route::kOnnxruntime);
  EXPECT_EQ(r.graph->nodes.size(), 1u);
  EXPECT_TRUE(r.findings.empty());
}

TEST(Route, ConvertBehindAChannelsLastOpKeepsTheLayout) {
  OnnxModel m;
  m.Unit("p", "MaxPool", {m.Quantized("x", {1, 8, 6, 4}, 0.03)}, {1, 8, 5, 3},
         {{"kernel_shape", std::vector<int64_t>{2, 2}}}, 0.03, 100);
  const Resolved r = Take(m.model, Route::kOnnxruntime);
  ASSERT_EQ(r.graph->nodes.size(), 2u);
  const TensorId copied = r.graph->nodes[0].outputs[0];
  EXPECT_EQ(TensorOf(r, copied).dims, TensorOf(r, r.graph->nodes[1].outputs[0]).dims);
  EXPECT_TRUE(r.layout.contains(copied));
}

TEST(Route, SixteenBitSigmoidIsReplacedAndWrongAtTheEnd) {
  OnnxModel m;
  const TensorId x = m.Quantized("x", {1, 8}, 0.001, 32768, Dtype::kUint16);
  const TensorId y =
      m.Requantize("y", m.Op("s", "Sigmoid", {x}, {1, 8}, {}), 0.0001, 100, Dtype::kUint16);
  m.Unit("n", "Neg", {y}, {1, 8}, {}, 0.0001, 65535, Dtype::kUint16);
  m.Unit("t", "Tanh", {x}, {1, 8}, {}, 0.0001, 100, Dtype::kUint16);
  const Resolved r = Take(m.model, Route::kOnnxruntime);
  ASSERT_EQ(r.findings.size(), 2u);
  EXPECT_EQ(r.findings[0].consequence, Consequence::kAltered);
  EXPECT_EQ(r.findings[1].consequence, Consequence::kWrongValues);
  EXPECT_FLOAT_EQ(TensorOf(r, r.graph->nodes[0].outputs[0]).encoding.scales[0], 1.0f / 65536);
  // What the next op reads is the same tensor.
  EXPECT_EQ(r.graph->nodes[1].inputs[0], r.graph->nodes[0].outputs[0]);
}

TEST(Route, EightBitSigmoidIsLeftAlone) {
  OnnxModel m;
  m.Unit("s", "Sigmoid", {m.Quantized("x", {1, 8})}, {1, 8}, {}, 0.01, 3);
  EXPECT_TRUE(Take(m.model, Route::kOnnxruntime).findings.empty());
}

TEST(Route, BiasOfAnotherScaleIsRequantized) {
  for (const bool per_channel : {false, true}) {
    for (const double scale : {0.0002, 0.001}) {  // 0.02 x 0.01, and another
      OnnxModel m;
      const TensorId w =
          per_channel ? m.PerChannelWeight("w", {8, 8, 1, 1}, 0) : m.Weight("w", {8, 8, 1, 1});
      const TensorId b = m.Weight("b", {8}, Dtype::kInt32, 0, scale);
      m.Unit("c", "Conv", {m.Quantized("x", {1, 8, 6, 4}), w, b}, {1, 8, 6, 4}, {});
      const Resolved r = Take(m.model, Route::kOnnxruntime);
      if (scale == 0.0002) {
        EXPECT_TRUE(r.findings.empty());
        continue;
      }
      ASSERT_EQ(r.findings.size(), 1u);
      EXPECT_EQ(r.findings[0].rule->code, "QG605");
      EXPECT_EQ(r.findings[0].consequence,
                per_channel ? Consequence::kWrongValues : Consequence::kAltered);
      EXPECT_NEAR(TensorOf(r, r.graph->nodes[0].inputs[2]).encoding.scales[0], 0.0002, 1e-9);
    }
  }
}

TEST(Route, DynamicSixteenBitOperandIsNarrowed) {
  OnnxModel m;
  m.Unit("mm", "MatMul",
         {m.Quantized("a", {1, 4, 8}, 0.001, 32768, Dtype::kUint16),
          m.Quantized("b", {1, 8, 4}, 0.001, 32768, Dtype::kUint16)},
         {1, 4, 4}, {}, 0.001, 32768, Dtype::kUint16);
  const Resolved r = Take(m.model, Route::kOnnxruntime);
  ASSERT_EQ(r.graph->nodes.size(), 2u);
  EXPECT_EQ(r.graph->nodes[0].op, "Convert");
  const Tensor& b = TensorOf(r, r.graph->nodes[1].inputs[1]);
  EXPECT_EQ(b.dtype, Dtype::kUfixedPoint8);
  EXPECT_FLOAT_EQ(b.encoding.scales[0], 0.257f);
  EXPECT_EQ(b.encoding.zero_points[0], 128);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule->code, "QG605");
}

TEST(Route, WhatTheProviderDoesNotHandOverIsRejected) {
  OnnxModel m;
  m.Unit("p", "ReduceProd", {m.Quantized("x", {1, 8})}, {1, 1}, {});
  const Resolved r = Take(m.model, Route::kOnnxruntime);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule->code, "QG103");
  EXPECT_EQ(r.findings[0].consequence, Consequence::kRejected);
  EXPECT_TRUE(Take(m.model, Route::kDirect).findings.empty());
}

}  // namespace
}  // namespace quantgate
