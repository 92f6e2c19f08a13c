// Constants that are quantized again and folded, operators that are refused as units, and how that cuts the graph.
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

Report Check(const Model& model, const char* arch = "v73") {
  return Validator(*Target::Parse({.arch = arch}), {.as_run = true}).Check(model);
}
Consequence VerdictOf(const OnnxModel& m, const Report& report, std::string_view node) {
  return report.nodes[m.NodeIndex(node)].verdict;
}

// A BatchNormalization whose mean is shared by Identity, and quantized again with this scale behind it.
Report Normalize(double scale, std::string_view between) {
  OnnxModel m;
  const Dims per_channel = {8};
  TensorId mean = m.Weight("mean", per_channel, Dtype::kUint8, 10, 0.01);
  if (between == "Reshape") {
    mean = m.Op("between", "Reshape", {mean, m.Constant("shape", {8})}, per_channel, {});
  } else if (!between.empty()) {
    mean = m.Op("between", between, {mean}, per_channel, {});
  }
  mean = m.Requantize("again", mean, scale, 10);
  m.Unit("norm", "BatchNormalization",
         {m.Quantized("x", {1, 8, 4, 4}), m.Weight("w", per_channel), m.Weight("b", per_channel, Dtype::kInt32), mean,
          m.Weight("var", per_channel, Dtype::kUint8, 0)},
         {1, 8, 4, 4}, {});
  const Report report = Check(m.model);
  EXPECT_EQ(report.as_run->session_fails, "");
  return report;
}
bool IsRefused(const Report& report) {
  for (const Finding& f : report.findings) {
    if (f.node == "norm" && f.consequence == Consequence::kRejected) return true;
  }
  return false;
}

TEST(Folded, AConstantThatIsQuantizedAgainWithItsEncodingStaysConstant) {
  EXPECT_FALSE(IsRefused(Normalize(0.01, "")));
  EXPECT_FALSE(IsRefused(Normalize(0.01, "Identity")));
  EXPECT_TRUE(IsRefused(Normalize(0.02, "Identity")));
}

TEST(Folded, AConstantThroughAnOpOfOneInputStaysConstant) {
  EXPECT_FALSE(IsRefused(Normalize(0.02, "Abs")));
  EXPECT_FALSE(IsRefused(Normalize(0.01, "Acos")));  // which has no op of QNN
  EXPECT_TRUE(IsRefused(Normalize(0.01, "Reshape")));
}

TEST(Folded, BoundsThatTheFileQuantizesItselfAreKnown) {
  OnnxModel m;
  const TensorId least = m.Requantize("least", m.Scale("zero", {}, 0.0), 1.0 / 255, 0);
  const TensorId most = m.Requantize("most", m.Scale("one", {}, 1.0), 1.0 / 255, 0);
  m.Unit("clip", "Clip", {m.Quantized("x", {1, 4, 4}), least, most}, {1, 4, 4}, {});
  const Report report = Check(m.model);
  EXPECT_NE(VerdictOf(m, report, "clip"), Consequence::kUnchecked);
}

// Sigmoid, and a product with what an operator that is not translated makes of `factor`.
size_t GraphsAround(TensorId (*factor)(OnnxModel&), std::vector<Param> params) {
  OnnxModel m;
  const TensorId x = m.Requantize("s.y", m.Op("s", "Sigmoid", {m.Quantized("x", {1, 4, 4})}, {1, 4, 4}, {}));
  const TensorId t = m.Op("t", "Einsum", {factor(m), m.Scale("ones", {4, 4}, 1.0)}, {4, 4}, std::move(params));
  m.Unit("m", "Mul", {x, m.Requantize("t.y", t)}, {1, 4, 4}, {});
  const Report report = Check(m.model);
  EXPECT_EQ(VerdictOf(m, report, "t"), Consequence::kRejected);
  return report.as_run->partitions.size();
}

TEST(Folded, AConstantThatIsDequantizedForTheCpuComesFromTheFirstGraph) {
  const std::vector<Param> product = {{"equation", std::string("ij,ij->ij")}};
  EXPECT_EQ(GraphsAround([](OnnxModel& m) { return m.Weight("c", {4, 4}); }, product), 2U);
  EXPECT_EQ(GraphsAround([](OnnxModel& m) { return m.Input("c", {4, 4}); }, product), 1U);
}

TEST(Folded, AFormThatIsNotTranslatedTakesItsQuantizersWithIt) {
  OnnxModel m;
  const TensorId x = m.Quantized("x", {8, 16});
  for (const char* name : {"a", "b"}) {
    m.Unit(name, "Gemm", {x, m.Weight(std::string(name) + "w", {16, 16})}, {8, 16}, {{"alpha", 0.5}});
  }
  const Report report = Check(m.model);
  EXPECT_EQ(VerdictOf(m, report, "a"), Consequence::kRejected);
  EXPECT_EQ(report.as_run->partitions.size(), 0U);  // and not one of two Quantize
}

TEST(Folded, ADequantizeOfDynamicDimensionsAtTheEndIsRefused) {
  for (const int64_t batch : {int64_t{1}, kDynamicDim}) {
    OnnxModel m;
    m.Unit("r", "Sigmoid", {m.Quantized("x", {batch, 8})}, {batch, 8}, {});
    EXPECT_EQ(VerdictOf(m, Check(m.model), "r.y.dq"),
              batch == 1 ? Consequence::kAccepted : Consequence::kRejected);
  }
}

// A convolution by weights that a product makes, of 16 bits.
Report ConvolveByComputed(const Dims& image, const char* arch) {
  OnnxModel m;
  Dims kernel = {8, 8};
  kernel.resize(image.size(), 1);
  const auto sixteen = [&](std::string_view name, const Dims& dims) {
    return m.Quantized(name, dims, 0.001, 30000, Dtype::kUint16);
  };
  const TensorId w = m.Requantize("w", m.Op("k", "Mul", {sixteen("a", kernel), sixteen("b", kernel)}, kernel, {}), 0.001,
                                  30000, Dtype::kUint16);
  m.Unit("conv", "Conv", {sixteen("x", image), w}, image, {}, 0.001, 30000, Dtype::kUint16);
  return Check(m.model, arch);
}

TEST(Folded, Computed16BitWeightsAreConvertedForImagesAlone) {
  EXPECT_EQ(ConvolveByComputed({1, 8, 6, 6}, "v73").as_run->session_fails, "");
  EXPECT_NE(ConvolveByComputed({1, 8, 6, 6}, "v68").as_run->session_fails, "");
  EXPECT_NE(ConvolveByComputed({1, 8, 6}, "v73").as_run->session_fails, "");
  EXPECT_NE(ConvolveByComputed({1, 8, 6, 6, 6}, "v73").as_run->session_fails, "");
}

TEST(Folded, AnIndexThatIsADifferenceMayBeNegative) {
  for (const char* op : {"Sub", "Add"}) {
    OnnxModel m;
    const Dims dims = {1, 16};
    const TensorId index = m.Op("index", op, {m.Input("a", dims, Dtype::kInt32), m.Input("b", dims, Dtype::kInt32)},
                                dims, {}, Dtype::kInt32);
    m.Unit("pick", "Gather", {m.Weight("table", {32, 8}), index}, {1, 16, 8}, {}, 0.01);
    EXPECT_EQ(VerdictOf(m, Check(m.model), "pick"),
              op == std::string_view("Sub") ? Consequence::kAdvice : Consequence::kAccepted);
  }
}

}  // namespace
}  // namespace quantgate
