// LSTM, which becomes ops of one time step, and constants that a DequantizeLinear gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <string_view>
#include <vector>

#include "core/lower/resolve/resolve.h"
#include "quantgate/database.h"
#include "quantgate/validator.h"
#include "tests/unit/support/onnx_model.h"

namespace quantgate {
namespace {

using testing_onnx::Dims;
using testing_onnx::OnnxModel;

constexpr int64_t kSteps = 5, kBatch = 2, kInput = 4, kHidden = 8;

struct Lstm {
  bool both = false;  // directions
  bool quantized = true;
  bool sequence_only = false;  // no final states
  std::vector<int64_t> lengths = {};
  std::vector<Param> params = {};
};

OnnxModel Net(const Lstm& c) {
  OnnxModel m;
  const int64_t directions = c.both ? 2 : 1;
  const Dims x = {kSteps, kBatch, kInput}, all = {kSteps, directions, kBatch, kHidden};
  const Dims state = {directions, kBatch, kHidden};
  std::vector<TensorId> inputs = {c.quantized ? m.Quantized("x", x) : m.Input("x", x),
                                  m.Weight("w", {directions, 4 * kHidden, kInput}),
                                  m.Weight("r", {directions, 4 * kHidden, kHidden}),
                                  m.Weight("b", {directions, 8 * kHidden})};
  if (!c.lengths.empty()) inputs.push_back(m.Constant("lengths", c.lengths, Dtype::kInt32));
  std::vector<Param> params = c.params;
  params.push_back({"hidden_size", IntParam{kHidden}});
  if (c.both) params.push_back({"direction", std::string("bidirectional")});
  const TensorId y = m.Op("lstm", "LSTM", inputs, all, params);
  if (!c.sequence_only) {
    m.model.nodes.back().outputs.push_back(m.Add("h", state, Dtype::kFloat32));
    m.model.nodes.back().outputs.push_back(m.Add("c", state, Dtype::kFloat32));
  }
  m.End(c.quantized ? m.Requantize("y", y) : y);
  return m;
}

std::vector<std::string> OpsOf(const Lstm& c) {
  const OnnxModel m = Net(c);
  const Resolved r = Resolve(m.model, *Target::Parse({.arch = "v73"}), Database::Embedded().view());
  std::vector<std::string> ops;
  for (const Node& node : r.graph->nodes) {
    if (node.name == "lstm" || node.name.str().starts_with("lstm/")) ops.push_back(node.op.str());
    // As many inputs as time steps.
    if (node.op == "Pack") {
      EXPECT_EQ(node.inputs.size(), static_cast<size_t>(kSteps));
    }
  }
  return ops;
}

Consequence VerdictOf(const Lstm& c, const char* arch = "v73") {
  const OnnxModel m = Net(c);
  const Report report = Validator(*Target::Parse({.arch = arch})).Check(m.model);
  return report.nodes[m.NodeIndex("lstm")].verdict;
}

TEST(Recurrent, AnLstmIsOneOpATimeStepInEachDirection) {
  const std::vector<std::string> one = {"StridedSlice", "Lstm", "Pack", "Reshape", "Reshape", "Reshape"};
  EXPECT_EQ(OpsOf({}), one);
  EXPECT_EQ(OpsOf({.quantized = false}), one);
  // What the node does not give is left out.
  EXPECT_EQ(OpsOf({.sequence_only = true}), std::vector<std::string>(one.begin(), one.end() - 2));
  const std::vector<std::string> both = OpsOf({.both = true});
  EXPECT_EQ(std::count(both.begin(), both.end(), "Lstm"), 2);
  EXPECT_EQ(std::count(both.begin(), both.end(), "Concat"), 3);
}

TEST(Recurrent, ItRunsInFloatAndIsNotPreparedOnV68) {
  for (const bool quantized : {false, true}) {
    for (const bool both : {false, true}) {
      const Lstm c = {.both = both, .quantized = quantized};
      EXPECT_LT(VerdictOf(c), Consequence::kWrongValues);
      EXPECT_EQ(VerdictOf(c, "v68"), Consequence::kPrepareFails);
    }
  }
}

TEST(Recurrent, WhatTheProviderDoesNotTranslate) {
  EXPECT_EQ(VerdictOf({.params = {{"clip", 1.0}}}), Consequence::kRejected);
  EXPECT_EQ(VerdictOf({.params = {{"layout", IntParam{1}}}}), Consequence::kRejected);
  EXPECT_EQ(VerdictOf({.params = {{"activations", std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}}}}),
            Consequence::kRejected);
  EXPECT_EQ(VerdictOf({.lengths = {5, 4}}), Consequence::kRejected);
  EXPECT_EQ(VerdictOf({.lengths = {4, 4}}), Consequence::kWrongValues);
  EXPECT_EQ(VerdictOf({.params = {{"input_forget", IntParam{1}}}}), Consequence::kWrongValues);
  EXPECT_LT(VerdictOf({.lengths = {5, 5}}), Consequence::kWrongValues);
}

TEST(Recurrent, ABoundThatIsDequantizedIsAConstant) {
  OnnxModel m;
  const TensorId bound = m.Op("bound", "DequantizeLinear",
                              {m.Constant("stored", {200}, Dtype::kUint8), m.Scale("scale", {}, 0.02),
                               m.Constant("zero", {100}, Dtype::kUint8)},
                              {}, {});
  m.Unit("clip", "Clip", {m.Quantized("x", {1, 8}), m.Scale("low", {}, 0), bound}, {1, 8}, {});
  const Resolved r = Resolve(m.model, *Target::Parse({.arch = "v73"}), Database::Embedded().view());
  const auto clip = std::find_if(r.graph->nodes.begin(), r.graph->nodes.end(),
                                 [](const Node& node) { return node.op == "ReluMinMax"; });
  ASSERT_NE(clip, r.graph->nodes.end());
  const Param* most = clip->FindParam("max_value");
  ASSERT_NE(most, nullptr);
  EXPECT_NEAR(std::get<double>(most->value), 2.0, 1e-6);
}

}  // namespace
}  // namespace quantgate
