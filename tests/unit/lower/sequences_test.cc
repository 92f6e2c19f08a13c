// Ops that the backend runs one by one, and not in this order; and the scalar that Where has quantized.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "quantgate/validator.h"
#include "tests/unit/support/onnx_model.h"

namespace quantgate {
namespace {

using testing_onnx::Dims;
using testing_onnx::OnnxModel;

Report Check(const Model& model, const char* arch) {
  return Validator(*Target::Parse({.arch = arch})).Check(model);
}

// What is said of a node by a rule; kAccepted: nothing.
Consequence Said(const Report& report, std::string_view node, std::string_view code) {
  for (const Finding& f : report.findings) {
    if (f.node == node && f.rule->code == code) return f.consequence;
  }
  return Consequence::kAccepted;
}

struct Choice {
  std::string comparison = "IsNaN";
  bool negated = false;
  Dims scalar = {};
  const char* arch = "v68";
};

// Where(comparison(x), 0, x), of which x comes from DQ and the result goes to Q.
Report Choose(const Choice& c) {
  OnnxModel m;
  const Dims dims = {1, 4, 8, 8};
  const TensorId x = m.Quantized("x", dims);
  const TensorId nothing = m.Scale("zero", c.scalar, 0.0);
  std::vector<TensorId> compared = {x};
  if (c.comparison != "IsNaN") compared.push_back(m.Input("limit", dims));
  TensorId mask = m.Op("compare", c.comparison, compared, dims, {}, Dtype::kBool8);
  if (c.negated) mask = m.Op("not", "Not", {mask}, dims, {}, Dtype::kBool8);
  m.Unit("where", "Where", {mask, nothing, x}, dims, {});
  return Check(m.model, c.arch);
}

TEST(Sequences, AQuantizedChoiceByAFloatComparisonIsNotPreparedOnV68) {
  for (const char* comparison : {"IsNaN", "Greater", "Equal"}) {
    EXPECT_EQ(Said(Choose({comparison}), "where", "QG620"), Consequence::kPrepareFails) << comparison;
  }
  EXPECT_EQ(Said(Choose({.negated = true}), "where", "QG620"), Consequence::kPrepareFails);
  EXPECT_EQ(Said(Choose({.arch = "v73"}), "where", "QG620"), Consequence::kAccepted);
}

TEST(Sequences, AScalarOfWhereIsQuantizedByTheTool) {
  EXPECT_EQ(Said(Choose({.arch = "v73"}), "where", "QG601"), Consequence::kAccepted);
  // Of rank 1 it is not: the op runs in float.
  EXPECT_EQ(Said(Choose({.scalar = {1}, .arch = "v73"}), "where", "QG601"), Consequence::kAltered);
}

// Div(norm, ReduceMean(norm)) where the norm is a ReduceL2, or written out.
Report DivideByMean(bool written_out, const char* arch) {
  OnnxModel m;
  TensorId x = m.Quantized("x", {1, 8, 8, 16});
  const Dims each = {1, 1, 1, 16}, all = {1, 1, 1, 1};
  const TensorId axes = m.Constant("axes", {1, 2}), last = m.Constant("last", {3});
  if (written_out) {
    x = m.Requantize("m.y", m.Op("m", "Mul", {x, x}, {1, 8, 8, 16}, {}));
    x = m.Requantize("s.y", m.Op("s", "ReduceSum", {x, axes}, each, {}), 0.1, 0);
    x = m.Requantize("r.y", m.Op("r", "Sqrt", {x}, each, {}), 0.1, 0);
  } else {
    x = m.Requantize("a.y", m.Op("a", "Add", {x, x}, {1, 8, 8, 16}, {}));
    x = m.Requantize("n.y", m.Op("n", "ReduceL2", {x, axes}, each, {}), 0.1, 0);
  }
  const TensorId mean = m.Requantize("mean.y", m.Op("mean", "ReduceMean", {x, last}, all, {}), 0.1, 0);
  m.Unit("div", "Div", {x, mean}, each, {});
  return Check(m.model, arch);
}

TEST(Sequences, ADivisionByAMeanOfFloatNormsIsNotPreparedOnV68) {
  EXPECT_EQ(Said(DivideByMean(false, "v68"), "div", "QG620"), Consequence::kPrepareFails);
  EXPECT_EQ(Said(DivideByMean(false, "v73"), "div", "QG620"), Consequence::kAccepted);
  EXPECT_EQ(Said(DivideByMean(true, "v68"), "div", "QG620"), Consequence::kAccepted);
}

struct Mean {
  Dtype dtype = Dtype::kUint16;
  Dims reshaped = {1, 64, 1, 49};
  std::vector<int64_t> axes = {-1, -2};
  bool transposed = true;
};

Report TakeMean(const Mean& c) {
  OnnxModel m;
  const int zero = c.dtype == Dtype::kUint16 ? 32768 : 128;
  const auto quantized = [&](const char* name, TensorId x) { return m.Requantize(name, x, 0.001, zero, c.dtype); };
  TensorId x = quantized("x", m.Input("in", c.transposed ? Dims{1, 49, 64} : Dims{1, 64, 49}));
  x = quantized("a.y", m.Op("a", "Add", {x, x}, c.transposed ? Dims{1, 49, 64} : Dims{1, 64, 49}, {}));
  if (c.transposed) {
    x = quantized("t.y", m.Op("t", "Transpose", {x}, {1, 64, 49}, {{"perm", std::vector<int64_t>{0, 2, 1}}}));
  }
  x = quantized("r.y", m.Op("r", "Reshape", {x, m.Constant("shape", c.reshaped)}, c.reshaped, {}));
  const Dims out = {1, 64};
  m.End(quantized("mean.y", m.Op("mean", "ReduceMean", {x, m.Constant("axes", c.axes)}, out,
                                  {{"keepdims", IntParam{0}}})));
  return Check(m.model, "v73");
}

TEST(Sequences, AMeanOverASingleAndALongAxisBehindATransposeIsWrongIn16Bits) {
  EXPECT_EQ(Said(TakeMean({}), "mean", "QG620"), Consequence::kWrongValues);
  EXPECT_EQ(Said(TakeMean({.dtype = Dtype::kUint8}), "mean", "QG620"), Consequence::kAccepted);
  EXPECT_EQ(Said(TakeMean({.reshaped = {1, 64, 49, 1}}), "mean", "QG620"), Consequence::kAccepted);
  EXPECT_EQ(Said(TakeMean({.reshaped = {1, 64, 7, 7}}), "mean", "QG620"), Consequence::kAccepted);
  EXPECT_EQ(Said(TakeMean({.axes = {-1}}), "mean", "QG620"), Consequence::kAccepted);
  EXPECT_EQ(Said(TakeMean({.transposed = false}), "mean", "QG620"), Consequence::kAccepted);
}

struct Norm {
  int64_t channels = 48, rows = 4;
  bool convolution = true;
  int sums = 1;
  bool scalar = false;
  bool read_again = false;
};

// Conv, Add, Reshape, InstanceNormalization, Reshape, Mul: a GroupNormalization of one group as it is exported.
Report Normalize(const Norm& c) {
  OnnxModel m;
  const Dims image = {1, c.channels, c.rows, 4}, flat = {1, 1, c.channels * c.rows * 4};
  TensorId x = m.Quantized("x", image);
  if (c.convolution) {
    const TensorId weight = m.Weight("w", {c.channels, c.channels, 1, 1});
    x = m.Requantize("c.y", m.Op("conv", "Conv", {x, weight}, image, {}));
  }
  for (int i = 0; i < c.sums; ++i) {
    const std::string name = "a" + std::to_string(i);
    x = m.Requantize(name + ".y", m.Op(name, "Add", {x, x}, image, {}), 0.04);
  }
  const TensorId sum = x;
  x = m.Requantize("r.y", m.Op("r", "Reshape", {x, m.Constant("flat", flat)}, flat, {}), 0.04);
  const TensorId scale = m.Weight("scale", {1}, Dtype::kUint8, 0, 0.004), shift = m.Weight("shift", {1}, Dtype::kInt32);
  x = m.Requantize("n.y", m.Op("n", "InstanceNormalization", {x, scale, shift}, flat, {}), 0.03);
  x = m.Requantize("i.y", m.Op("i", "Reshape", {x, m.Constant("image", image)}, image, {}), 0.03);
  const Dims factors = c.scalar ? Dims{1} : Dims{c.channels, 1, 1};
  m.Unit("mul", "Mul", {x, m.Weight("f", factors, Dtype::kUint8, 0, 0.004)}, image, {});
  if (c.read_again) m.Unit("residual", "Relu", {sum}, image, {});
  return Check(m.model, "v73");
}

TEST(Sequences, TheProductBehindANormOverAllChannelsIsZero) {
  const auto said = [](const Norm& c) { return Said(Normalize(c), "mul", "QG620"); };
  EXPECT_EQ(said({}), Consequence::kWrongValues);
  EXPECT_EQ(said({.read_again = true}), Consequence::kWrongValues);
  EXPECT_EQ(said({.channels = 32}), Consequence::kAccepted);
  EXPECT_EQ(said({.channels = 64}), Consequence::kAccepted);
  EXPECT_EQ(said({.rows = 1}), Consequence::kAccepted);
  EXPECT_EQ(said({.rows = 9}), Consequence::kAccepted);
  EXPECT_EQ(said({.convolution = false}), Consequence::kAccepted);
  EXPECT_EQ(said({.sums = 0}), Consequence::kAccepted);
  EXPECT_EQ(said({.sums = 2}), Consequence::kAccepted);
  EXPECT_EQ(said({.scalar = true}), Consequence::kAccepted);
}

}  // namespace
}  // namespace quantgate
