// What all chips make of a model, summed up.
#include "quantgate/survey.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/unit/support/one_node.h"
#include "tests/unit/support/onnx_model.h"

namespace quantgate {
namespace {

using testing_onnx::OnnxModel;

Survey Of(const Model& model, const std::string& route = "") {
  ValidatorOptions options;
  options.route = route;
  return Surveyor::Make("htp", "2.51", options, Database::Embedded())->Check(model);
}

const ArchFit& V73(const Survey& survey) {
  for (const ArchFit& fit : survey.archs) {
    if (fit.arch == "v73") return fit;
  }
  throw std::logic_error("no v73");
}

Model Unary(const char* op, Dtype dtype) {
  const Tensor tensor = PerTensor(dtype, {1, 8}, 0.02F, 128);
  return OneNode(op, {tensor, tensor});
}

TEST(Survey, OfWhatRuns) {
  const Survey survey = Of(Unary("Relu", Dtype::kUfixedPoint8));
  EXPECT_EQ(survey.nodes, 1);
  const ArchFit& fit = V73(survey);
  EXPECT_EQ(fit.fit, Fit::kFits);
  EXPECT_EQ(fit.reason, "");
  EXPECT_TRUE(fit.blocked.empty());
  EXPECT_FALSE(fit.socs.empty());
  EXPECT_TRUE(survey.archs.back().arch.empty());
  EXPECT_EQ(survey.archs.back().counts[static_cast<size_t>(Consequence::kUnchecked)], 1);
}

TEST(Survey, OfWhatIsRefused) {
  const ArchFit fit = V73(Of(Unary("Relu", Dtype::kBool8)));
  EXPECT_EQ(fit.fit, Fit::kFails);
  EXPECT_EQ(fit.blocked, std::vector<std::string>{"n"});
}

TEST(Survey, OfWhatIsUnchecked) {
  Model model = Unary("Relu", Dtype::kUfixedPoint8);
  model.nodes[0].unchecked_reason = "it is of the op package \"own\"";
  const ArchFit fit = V73(Of(model));
  EXPECT_EQ(fit.fit, Fit::kUnknown);
  EXPECT_EQ(fit.reason, "1 nodes are unchecked");
  EXPECT_TRUE(fit.blocked.empty());
}

TEST(Survey, OfAMalformedModel) {
  Model model = Unary("Relu", Dtype::kUfixedPoint8);
  model.nodes[0].inputs = {17};
  const ArchFit fit = V73(Of(model));
  EXPECT_EQ(fit.fit, Fit::kFails);
  EXPECT_NE(fit.reason.find("malformed"), std::string::npos) << fit.reason;
}

TEST(Survey, OfWhatTheCpuTakes) {
  OnnxModel onnx;
  const TensorId x = onnx.Input("x", {1, 8});
  const TensorId y = onnx.Add("y", {1, 8}, Dtype::kFloat32);
  const TensorId z = onnx.Add("z", {1, 8}, Dtype::kFloat32);
  for (const auto& [op, in, out] : {std::tuple{"Relu", x, y}, {"Celu", y, z}}) {
    Node node;
    node.name = op;
    node.op = op;
    node.inputs = {in};
    node.outputs = {out};
    onnx.model.nodes.push_back(std::move(node));
  }
  onnx.model.outputs = {z};
  const ArchFit fit = V73(Of(onnx.model));
  EXPECT_EQ(fit.fit, Fit::kFallsBack);
  EXPECT_EQ(fit.cpu_nodes, 1);
  EXPECT_EQ(fit.blocked, std::vector<std::string>{"Celu"});
}

// Each node once, whatever is changed of it.
TEST(Survey, OfWhatIsChanged) {
  OnnxModel onnx;
  const TensorId x = onnx.Quantized("x", {1, 8});
  const TensorId a = onnx.Op("a", "Mul", {x, x}, {1, 8}, {});
  const TensorId b = onnx.Op("b", "Mul", {a, x}, {1, 8}, {});
  onnx.End(onnx.Requantize("y", onnx.Op("c", "Mul", {b, b}, {1, 8}, {})));
  ValidatorOptions options;
  options.as_run = true;
  const auto target = Target::Parse({.backend = "htp", .sdk = "2.51", .soc = "", .arch = "v73"});
  const Report report = Validator(*target, options).Check(onnx.model);
  std::set<int32_t> changed;
  for (const Change& change : report.as_run->changes) changed.insert(change.node_index);
  EXPECT_GT(changed.size(), 1U);
  EXPECT_EQ(V73(Of(onnx.model)).changed_nodes, static_cast<int64_t>(changed.size()));
}

}  // namespace
}  // namespace quantgate
