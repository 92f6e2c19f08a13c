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

struct Gelu {
  Dims dims = {1, 16, 32};
  Dtype dtype = Dtype::kUint16;
  const char* activation = "Tanh";
  const char* between = "Add";
  bool constant = true;
  const char* last = "Mul";
};

// The end of the GELU that is written out: Mul(Add(Tanh(x), 1), 0.5).
Report MultiplyTanh(const Gelu& c) {
  OnnxModel m;
  const int zero = c.dtype == Dtype::kUint16 ? 32768 : 128;
  const auto quantized = [&](const char* name, TensorId x) { return m.Requantize(name, x, 0.001, zero, c.dtype); };
  const TensorId in = quantized("x", m.Input("in", c.dims));
  TensorId x = quantized("t.y", m.Op("t", c.activation, {in}, c.dims, {}));
  const TensorId one = c.constant ? m.Weight("one", {}, c.dtype, 0) : in;
  if (c.between[0] != 0) x = quantized("a.y", m.Op("a", c.between, {x, one}, c.dims, {}));
  m.End(quantized("m.y", m.Op("m", c.last, {x, m.Weight("half", {}, c.dtype, 0)}, c.dims, {})));
  return Check(m.model, "v73");
}

TEST(Sequences, AProductOfA16BitTanhOver16RowsIsWrong) {
  const auto said = [](const Gelu& c) { return Said(MultiplyTanh(c), "m", "QG620"); };
  EXPECT_EQ(said({}), Consequence::kWrongValues);
  EXPECT_EQ(said({.dims = {16, 7}}), Consequence::kWrongValues);
  EXPECT_EQ(said({.dims = {1, 1, 16, 64}}), Consequence::kWrongValues);
  EXPECT_EQ(said({.between = ""}), Consequence::kWrongValues);
  EXPECT_EQ(said({.between = "Sub"}), Consequence::kWrongValues);
  EXPECT_EQ(said({.dims = {1, 17, 32}}), Consequence::kAccepted);
  EXPECT_EQ(said({.dims = {2, 16, 32}}), Consequence::kAccepted);
  EXPECT_EQ(said({.dims = {1, 1536}}), Consequence::kAccepted);
  EXPECT_EQ(said({.dtype = Dtype::kUint8}), Consequence::kAccepted);
  EXPECT_EQ(said({.activation = "Sigmoid"}), Consequence::kAccepted);
  EXPECT_EQ(said({.constant = false}), Consequence::kAccepted);
  EXPECT_EQ(said({.last = "Div"}), Consequence::kAccepted);
}

// Conv, Resize, and a sum with its result; the scales of the Resize as they are, or quantized.
Report ResizeAndAdd(bool quantized_scales, const char* with, const char* mode, const char* arch) {
  OnnxModel m;
  TensorId x = m.Unit("c", "Conv", {m.Quantized("x", {1, 8, 6, 4}), m.Weight("w", {8, 8, 1, 1})}, {1, 8, 6, 4}, {});
  const TensorId scales = quantized_scales ? m.Weight("s", {4}) : m.Scale("s", {4}, 1);
  x = m.Unit("r", "Resize", {x, kNoTensor, scales}, {1, 8, 12, 8},
             {{"mode", std::string(mode)}, {"coordinate_transformation_mode", std::string("asymmetric")},
              {"nearest_mode", std::string("floor")}});
  const bool constant = with == std::string_view("constant");
  const TensorId other = constant ? m.Weight("k", {1, 8, 1, 1}) : m.Quantized("y", {1, 8, 12, 8});
  m.Unit("a", constant ? "Add" : with, {x, other}, {1, 8, 12, 8}, {});
  return Check(m.model, arch);
}

TEST(Sequences, AResizeWithQuantizedScalesRunsInFloat) {
  const auto verdict = [](const Report& report, std::string_view node) {
    const auto at = std::find_if(report.nodes.begin(), report.nodes.end(),
                                 [&](const NodeReport& n) { return n.name == node; });
    return at == report.nodes.end() ? Consequence::kUnchecked : at->verdict;
  };
  EXPECT_EQ(verdict(ResizeAndAdd(true, "Add", "nearest", "v73"), "r"), Consequence::kAltered);
  EXPECT_EQ(verdict(ResizeAndAdd(false, "Add", "nearest", "v73"), "r"), Consequence::kAccepted);
  EXPECT_EQ(verdict(ResizeAndAdd(true, "Add", "nearest", "v68"), "a"), Consequence::kPrepareFails);
  EXPECT_EQ(verdict(ResizeAndAdd(true, "Max", "nearest", "v68"), "a"), Consequence::kPrepareFails);
  EXPECT_EQ(verdict(ResizeAndAdd(false, "Add", "nearest", "v68"), "a"), Consequence::kAccepted);
  EXPECT_EQ(verdict(ResizeAndAdd(true, "Mul", "nearest", "v68"), "a"), Consequence::kAccepted);
  EXPECT_EQ(verdict(ResizeAndAdd(true, "constant", "nearest", "v68"), "a"), Consequence::kAccepted);
  EXPECT_EQ(verdict(ResizeAndAdd(true, "Add", "linear", "v68"), "a"), Consequence::kAccepted);
  EXPECT_EQ(verdict(ResizeAndAdd(true, "Add", "nearest", "v73"), "a"), Consequence::kAccepted);
}

struct Moved {
  std::vector<int64_t> perm = {0, 3, 1, 2};
  std::vector<std::string> before = {};  // between the Transpose and the Reshape
  Dims reshaped = {32};
  std::string after = "Gather";
  std::string last = "Transpose";
  const char* arch = "v73";
};

// Transpose, Reshape to one dimension, Gather by indices of two, Transpose.
Report MoveTranspose(const Moved& c) {
  OnnxModel m;
  const Dims from = {1, 2, 2, 8};
  Dims dims;
  for (const int64_t axis : c.perm) dims.push_back(from[static_cast<size_t>(axis)]);
  TensorId x = m.Unit("t", "Transpose", {m.Quantized("x", from)}, dims, {{"perm", c.perm}});
  for (const std::string& op : c.before) {
    std::vector<Param> params;
    if (op == "MaxPool") params.push_back({"kernel_shape", std::vector<int64_t>{1, 1}});
    x = m.Unit(op, op, {x}, dims, params);
  }
  x = m.Unit("r", "Reshape", {x, m.Constant("s", c.reshaped)}, c.reshaped, {});
  Dims wide = {4, 8};
  if (c.after == "Gather") {
    const TensorId indices = m.Constant("i", std::vector<int64_t>(32, 1));
    m.model.tensors[static_cast<size_t>(indices)].dims = {4, 8};
    if (c.reshaped.size() > 1) wide = {4, 8, c.reshaped[1]};
    x = m.Unit("g", "Gather", {x, indices}, wide, {{"axis", IntParam{0}}});
  } else {
    wide = {1, 32};
    x = m.Unit("g", c.after, {x, m.Constant("i", c.after == "Reshape" ? wide : Dims{0})}, wide, {});
  }
  std::vector<int64_t> order;
  Dims out;
  for (size_t i = wide.size(); i-- > 0;) {
    order.push_back(static_cast<int64_t>(i));
    out.push_back(wide[i]);
  }
  if (c.last == "Transpose") {
    m.Unit("e", "Transpose", {x}, out, {{"perm", order}});
  } else {
    m.Unit("e", c.last, {x}, wide, {});
  }
  return Check(m.model, c.arch);
}

TEST(MovedTransposes, EndTheSessionAtAReshapeToOneDimension) {
  const auto said = [](const Moved& c) { return Said(MoveTranspose(c), "r", "QG620"); };
  EXPECT_EQ(said({}), Consequence::kPrepareFails);
  EXPECT_EQ(said({.arch = "v68"}), Consequence::kPrepareFails);
  EXPECT_EQ(said({.perm = {0, 2, 3, 1}}), Consequence::kPrepareFails);
  EXPECT_EQ(said({.before = {"Relu", "Tanh"}}), Consequence::kPrepareFails);
  EXPECT_EQ(said({.before = {"MaxPool"}}), Consequence::kPrepareFails);
  EXPECT_EQ(said({.after = "Unsqueeze"}), Consequence::kPrepareFails);
  EXPECT_EQ(said({.perm = {0, 1, 3, 2}}), Consequence::kAccepted);
  EXPECT_EQ(said({.perm = {0, 2, 1, 3}}), Consequence::kAccepted);
  EXPECT_EQ(said({.reshaped = {8, 4}}), Consequence::kAccepted);
  EXPECT_EQ(said({.after = "Reshape"}), Consequence::kAccepted);
  EXPECT_EQ(said({.last = "Relu"}), Consequence::kAccepted);
}

// A cast to int32 and at once back: the fractions stay. With something between they are cut.
TEST(Sequences, ACastToIntegersAndBackIsLeftOut) {
  for (const bool between : {false, true}) {
    OnnxModel m;
    const Dims dims = {4, 8};
    TensorId whole = m.Op("whole", "Cast", {m.Input("x", dims)}, dims, {{"to", IntParam{6}}}, Dtype::kInt32);
    if (between) whole = m.Op("sum", "Add", {whole, whole}, dims, {}, Dtype::kInt32);
    m.Op("back", "Cast", {whole}, dims, {{"to", IntParam{1}}});
    EXPECT_EQ(Said(Check(m.model, "v73"), "back", "QG620"),
              between ? Consequence::kAccepted : Consequence::kAdvice);
  }
}

}  // namespace
}  // namespace quantgate
