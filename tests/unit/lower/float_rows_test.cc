// What the provider of ONNX Runtime makes of floats: each row by the models that it was measured
// with, and the nearest that are right.
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "quantgate/validator.h"
#include "tests/unit/support/onnx_model.h"

namespace quantgate {
namespace {

using testing_onnx::Dims;
using testing_onnx::OnnxModel;

Report Check(const Model& model) {
  const Target target = *Target::Parse({.sdk = "2.51", .arch = "v73"});
  return Validator(target, {.route = "onnxruntime"}).Check(model);
}

// What is said of ops that are built otherwise; empty: nothing.
std::string Said(const Model& model) {
  for (const Finding& f : Check(model).findings) {
    if (f.rule->code == "QG620") return f.message;
  }
  return "";
}

TEST(FloatRows, AnRmsNormInSinglePrecisionIsNotPreparedInOneOfItsForms) {
  struct Form {
    bool scale_first, reciprocal, reciprocal_first;
    Dtype dtype;
  };
  const auto said = [](const Form& form) {
    OnnxModel m;
    const auto add = [&](std::string_view name, std::string_view op, std::vector<TensorId> inputs,
                         const Dims& dims) {
      return m.Op(name, op, std::move(inputs), dims, {}, form.dtype);
    };
    const auto scalar = [&](std::string_view name, const Dims& dims, double value) {
      const TensorId id = m.Scale(name, dims, value);
      m.model.tensors[static_cast<size_t>(id)].dtype = form.dtype;
      return id;
    };
    const TensorId x = m.Input("x", {1, 4, 48}, form.dtype), weight = scalar("w", {48}, 1);
    const TensorId square = add("square", "Pow", {x, scalar("two", {}, 2)}, {1, 4, 48});
    const TensorId mean = add("mean", "ReduceMean", {square, m.Constant("axes", {-1})}, {1, 4, 1});
    const TensorId sum = add("sum", "Add", {mean, scalar("eps", {}, 1e-6)}, {1, 4, 1});
    const TensorId root = add("root", "Sqrt", {sum}, {1, 4, 1});
    const TensorId factor = form.reciprocal
                                ? add("factor", "Reciprocal", {root}, {1, 4, 1})
                                : add("factor", "Div", {scalar("one", {}, 1), root}, {1, 4, 1});
    const TensorId norm = form.reciprocal_first ? add("norm", "Mul", {factor, x}, {1, 4, 48})
                                                : add("norm", "Mul", {x, factor}, {1, 4, 48});
    m.model.outputs = {form.scale_first ? add("scaled", "Mul", {weight, norm}, {1, 4, 48})
                                        : add("scaled", "Mul", {norm, weight}, {1, 4, 48})};
    return Said(m.model);
  };
  EXPECT_NE(said({true, true, false, Dtype::kFloat32}), "");
  EXPECT_EQ(said({false, true, false, Dtype::kFloat32}), "") << "the scale is the second factor";
  EXPECT_EQ(said({true, false, false, Dtype::kFloat32}), "") << "a Div";
  EXPECT_EQ(said({true, true, true, Dtype::kFloat32}), "") << "the Reciprocal is the first factor";
  EXPECT_EQ(said({true, true, false, Dtype::kFloat16}), "");
}

TEST(FloatRows, FiveDimensionsBehindAConvolutionOfOneRowAreNotPreparedInSinglePrecision) {
  const auto said = [](const Dims& image, const Dims& shape, bool relu, Dtype dtype) {
    OnnxModel m;
    const TensorId w = m.Scale("w", {32, 16, 1, 1}, 0.1);
    m.model.tensors[static_cast<size_t>(w)].dtype = dtype;
    Dims in = {1, 16}, out = {1, 32};
    for (Dims* const dims : {&in, &out}) dims->insert(dims->end(), image.begin(), image.end());
    TensorId x = m.Op("c", "Conv", {m.Input("x", in, dtype), w}, out, {}, dtype);
    if (relu) x = m.Op("r", "Relu", {x}, out, {}, dtype);
    m.model.outputs = {m.Op("s", "Reshape", {x, m.Constant("shape", shape)}, shape, {}, dtype)};
    return Said(m.model);
  };
  EXPECT_NE(said({1, 1}, {1, 2, 16, 1, 1}, false, Dtype::kFloat32), "");
  EXPECT_NE(said({1, 8}, {1, 2, 16, 1, 8}, false, Dtype::kFloat32), "");
  EXPECT_EQ(said({1, 1}, {1, 2, 16, 1, 1}, true, Dtype::kFloat32), "");
  EXPECT_EQ(said({1, 1}, {1, 2, 16, 1, 1}, false, Dtype::kFloat16), "");
  EXPECT_EQ(said({2, 2}, {1, 2, 16, 2, 2}, false, Dtype::kFloat32), "");
  EXPECT_EQ(said({1, 1}, {1, 2, 4, 4, 1}, false, Dtype::kFloat32), "");
}

TEST(FloatRows, ASoftmaxOverAnotherAxisBehindAProductWithAScalarIsNotPreparedInSinglePrecision) {
  const auto said = [](int64_t axis, const Dims& factor, bool op_between, Dtype dtype) {
    OnnxModel m;
    const TensorId c = m.Scale("c", factor, 0.35);
    m.model.tensors[static_cast<size_t>(c)].dtype = dtype;
    const Dims dims = {1, 4, 8, 64};
    TensorId x = m.Op("m", "Mul", {m.Input("x", dims, dtype), c}, dims, {}, dtype);
    if (op_between) x = m.Op("r", "Relu", {x}, dims, {}, dtype);
    m.model.outputs = {m.Op("s", "Softmax", {x}, dims, {{"axis", IntParam{axis}}}, dtype)};
    return Said(m.model);
  };
  for (const int64_t axis : {-3, 1, 2})
    EXPECT_NE(said(axis, {}, false, Dtype::kFloat32), "") << axis;
  for (const int64_t axis : {-1, 3}) EXPECT_EQ(said(axis, {}, false, Dtype::kFloat32), "") << axis;
  EXPECT_EQ(said(2, {1}, false, Dtype::kFloat32), "") << "a constant of one dimension";
  EXPECT_EQ(said(2, {}, true, Dtype::kFloat32), "") << "an op between";
  EXPECT_EQ(said(2, {}, false, Dtype::kFloat16), "");
}

TEST(FloatRows, AScaledInputOfFiveDimensionsIsNotPreparedInSinglePrecision) {
  const auto said = [](bool op_before, const Dims& factor, const Dims& shape, Dtype dtype) {
    OnnxModel m;
    const TensorId c = m.Scale("c", factor, 0.35);
    m.model.tensors[static_cast<size_t>(c)].dtype = dtype;
    TensorId x = m.Input("x", {1, 8, 64}, dtype);
    if (op_before) x = m.Op("r", "Relu", {x}, {1, 8, 64}, {}, dtype);
    x = m.Op("m", "Mul", {c, x}, {1, 8, 64}, {}, dtype);
    m.model.outputs = {m.Op("s", "Reshape", {x, m.Constant("shape", shape)}, shape, {}, dtype)};
    return Said(m.model);
  };
  EXPECT_NE(said(false, {}, {1, 2, 4, 8, 8}, Dtype::kFloat32), "");
  EXPECT_NE(said(false, {1, 1}, {1, 1, 8, 64, 1}, Dtype::kFloat32), "");
  EXPECT_EQ(said(true, {}, {1, 2, 4, 8, 8}, Dtype::kFloat32), "") << "behind another op";
  EXPECT_EQ(said(false, {}, {1, 2, 4, 64}, Dtype::kFloat32), "");
  EXPECT_EQ(said(false, {64}, {1, 2, 4, 8, 8}, Dtype::kFloat32), "") << "a factor for each column";
  EXPECT_EQ(said(false, {}, {1, 2, 4, 8, 8}, Dtype::kFloat16), "");
}

// The sizes of rows at the borders of what was measured.
TEST(FloatRows, ThePaddingAtTheEndOfRowsIsNotWrittenBehindAnActivationInFloat) {
  const auto said = [](int64_t columns, int64_t before, int64_t behind, bool conv) {
    OnnxModel m;
    const Dims dims = {1, 8, 4, columns}, out = {1, 8, 4, columns + before + behind};
    TensorId x = m.Input("x", dims, Dtype::kFloat32);
    if (conv) {
      const TensorId w = m.Scale("w", {8, 8, 1, 1}, 0.1);
      m.model.tensors[static_cast<size_t>(w)].dtype = Dtype::kFloat32;
      x = m.Op("c", "Conv", {x, w}, dims, {}, Dtype::kFloat32);
    }
    x = m.Op("r", "Relu", {x}, dims, {}, Dtype::kFloat32);
    const TensorId pads = m.Constant("pads", {0, 0, 1, before, 0, 0, 0, behind});
    Dims padded = out;
    ++padded[2];
    m.model.outputs = {m.Op("p", "Pad", {x, pads}, padded, {}, Dtype::kFloat32)};
    return Check(m.model).verdict;
  };
  const Consequence usual = Consequence::kAdvice;
  for (const auto& [columns, behind] : {std::pair(5, 1), {16, 16}, {33, 31}, {62, 2}, {100, 28}}) {
    EXPECT_EQ(said(columns, 0, behind, false), Consequence::kWrongValues)
        << columns << " + " << behind;
  }
  for (const auto& [columns, behind] :
       {std::pair(4, 1), {17, 1}, {32, 8}, {33, 32}, {62, 3}, {64, 1}}) {
    EXPECT_EQ(said(columns, 0, behind, false), usual) << columns << " + " << behind;
  }
  EXPECT_EQ(said(16, 1, 1, false), usual) << "columns before too";
  EXPECT_EQ(said(16, 0, 2, true), usual) << "behind a convolution";
}

TEST(FloatRows, AveragesInFloatAreWrongWherePaddingIsNotCounted) {
  const auto said = [](int64_t channels, int64_t size, int64_t counted, Dtype dtype) {
    OnnxModel m;
    const Dims dims = {1, channels, size, size};
    m.model.outputs = {m.Op("a", "AveragePool", {m.Input("x", dims, dtype)}, dims,
                            {{"kernel_shape", std::vector<int64_t>{3, 3}},
                             {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                             {"count_include_pad", IntParam{counted}}},
                            dtype)};
    return Check(m.model).verdict == Consequence::kWrongValues;
  };
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16}) {
    EXPECT_TRUE(said(16, 14, 0, dtype));
    EXPECT_TRUE(said(31, 56, 0, dtype));
    EXPECT_FALSE(said(32, 14, 0, dtype)) << "32 channels";
    EXPECT_FALSE(said(16, 14, 1, dtype)) << "the padding counts";
    EXPECT_FALSE(said(8, 64, 0, dtype)) << "larger than what is wrong everywhere";
  }
}

TEST(FloatRows, SayNothingOfQuantizedOperators) {
  OnnxModel m;
  m.Unit(
      "a", "AveragePool", {m.Quantized("x", {1, 16, 14, 14})}, {1, 16, 14, 14},
      {{"kernel_shape", std::vector<int64_t>{3, 3}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  m.Unit("c", "Conv",
         {m.Quantized("z", {1, 16, 16}), m.Weight("w", {16, 16, 7}, Dtype::kInt8, 0, 0.01)},
         {1, 16, 16}, {{"pads", std::vector<int64_t>{3, 3}}});
  for (const Finding& f : Check(m.model).findings) EXPECT_NE(f.rule->code, "QG620") << f.message;
}

TEST(FloatRows, AConvolutionOfOneRowIsWrongInFloatWhereItsFilterReachesFar) {
  const auto said = [](const Dims& dims, int64_t taps, int64_t pad) {
    OnnxModel m;
    Dims filter = {16, 16, taps}, out = dims;
    std::vector<int64_t> pads = {pad, pad};
    if (dims.size() == 4) {
      filter = {16, 16, 1, taps};
      pads = {0, pad, 0, pad};
    }
    out.back() += 2 * pad - (taps - 1);
    const TensorId w = m.Scale("w", filter, 0.1);
    m.model.tensors[static_cast<size_t>(w)].dtype = Dtype::kFloat32;
    m.model.outputs = {m.Op("c", "Conv", {m.Input("x", dims, Dtype::kFloat32), w}, out,
                            {{"pads", pads}}, Dtype::kFloat32)};
    return Check(m.model).verdict == Consequence::kWrongValues;
  };
  EXPECT_TRUE(said({1, 16, 16}, 7, 3));
  EXPECT_TRUE(said({1, 16, 1, 16}, 7, 3));
  EXPECT_FALSE(said({1, 16, 24}, 7, 3)) << "longer than four times the reach";
  EXPECT_FALSE(said({1, 16, 15}, 7, 3)) << "no multiple of 8";
  EXPECT_FALSE(said({1, 16, 16}, 7, 0)) << "no padding";
  EXPECT_FALSE(said({1, 16, 2, 16}, 1, 0)) << "two rows";
}

TEST(FloatRows, OneIndexIntoFiveDimensionsIsPrepared) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16}) {
    for (const bool several : {false, true}) {
      OnnxModel m;
      const TensorId index = several ? m.Constant("i", {0, 2}) : m.Constant("i", {1});
      const Dims out = {several ? 2 : 1, 16, 2, 16, 8};
      m.model.outputs = {
          m.Op("g", "Gather", {m.Input("x", {3, 16, 2, 16, 8}, dtype), index}, out, {}, dtype)};
      EXPECT_EQ(Check(m.model).verdict == Consequence::kPrepareFails, several)
          << static_cast<int>(dtype);
    }
  }
}

// The worst that is said of a model.
Consequence Worst(const Model& model) {
  Consequence worst = Consequence::kAccepted;
  for (const Finding& f : Check(model).findings) {
    const bool counts = f.consequence == Consequence::kRejected || f.consequence == Consequence::kPrepareFails ||
                        f.consequence == Consequence::kWrongValues;
    if (counts && (worst == Consequence::kAccepted || f.consequence == Consequence::kPrepareFails)) worst = f.consequence;
  }
  return worst;
}

TEST(FloatRows, AGatherIsRightInSomeFormsOnly) {
  const auto gathered = [](const Dims& data, int64_t axis, const Dims& indices, bool cast) {
    OnnxModel m;
    TensorId i = m.Input("i", indices, cast ? Dtype::kInt64 : Dtype::kInt32);
    if (cast) i = m.Op("cast", "Cast", {i}, indices, {{"to", IntParam{6}}}, Dtype::kInt32);
    Dims out(data.begin(), data.begin() + axis);
    out.insert(out.end(), indices.begin(), indices.end());
    out.insert(out.end(), data.begin() + axis + 1, data.end());
    m.model.outputs = {
        m.Op("g", "Gather", {m.Input("d", data, Dtype::kFloat32), i}, out, {{"axis", IntParam{axis}}}, Dtype::kFloat32)};
    return Worst(m.model);
  };
  // Rows that an input of the model picks, of several matrices.
  EXPECT_EQ(gathered({4, 6, 5}, 1, {3}, false), Consequence::kWrongValues);
  EXPECT_EQ(gathered({4, 6, 5}, 1, {1, 3}, false), Consequence::kWrongValues);
  EXPECT_EQ(gathered({4, 6, 5}, 1, {2, 3}, false), Consequence::kAccepted);
  EXPECT_EQ(gathered({4, 6, 5}, 1, {3}, true), Consequence::kAccepted) << "an op gives the indices";
  EXPECT_EQ(gathered({1, 6, 5}, 1, {3}, false), Consequence::kAccepted) << "one matrix";
  EXPECT_EQ(gathered({4, 6, 5}, 0, {3}, false), Consequence::kAccepted);
  EXPECT_EQ(gathered({4, 6, 5}, 2, {3}, false), Consequence::kAccepted);
  // Results of five dimensions.
  EXPECT_EQ(gathered({4, 5, 6, 7}, 0, {2, 3}, true), Consequence::kPrepareFails);
  EXPECT_EQ(gathered({4, 5, 6, 7}, 1, {1, 3}, true), Consequence::kWrongValues);
  EXPECT_EQ(gathered({4, 5, 6, 7}, 1, {2, 3}, true), Consequence::kAccepted);
  EXPECT_EQ(gathered({1, 5, 6, 7}, 1, {1, 3}, true), Consequence::kAccepted);
}

TEST(FloatRows, CastsOfFiveDimensionsAreNotPreparedForSomeTypes) {
  const auto cast = [](Dtype from, Dtype to, int64_t onnx_type, bool five) {
    OnnxModel m;
    const Dims dims = five ? Dims{2, 3, 4, 5, 6} : Dims{2, 3, 4, 5};
    m.model.outputs = {m.Op("c", "Cast", {m.Input("x", dims, from)}, dims, {{"to", IntParam{onnx_type}}}, to)};
    return Worst(m.model);
  };
  constexpr int64_t kFloat = 1, kInt = 6, kBool = 9;
  EXPECT_EQ(cast(Dtype::kInt64, Dtype::kFloat32, kFloat, true), Consequence::kPrepareFails);
  EXPECT_EQ(cast(Dtype::kInt64, Dtype::kFloat32, kFloat, false), Consequence::kAccepted);
  EXPECT_EQ(cast(Dtype::kBool8, Dtype::kFloat32, kFloat, true), Consequence::kPrepareFails);
  EXPECT_EQ(cast(Dtype::kFloat32, Dtype::kBool8, kBool, true), Consequence::kPrepareFails);
  EXPECT_EQ(cast(Dtype::kFloat32, Dtype::kInt32, kInt, true), Consequence::kAccepted);
  EXPECT_EQ(cast(Dtype::kInt32, Dtype::kFloat32, kFloat, true), Consequence::kAccepted);
}

TEST(FloatRows, ALogSoftmaxOfOneElementIsWrong) {
  const auto worst = [](std::string_view op, const Dims& dims) {
    OnnxModel m;
    m.model.outputs = {
        m.Op("l", op, {m.Input("x", dims, Dtype::kFloat32)}, dims, {{"axis", IntParam{-1}}}, Dtype::kFloat32)};
    return Worst(m.model);
  };
  EXPECT_EQ(worst("LogSoftmax", {6, 1}), Consequence::kWrongValues);
  EXPECT_EQ(worst("LogSoftmax", {6, 2}), Consequence::kAccepted);
  EXPECT_EQ(worst("Softmax", {6, 1}), Consequence::kAccepted);
}

TEST(FloatRows, AWindowThatBeginsBeyondTheEdgeIsARowTooMany) {
  const auto pooled = [](const Dims& image, const Dims& window, const Dims& pads, int64_t rows) {
    OnnxModel m;
    m.model.outputs = {m.Op("p", "MaxPool", {m.Input("x", {1, 3, image[0], image[1]})}, {1, 3, rows, 3},
                            {{"kernel_shape", window}, {"strides", Dims{2, 2}}, {"pads", pads}, {"ceil_mode", IntParam{1}}},
                            Dtype::kFloat32)};
    return Worst(m.model);
  };
  const Dims none = {0, 0, 0, 0}, one = {1, 1, 1, 1};
  EXPECT_EQ(pooled({14, 5}, {1, 1}, none, 8), Consequence::kWrongValues);
  EXPECT_EQ(pooled({13, 5}, {1, 1}, none, 7), Consequence::kAccepted);
  EXPECT_EQ(pooled({14, 6}, {3, 3}, none, 7), Consequence::kAccepted) << "the last window begins inside";
  EXPECT_EQ(pooled({5, 5}, {2, 2}, one, 4), Consequence::kWrongValues);
  EXPECT_EQ(pooled({5, 5}, {3, 3}, one, 3), Consequence::kAccepted);
}

TEST(FloatRows, ATransposedConvolutionOfSingleChannelsIsRightWithoutOutputPadding) {
  const auto worst = [](int64_t channels, int64_t group, int64_t filter, int64_t step, int64_t more) {
    OnnxModel m;
    const int64_t size = 8 * step + filter + more;
    m.model.outputs = {m.Op("c", "ConvTranspose",
                            {m.Input("x", {1, channels, 9, 9}), m.Scale("w", {channels, 1, filter, filter}, 0.1)},
                            {1, group, size, size},
                            {{"group", IntParam{group}}, {"strides", Dims{step, step}}, {"output_padding", Dims{more, more}}},
                            Dtype::kFloat32)};
    return Worst(m.model);
  };
  EXPECT_EQ(worst(8, 8, 3, 2, 1), Consequence::kWrongValues);
  EXPECT_EQ(worst(8, 8, 3, 2, 0), Consequence::kAccepted);
  EXPECT_EQ(worst(8, 8, 5, 2, 1), Consequence::kAccepted) << "three values meet";
  EXPECT_EQ(worst(8, 8, 6, 2, 1), Consequence::kAccepted);
  EXPECT_EQ(worst(8, 8, 7, 2, 1), Consequence::kWrongValues) << "four";
  EXPECT_EQ(worst(8, 1, 3, 2, 1), Consequence::kAccepted) << "one group";
}

TEST(FloatRows, APaddingAsLongAsTheFilterIsComputedWrong) {
  const auto worst = [](const Dims& filter, const Dims& pads, int64_t step, int64_t in, int64_t out) {
    OnnxModel m;
    const auto size = [&](size_t axis) { return (14 + pads[axis] + pads[axis + 2] - filter[axis]) / step + 1; };
    m.model.outputs = {m.Op("c", "Conv",
                            {m.Input("x", {1, in, 14, 14}), m.Scale("w", {out, in, filter[0], filter[1]}, 0.1)},
                            {1, out, size(0), size(1)}, {{"strides", Dims{step, step}}, {"pads", pads}}, Dtype::kFloat32)};
    return Worst(m.model);
  };
  constexpr Consequence kWrong = Consequence::kWrongValues;
  const Dims one = {1, 1, 1, 1}, none = {0, 0, 0, 0};
  EXPECT_EQ(worst({3, 1}, one, 1, 8, 8), kWrong);
  EXPECT_EQ(worst({1, 3}, one, 1, 8, 8), kWrong);
  EXPECT_NE(worst({3, 1}, {1, 0, 1, 0}, 1, 8, 8), kWrong);
  EXPECT_NE(worst({3, 1}, {1, 0, 1, 1}, 1, 8, 8), kWrong) << "behind the last column";
  EXPECT_NE(worst({1, 1}, one, 1, 8, 8), kWrong) << "a filter of one value";
  EXPECT_EQ(worst({3, 1}, one, 2, 8, 8), kWrong);
  EXPECT_EQ(worst({1, 3}, one, 2, 8, 8), kWrong);
  EXPECT_NE(worst({1, 1}, one, 2, 8, 8), kWrong);
  EXPECT_NE(worst({3, 3}, one, 2, 8, 8), kWrong);
  // One channel.
  EXPECT_EQ(worst({3, 3}, none, 3, 1, 1), kWrong);
  EXPECT_NE(worst({3, 3}, none, 2, 1, 1), kWrong);
  EXPECT_NE(worst({3, 3}, none, 3, 1, 2), kWrong);
  EXPECT_NE(worst({3, 3}, none, 3, 2, 1), kWrong);
}

TEST(FloatRows, AMaxPoolOfOneColumnIsNotPreparedWithStepsOfTwo) {
  const auto worst = [](const Dims& window, const Dims& steps) {
    OnnxModel m;
    m.model.outputs = {m.Op("p", "MaxPool", {m.Input("x", {1, 3, 15, 15})},
                            {1, 3, (15 - window[0]) / steps[0] + 1, (15 - window[1]) / steps[1] + 1},
                            {{"kernel_shape", window}, {"strides", steps}}, Dtype::kFloat32)};
    return Worst(m.model);
  };
  EXPECT_EQ(worst({3, 1}, {2, 2}), Consequence::kPrepareFails);
  EXPECT_EQ(worst({1, 3}, {2, 2}), Consequence::kAccepted);
  EXPECT_EQ(worst({3, 1}, {2, 1}), Consequence::kAccepted);
  EXPECT_EQ(worst({1, 1}, {2, 2}), Consequence::kAccepted);
}

TEST(FloatRows, TransposedConvolutionsOfVolumesNeedLikeStepsAndPadding) {
  const auto worst = [](const Dims& steps, const Dims& pads) {
    OnnxModel m;
    Dims out = {1, 4};
    for (size_t axis = 0; axis < 3; ++axis) out.push_back(5 * steps[axis] + 3 - pads[axis] - pads[axis + 3]);
    m.model.outputs = {m.Op("c", "ConvTranspose",
                            {m.Input("x", {1, 8, 6, 6, 6}), m.Scale("w", {8, 4, 3, 3, 3}, 0.1)}, out,
                            {{"strides", steps}, {"pads", pads}}, Dtype::kFloat32)};
    return Worst(m.model);
  };
  constexpr Consequence kWrong = Consequence::kWrongValues;
  const Dims none = {0, 0, 0, 0, 0, 0};
  EXPECT_EQ(worst({1, 1, 2}, none), kWrong);
  EXPECT_EQ(worst({2, 2, 1}, none), kWrong);
  EXPECT_NE(worst({1, 2, 2}, none), kWrong);
  EXPECT_NE(worst({2, 2, 2}, none), kWrong);
  EXPECT_EQ(worst({2, 2, 2}, {1, 0, 0, 0, 0, 0}), kWrong);
  EXPECT_EQ(worst({2, 2, 2}, {0, 1, 1, 0, 1, 1}), kWrong);
  EXPECT_NE(worst({2, 2, 2}, {1, 1, 0, 0, 1, 0}), kWrong);
}

TEST(QuantizedRows, AveragesOfVolumesThatCountPaddingAreWrong) {
  const auto worst = [](int64_t counted, const Dims& window, bool quantized) {
    OnnxModel m;
    Dims out = {1, 8};
    for (const int64_t size : window) out.push_back(7 - size);
    const std::vector<Param> params = {{"kernel_shape", window}, {"strides", Dims{1, 1, 1}}, {"pads", Dims(6, 0)},
                                       {"count_include_pad", IntParam{counted}}};
    const Dims in = {1, 8, 6, 6, 6};
    if (quantized) m.Unit("a", "AveragePool", {m.Quantized("x", in)}, out, params);
    else m.model.outputs = {m.Op("a", "AveragePool", {m.Input("x", in)}, out, params, Dtype::kFloat32)};
    return Worst(m.model);
  };
  constexpr Consequence kWrong = Consequence::kWrongValues;
  EXPECT_EQ(worst(1, {2, 2, 2}, true), kWrong);
  EXPECT_NE(worst(0, {2, 2, 2}, true), kWrong);
  EXPECT_NE(worst(1, {1, 2, 2}, true), kWrong);
  EXPECT_NE(worst(1, {2, 2, 2}, false), kWrong);
}

TEST(FloatRows, ASlopeOfFiveDimensionsIsNotRepeated) {
  const auto worst = [](const Dims& slope) {
    OnnxModel m;
    const Dims dims = {2, 3, 4, 5, 6};
    m.model.outputs = {
        m.Op("p", "PRelu", {m.Input("x", dims), m.Scale("s", slope, 0.3)}, dims, {}, Dtype::kFloat32)};
    return Worst(m.model);
  };
  EXPECT_EQ(worst({1, 3, 1, 1, 1}), Consequence::kPrepareFails);
  EXPECT_EQ(worst({1, 1, 1, 1, 1}), Consequence::kPrepareFails);
  EXPECT_NE(worst({3, 1, 1, 1}), Consequence::kPrepareFails);
  EXPECT_NE(worst({2, 3, 4, 5, 6}), Consequence::kPrepareFails);
}

TEST(FloatRows, MishIsWrittenOut) {
  OnnxModel m;
  m.model.outputs = {m.Op("m", "Mish", {m.Input("x", {1, 4, 8, 8})}, {1, 4, 8, 8}, {}, Dtype::kFloat32)};
  EXPECT_LE(Worst(m.model), Consequence::kUndocumented);
}

TEST(QuantizedRows, ExponentialsOfFarBelowZeroAreGarbage) {
  const auto worst = [](std::string_view op, double scale, Dtype dtype) {
    OnnxModel m;
    const int zero = dtype == Dtype::kUint8 ? 250 : 64000;
    m.Unit("e", op, {m.Quantized("x", {1, 8}, scale, zero, dtype)}, {1, 8}, {}, scale, zero, dtype);
    return Worst(m.model);
  };
  EXPECT_EQ(worst("Mish", 0.36, Dtype::kUint8), Consequence::kWrongValues) << "down to -90";
  EXPECT_NE(worst("Mish", 0.34, Dtype::kUint8), Consequence::kWrongValues) << "down to -85";
  EXPECT_EQ(worst("Softplus", 0.0046, Dtype::kUint16), Consequence::kWrongValues) << "down to -294";
  EXPECT_NE(worst("Softplus", 0.0041, Dtype::kUint16), Consequence::kWrongValues) << "down to -262";
  EXPECT_NE(worst("Softplus", 1.2, Dtype::kUint8), Consequence::kWrongValues) << "a table";
}

TEST(FloatRows, AnIntegerProductIsOneOpOnlyOfAnImageOrWithAMatrix) {
  const auto verdict = [](std::string_view op, const Dims& in, const Dims& weight, const Dims& out, bool same = false) {
    OnnxModel m;
    const TensorId x = m.Input("x", in);
    const TensorId q = m.Op("q", "DynamicQuantizeLinear", {x}, in, {}, Dtype::kUint8);
    std::vector<Param> params;
    if (same) params.push_back({"auto_pad", std::string("SAME_UPPER")});
    const int64_t elements = std::accumulate(weight.begin(), weight.end(), int64_t{1}, std::multiplies<>());
    const TensorId w = m.Constant("w", std::vector<int64_t>(static_cast<size_t>(elements), 3), Dtype::kUint8);
    m.model.tensors[static_cast<size_t>(w)].dims.assign(weight.begin(), weight.end());
    const TensorId product = m.Op("p", op, {q, w}, out, std::move(params), Dtype::kInt32);
    m.model.outputs = {m.Op("cast", "Cast", {product}, out, {{"to", IntParam{1}}})};
    return Check(m.model).nodes[1].verdict;
  };
  EXPECT_EQ(verdict("ConvInteger", {1, 8, 9, 9}, {16, 8, 1, 1}, {1, 16, 9, 9}), Consequence::kAccepted);
  EXPECT_EQ(verdict("ConvInteger", {1, 8, 9, 9}, {16, 8, 3, 3}, {1, 16, 9, 9}, true), Consequence::kRejected);
  EXPECT_EQ(verdict("ConvInteger", {1, 8, 9}, {16, 8, 1}, {1, 16, 9}), Consequence::kRejected);
  EXPECT_EQ(verdict("ConvInteger", {1, 8, 4, 4, 4}, {16, 8, 1, 1, 1}, {1, 16, 4, 4, 4}), Consequence::kRejected);
  EXPECT_EQ(verdict("MatMulInteger", {2, 4, 8}, {8, 3}, {2, 4, 3}), Consequence::kAccepted);
  EXPECT_EQ(verdict("MatMulInteger", {2, 4, 8}, {2, 8, 3}, {2, 4, 3}), Consequence::kRejected);
  EXPECT_EQ(verdict("MatMulInteger", {8}, {8, 3}, {3}), Consequence::kRejected);
}

TEST(FloatRows, SeveralProductsOfOneDynamicQuantizationAreOneOpEach) {
  struct Around {
    bool other_reader = false, output = false;
  };
  const auto verdicts = [](int products, const Around& around = {}) {
    OnnxModel m;
    const TensorId q = m.Op("q", "DynamicQuantizeLinear", {m.Input("x", {1, 8, 4})}, {1, 8, 4}, {}, Dtype::kUint8);
    for (int i = 0; i < products; ++i) {
      const std::string n = std::to_string(i);
      const TensorId w = m.Constant("w" + n, std::vector<int64_t>(16, 3 + i), Dtype::kUint8);
      m.model.tensors[static_cast<size_t>(w)].dims = {4, 4};
      const TensorId product = m.Op("p" + n, "MatMulInteger", {q, w}, {1, 8, 4}, {}, Dtype::kInt32);
      m.End(m.Op("c" + n, "Cast", {product}, {1, 8, 4}, {{"to", IntParam{1}}}));
    }
    if (around.other_reader) m.End(m.Op("other", "Cast", {q}, {1, 8, 4}, {{"to", IntParam{1}}}));
    if (around.output) m.End(q);
    const Report report = Check(m.model);
    return std::pair(report.nodes[0].verdict, report.nodes[1].verdict);
  };
  const std::pair taken(Consequence::kAccepted, Consequence::kAccepted);
  EXPECT_EQ(verdicts(1), taken);
  EXPECT_EQ(verdicts(2), taken);
  EXPECT_EQ(verdicts(3), taken) << "queries, keys and values";
  EXPECT_EQ(verdicts(2, {.other_reader = true}), std::pair(Consequence::kRejected, Consequence::kRejected));
  EXPECT_EQ(verdicts(1, {.output = true}).first, Consequence::kRejected);
}

TEST(FloatRows, ABiasOf32BitsThatAnOperatorInFloatReadsStaysOnTheCpu) {
  struct Conv {
    bool from_quantized = false, to_quantized = false, per_channel = false, int32_bias = false, twice = false;
    Dtype weight = Dtype::kUint8;
  };
  const auto said = [](const Conv& form) {
    OnnxModel m;
    const TensorId x = form.from_quantized ? m.Quantized("x", {1, 8, 6, 6}) : m.Input("x", {1, 8, 6, 6});
    const TensorId w = form.per_channel ? m.PerChannelWeight("w", {8, 8, 1, 1}, 0)
                                        : m.Weight("w", {8, 8, 1, 1}, form.weight, 0);
    const TensorId b = form.int32_bias ? m.Weight("b", {8}, Dtype::kInt32, 0, 0.0002) : m.Scale("b", {8}, 0.5);
    const TensorId y = m.Op("c", "Conv", {x, w, b}, {1, 8, 6, 6}, {});
    m.End(form.to_quantized ? m.Requantize("y", y) : y);
    if (form.twice) m.End(m.Requantize("z", y));
    const Report report = Check(m.model);
    std::string refused;
    for (const Finding& f : report.findings) {
      if (f.consequence != Consequence::kRejected) continue;
      refused += m.model.nodes[static_cast<size_t>(f.node_index)].name.str();
    }
    return refused;
  };
  EXPECT_EQ(said({.to_quantized = true, .int32_bias = true}), "b.dq");
  EXPECT_EQ(said({.from_quantized = true, .int32_bias = true}), "b.dq");
  EXPECT_EQ(said({.from_quantized = true, .to_quantized = true, .int32_bias = true}), "") << "a unit";
  EXPECT_EQ(said({.from_quantized = true, .to_quantized = true, .int32_bias = true, .twice = true}), "")
      << "a pair for each reader: ONNX Runtime makes one of equal ones";
  EXPECT_EQ(said({.to_quantized = true}), "") << "the bias is in float";
  EXPECT_EQ(said({.to_quantized = true, .weight = Dtype::kUint16}), "");
  EXPECT_EQ(said({.from_quantized = true, .to_quantized = true, .per_channel = true, .int32_bias = true}), "");
}

TEST(QuantizedRows, SignedWeightsOf4BitsAreReadWrongWithoutAZeroPoint) {
  const auto worst = [](bool zero_point, Dtype dtype) {
    OnnxModel m;
    const TensorId x = m.Quantized("x", {4, 8});
    const TensorId w = zero_point ? m.Weight("w", {8, 8}, dtype, 0) : m.PerChannelWeight("w", {8, 8}, 1, dtype);
    m.Unit("p", "MatMul", {x, w}, {4, 8}, {});
    return Worst(m.model);
  };
  EXPECT_EQ(worst(false, Dtype::kSfixedPoint4), Consequence::kWrongValues);
  EXPECT_NE(worst(true, Dtype::kSfixedPoint4), Consequence::kWrongValues);
  EXPECT_NE(worst(false, Dtype::kInt8), Consequence::kWrongValues);
}

TEST(FloatRows, AGeluOfErfIsOneOpOnlyWhereBothOfItsSidesAreQuantizedOrNone) {
  enum class Form { kProductFirst, kHalfFirst, kHalfOfTheSum };
  struct Sides {
    bool from_quantized = false, to_quantized = false, factor = false;  // the last: a product in float behind it
  };
  const auto refused = [](Form form, std::string_view first, const Sides& sides, int opset = 17) {
    OnnxModel m;
    m.model.opset = opset;
    const Dims dims = {1, 16, 32};
    const auto scalar = [&](std::string_view name, double value) { return m.Scale(name, {}, value); };
    const auto op = [&](std::string_view name, std::string_view of, std::vector<TensorId> inputs) {
      return m.Op(name, of, std::move(inputs), dims, {});
    };
    const TensorId x = sides.from_quantized ? m.Quantized("x", dims) : op("r", "Relu", {m.Input("x", dims)});
    const TensorId half = scalar("half", 0.5), root = scalar("root", first == "Div" ? 1.4142135 : 0.7071068);
    const TensorId erf = op("erf", "Erf", {op("d", first, {x, root})});
    const TensorId sum = op("a", "Add", {erf, scalar("one", 1)});
    TensorId y = kNoTensor;
    if (form == Form::kProductFirst) y = op("m2", "Mul", {op("m1", "Mul", {x, sum}), half});
    if (form == Form::kHalfFirst) y = op("m2", "Mul", {op("m1", "Mul", {x, half}), sum});
    if (form == Form::kHalfOfTheSum) y = op("m2", "Mul", {x, op("m1", "Mul", {sum, half})});
    if (sides.factor) y = op("f", "Mul", {y, m.Scale("factor", {32}, 0.3)});
    m.End(sides.to_quantized ? m.Requantize("y", y) : y);
    return Check(m.model).nodes[m.NodeIndex("erf")].verdict == Consequence::kRejected;
  };
  for (const Form form : {Form::kProductFirst, Form::kHalfFirst, Form::kHalfOfTheSum}) {
    for (const std::string_view first : {"Div", "Mul"}) {
      EXPECT_FALSE(refused(form, first, {}));
      EXPECT_FALSE(refused(form, first, {.from_quantized = true, .to_quantized = true}));
      EXPECT_TRUE(refused(form, first, {.from_quantized = true}));
      EXPECT_TRUE(refused(form, first, {.to_quantized = true}));
      EXPECT_TRUE(refused(form, first, {.from_quantized = true, .to_quantized = true, .factor = true}));
      EXPECT_FALSE(refused(form, first, {.to_quantized = true, .factor = true}));
    }
  }
  EXPECT_FALSE(refused(Form::kProductFirst, "Div", {.to_quantized = true}, 20)) << "ONNX Runtime makes a Gelu of it";
  EXPECT_TRUE(refused(Form::kProductFirst, "Mul", {.to_quantized = true}, 20));
}

}  // namespace
}  // namespace quantgate
