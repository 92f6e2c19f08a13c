// Plans fit by construction: what they say, put into the model, is accepted by the validator.
#include "quantgate/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quantgate/validator.h"

namespace quantgate {
namespace {

class Net {
 public:
  explicit Net(std::vector<int64_t> input) { Put("x", std::move(input), false); }

  TensorId Put(const std::string& name, std::vector<int64_t> dims, bool is_static) {
    Tensor tensor;
    tensor.name = name;
    tensor.dtype = Dtype::kFloat32;
    tensor.dims.assign(dims.begin(), dims.end());
    tensor.is_static = is_static;
    model.tensors.push_back(tensor);
    return static_cast<TensorId>(model.tensors.size()) - 1;
  }
  // Reads the newest value, or `inputs`.
  void Op(const std::string& op, const std::string& made, std::vector<int64_t> dims,
          Params params = {}, std::vector<TensorId> inputs = {}) {
    Node node;
    node.name = made + "_node";
    node.op = op;
    if (inputs.empty()) inputs = {last};
    node.inputs.assign(inputs.begin(), inputs.end());
    last = Put(made, std::move(dims), false);
    node.outputs = {last};
    node.params = std::move(params);
    model.nodes.push_back(std::move(node));
  }
  void Conv(const std::string& made) {
    const TensorId weight = Put(made + "_w", {1, 1, 16, 16}, true);
    const TensorId bias = Put(made + "_b", {16}, true);
    const auto tensor = [](absl::InlinedVector<int64_t, 2> dims, std::vector<int64_t> ints) {
      return TensorParam{Dtype::kUint32, std::move(dims), std::move(ints), {}};
    };
    Op("Conv2d", made, {1, 8, 8, 16},
       {{"stride", tensor({2}, {1, 1})},
        {"pad_amount", tensor({2, 2}, {0, 0, 0, 0})},
        {"group", UintParam{1}}},
       {last, weight, bias});
  }

  Model model;
  TensorId last = 0;
};

// Of ElementWiseNeuron.
constexpr uint64_t kSigmoid = 6;

absl::StatusOr<Plan> PlanOf(const Model& model, const PlanOptions& options,
                            const std::string& soc = "SM8550") {
  const auto target = Target::Parse({.sdk = "2.51", .soc = soc});
  auto planner = Planner::Make(*target, options);
  if (!planner.ok()) return planner.status();
  return planner->MakePlan(model);
}

const PlannedTensor& Find(const Plan& plan, std::string_view name) {
  for (const PlannedTensor& tensor : plan.tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::logic_error("no such tensor");
}

// The model as planned, with numbers where the plan leaves them open.
Model Quantized(Model model, const Plan& plan) {
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < plan.tensors.size(); ++i) index[plan.tensors[i].name.str()] = i;
  const auto scale_of = [](const PlannedTensor& t, size_t i) {
    if (t.scale) return *t.scale;
    if (t.role == TensorRole::kWeight) return 0.01;
    return (BitsOf(t.dtype) > 8 ? 1e-4 : 0.02) * (1 + 0.05 * static_cast<double>(i));
  };
  for (Tensor& tensor : model.tensors) {
    const size_t i = index.at(tensor.name.str());
    const PlannedTensor& planned = plan.tensors[i];
    tensor.dtype = planned.dtype;
    if (!IsFixedPoint(planned.dtype)) continue;
    const size_t of = planned.shares_with.empty() ? i : index.at(planned.shares_with.str());
    Encoding& e = tensor.encoding.Edit();
    e.kind = planned.kind;
    e.bitwidth = planned.bits;
    e.axis = std::max(planned.axis, 0);
    double scale = scale_of(plan.tensors[of], of);
    if (!planned.derived_from.empty()) {
      const size_t input = index.at(planned.derived_from.str());
      const PlannedTensor& activation = plan.tensors[input];
      const size_t root =
          activation.shares_with.empty() ? input : index.at(activation.shares_with.str());
      scale = scale_of(plan.tensors[root], root) * 0.01;
    }
    e.scales = {static_cast<float>(scale)};
    e.zero_points = {static_cast<int32_t>(
        plan.tensors[of].zero_point.value_or(SymmetricZeroPoint(planned.dtype) - 5))};
    if (planned.kind == EncodingKind::kLpbq) {
      e.num_blocks = static_cast<int32_t>(tensor.dims[2] / planned.block_size);
      e.block_scales = {3};
      e.block_scale_bitwidth = 4;
      e.block_scale_storage_bits = 8;
    }
  }
  return model;
}

Net Everything() {
  Net net({1, 8, 8, 16});
  net.Conv("a");
  net.Op("ElementWiseNeuron", "sigmoid", {1, 8, 8, 16}, {{"operation", UintParam{kSigmoid}}});
  net.Op("Reshape", "flat", {1, 64, 16});
  net.Op("Softmax", "soft", {1, 64, 16}, {{"axis", UintParam{2}}});
  net.Op("Reshape", "back", {1, 8, 8, 16});
  net.Conv("b");
  net.Op("ElementWiseAdd", "sum", {1, 8, 8, 16}, {}, {net.last, 0});
  return net;
}

TEST(Plan, IsAcceptedInEveryPrecision) {
  const Model model = Everything().model;
  for (const char* soc : {"SM8350", "SM8550", "SM8750"}) {
    for (const char* precision : {"8a8w", "16a8w", "16a16w", "8a4w", "16a4w"}) {
      const auto plan = PlanOf(model, {.precision = precision}, soc);
      ASSERT_TRUE(plan.ok()) << plan.status();
      ASSERT_EQ(plan->nodes.size(), model.nodes.size());
      if (!plan->converts.empty()) continue;  // those stand in no model yet
      const auto target = Target::Parse({.sdk = "2.51", .soc = soc});
      const Report report = Validator(*target).Check(Quantized(model, *plan));
      EXPECT_LT(report.verdict, Consequence::kAltered)
          << precision << " on " << soc << ": "
          << (report.findings.empty() ? "" : report.findings[0].message.str());
    }
  }
}

TEST(Plan, OfEightBits) {
  const auto plan = PlanOf(Everything().model, {.precision = "8a8w"});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->count(PlanFit::kAsWished), 7);
  EXPECT_TRUE(plan->converts.empty());
  const PlannedTensor& weight = Find(*plan, "a_w");
  EXPECT_EQ(weight.role, TensorRole::kWeight);
  EXPECT_EQ(weight.dtype, Dtype::kSfixedPoint8);
  EXPECT_EQ(weight.kind, EncodingKind::kPerChannel);
  EXPECT_EQ(weight.axis, 3);
  EXPECT_TRUE(weight.symmetric);
  const PlannedTensor& bias = Find(*plan, "a_b");
  EXPECT_EQ(bias.dtype, Dtype::kSfixedPoint32);
  EXPECT_EQ(bias.derived_from, "x");
  // A Reshape copies the integers of what the Sigmoid, or the Softmax, dictates.
  EXPECT_EQ(Find(*plan, "flat").shares_with, "sigmoid");
  EXPECT_EQ(Find(*plan, "back").shares_with, "soft");
  EXPECT_EQ(Find(*plan, "soft").zero_point, 0);
  EXPECT_EQ(Find(*plan, "back").zero_point, 0);
  ASSERT_FALSE(Find(*plan, "soft").constraints.empty());
  EXPECT_EQ(Find(*plan, "soft").constraints[0], "htp/Softmax/out[0]/fixed-encoding");
}

TEST(Plan, OfSixteenBitsSaysTheRow) {
  const auto plan = PlanOf(Everything().model, {.precision = "16a8w"});
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->nodes[0].ops.size(), 1u);
  EXPECT_TRUE(plan->nodes[0].ops[0].row.view().starts_with("htp/Conv2d#INT16."))
      << plan->nodes[0].ops[0].row;
  EXPECT_EQ(plan->nodes[0].ops[0].precision, "16a8w");
  EXPECT_EQ(Find(*plan, "x").dtype, Dtype::kUfixedPoint16);
}

TEST(Plan, WeightsInBlocks) {
  Net net({1, 8, 8, 16});
  net.Conv("a");
  const auto plan = PlanOf(net.model, {.precision = "16a4w", .weights = "lpbq:16"});
  ASSERT_TRUE(plan.ok());
  const PlannedTensor& weight = Find(*plan, "a_w");
  EXPECT_EQ(weight.kind, EncodingKind::kLpbq);
  EXPECT_EQ(weight.block_size, 16);
  EXPECT_EQ(weight.bits, 4);
  // 16 channels have no blocks of 5: the nearest form is said to be it.
  const auto other = PlanOf(net.model, {.precision = "16a4w", .weights = "lpbq:5"});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->nodes[0].fit, PlanFit::kNearest);
  EXPECT_NE(Find(*other, "a_w").kind, EncodingKind::kLpbq);
  EXPECT_FALSE(other->nodes[0].reason.empty());
}

TEST(Plan, AWishThatCannotBeHadIsSaidWithItsReason) {
  Net net({1, 8, 8, 16});
  net.Conv("a");
  const auto plan = PlanOf(net.model, {.precision = "16a16w"}, "SM8350");  // v68
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->nodes[0].fit, PlanFit::kNearest);
  EXPECT_EQ(plan->nodes[0].wished, "16a16w");
  EXPECT_EQ(plan->nodes[0].ops[0].precision, "16a8w");
  EXPECT_FALSE(plan->nodes[0].reason.empty());
  EXPECT_FALSE(plan->nodes[0].rule.empty());
}

TEST(Plan, TheLeastScaleThatAnOpComputesRightWith) {
  Net net({1, 8, 8, 16});
  net.Op("Softmax", "weights", {1, 8, 8, 16}, {{"axis", UintParam{3}}});
  const auto wide = PlanOf(net.model, {.precision = "16a8w"});
  ASSERT_TRUE(wide.ok()) << wide.status();
  EXPECT_NEAR(Find(*wide, "x").least_scale, 2.6441e-06, 1e-9);
  EXPECT_EQ(Find(*PlanOf(net.model, {.precision = "fp16"}), "x").least_scale, 0);
}

TEST(Plan, AnOverrideCostsConverts) {
  Net net({1, 8, 8, 16});
  net.Conv("a");
  net.Conv("b");
  net.Conv("c");
  const auto plan = PlanOf(net.model, {.precision = "8a8w", .overrides = {{"b_node", "16a8w"}}});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(Find(*plan, "a").dtype, Dtype::kUfixedPoint8);
  EXPECT_EQ(Find(*plan, "b").dtype, Dtype::kUfixedPoint16);
  ASSERT_EQ(plan->converts.size(), 2u);
  EXPECT_EQ(plan->converts[0].tensor, "a");
  EXPECT_EQ(plan->converts[0].node, "b_node");
  EXPECT_EQ(plan->converts[0].to, Dtype::kUfixedPoint16);
  EXPECT_EQ(plan->converts[1].tensor, "b");
  EXPECT_EQ(plan->converts[1].elements, 1024);
}

// A Sigmoid and a Tanh dictate their encodings, and what scatters one into the other wants a single
// one: the smaller tensor is converted.
TEST(Plan, TwoThatFixOneEncodingGetTheCheapestConvert) {
  for (const bool few_updates : {true, false}) {
    const std::vector<int64_t> large = {1, 64, 16}, small = {1, 64, 4};
    Net net(few_updates ? large : small);
    net.Op("Sigmoid", "data", few_updates ? large : small);
    const TensorId data = net.last;
    const TensorId other = net.Put("u", few_updates ? small : large, false);
    const TensorId indices = net.Put("i", few_updates ? small : large, true);
    net.model.tensors[static_cast<size_t>(indices)].dtype = Dtype::kInt32;
    net.Op("Tanh", "updates", few_updates ? small : large, {}, {other});
    const TensorId updates = net.last;
    net.Op("ScatterElements", "y", few_updates ? large : small, {{"axis", UintParam{2}}},
           {data, indices, updates});
    const auto plan = PlanOf(net.model, {.precision = "16a8w"});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(Find(*plan, "data").scale, 1.0 / 65536);
    EXPECT_EQ(Find(*plan, "updates").scale, 1.0 / 32768);
    ASSERT_EQ(plan->converts.size(), 1u);
    const PlannedConvert& convert = plan->converts[0];
    EXPECT_EQ(convert.node, "y_node");
    EXPECT_EQ(convert.from, convert.to);
    EXPECT_NE(convert.reason.find("one encoding"), std::string_view::npos) << convert.reason;
    EXPECT_EQ(convert.tensor, few_updates ? "updates" : "data");
  }
}

TEST(Plan, FewerBitsWhereTheWishCannotBeHad) {
  Net net({1, 8, 8, 16});
  net.Conv("a");
  for (const auto& [goal, precision] : std::vector<std::pair<PlanGoal, std::string>>{
           {PlanGoal::kConverts, "16a8w"}, {PlanGoal::kBits, "16a8w"}}) {
    const auto plan = PlanOf(net.model, {.precision = "16a16w", .minimize = goal}, "SM8350");
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->minimize, PlanGoalName(goal));
    EXPECT_EQ(plan->nodes[0].ops[0].precision, precision);
  }
}

TEST(Plan, WhatIsRefusedWhateverItsTypes) {
  Net net({1, 2, 2, 2, 2, 2});
  net.Op("Softmax", "y", {1, 2, 2, 2, 2, 2}, {{"axis", UintParam{5}}});
  const auto plan = PlanOf(net.model, {.precision = "8a8w"});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->nodes[0].fit, PlanFit::kRefused);
  EXPECT_NE(plan->nodes[0].reason.find("rank 6"), std::string_view::npos) << plan->nodes[0].reason;
  EXPECT_EQ(Find(*plan, "y").dtype, Dtype::kFloat32);
}

TEST(Plan, WhatARouteNeverQuantizesIsInFloat) {
  Net net({1, 8, 16});
  net.model.dialect = Dialect::kOnnx;
  net.Op("Relu", "a", {1, 8, 16});
  net.Op("ReduceL2", "y", {1, 8, 1},
         {{"axes", std::vector<int64_t>{-1}}, {"keepdims", IntParam{1}}});
  const auto plan = PlanOf(net.model, {.precision = "8a8w"});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->nodes[0].fit, PlanFit::kAsWished);
  EXPECT_EQ(plan->nodes[1].fit, PlanFit::kFloat);
  EXPECT_EQ(plan->nodes[1].rule, "QG601");
  ASSERT_EQ(plan->converts.size(), 1u);
  EXPECT_TRUE(IsFloat(plan->converts[0].to));
  // Not a float island where the wish is float.
  const auto floats = PlanOf(net.model, {.precision = "fp16"});
  ASSERT_TRUE(floats.ok());
  EXPECT_EQ(floats->count(PlanFit::kFloat), 0);
}

// Each op is accepted by itself; the provider computes the two wrong together in 16 bits.
TEST(Plan, WhatIsRefusedBehindAnotherOpMovesToThePrecisionThatIsNot) {
  Net net({1, 16, 8});
  net.model.dialect = Dialect::kOnnx;
  net.model.opset = 21;
  const TensorId gate = net.Put("gate", {1, 16, 8}, false);
  net.model.inputs = {0, gate};
  net.Op("Tanh", "t", {1, 16, 8});
  net.Op("Mul", "y", {1, 16, 8}, {}, {net.last, gate});
  net.model.outputs = {net.last};
  const auto wide = PlanOf(net.model, {.precision = "16a8w"});
  ASSERT_TRUE(wide.ok()) << wide.status();
  EXPECT_EQ(wide->nodes[1].fit, PlanFit::kNearest) << PlanText(*wide);
  EXPECT_EQ(wide->nodes[1].rule, "QG620");
  EXPECT_EQ(wide->nodes[1].ops[0].precision, "8a");
  EXPECT_NE(wide->nodes[1].reason.find("computed wrong"), std::string_view::npos);
  const auto narrow = PlanOf(net.model, {.precision = "8a8w"});
  ASSERT_TRUE(narrow.ok());
  EXPECT_EQ(narrow->count(PlanFit::kAsWished), 2);
  EXPECT_TRUE(narrow->converts.empty());
}

// The provider aborts on it whatever its types.
TEST(Plan, WhatNoPrecisionAvoidsIsRefused) {
  Net net({1, 4, 4, 8});
  net.model.dialect = Dialect::kOnnx;
  net.model.opset = 13;
  net.model.inputs = {0};
  net.Op("Transpose", "t", {1, 8, 4, 4}, {{"perm", std::vector<int64_t>{0, 3, 1, 2}}});
  net.Op("Relu", "a", {1, 8, 4, 4});
  const auto ints = [&](const std::string& name, int64_t value) {
    const TensorId id = net.Put(name, {1}, true);
    Tensor& tensor = net.model.tensors[static_cast<size_t>(id)];
    tensor.dtype = Dtype::kInt64;
    tensor.values = std::make_shared<const TensorValues>(TensorValues{{value}, {}});
    return id;
  };
  net.Op("Reshape", "flat", {128}, {}, {net.last, ints("shape", 128)});
  net.Op("Unsqueeze", "row", {1, 128}, {}, {net.last, ints("axes", 0)});
  net.Op("Transpose", "y", {128, 1}, {{"perm", std::vector<int64_t>{1, 0}}});
  net.model.outputs = {net.last};
  const auto plan = PlanOf(net.model, {.precision = "8a8w"});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->count(PlanFit::kRefused), 1) << PlanText(*plan);
  EXPECT_EQ(plan->nodes[2].fit, PlanFit::kRefused) << PlanText(*plan);
  EXPECT_NE(plan->nodes[2].reason.find("aborted"), std::string_view::npos);
}

TEST(Plan, AnUnknownOpIsUnchecked) {
  Net net({1, 8});
  net.Op("NoSuchOp", "y", {1, 8});
  const auto plan = PlanOf(net.model, {.precision = "8a8w"});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->nodes[0].fit, PlanFit::kUnchecked);
}

TEST(Plan, AnOpOfThousandsOfInputsIsLeftAlone) {
  Net net({1, 8});
  std::vector<TensorId> inputs;
  for (int i = 0; i < 50'000; ++i)
    inputs.push_back(net.Put("i" + std::to_string(i), {1, 1}, false));
  net.Op("Concat", "y", {1, 50'000}, {{"axis", UintParam{1}}}, inputs);
  const auto plan = PlanOf(net.model, {.precision = "8a8w"});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->nodes[0].fit, PlanFit::kUnchecked);
  EXPECT_NE(plan->nodes[0].reason.find("more than"), std::string_view::npos)
      << plan->nodes[0].reason;
}

TEST(Plan, BadInput) {
  Net net({1, 8, 8, 16});
  net.Conv("a");
  const auto fails = [&](const Model& model, const PlanOptions& options, std::string_view says) {
    const auto plan = PlanOf(model, options);
    ASSERT_FALSE(plan.ok());
    EXPECT_NE(plan.status().message().find(absl::string_view(says.data(), says.size())),
              absl::string_view::npos)
        << plan.status();
    EXPECT_EQ(plan.status().message().find('\n'), absl::string_view::npos);
  };
  fails(net.model, {.precision = "7a7w"}, "no precision \"7a7w\"");
  fails(net.model, {.precision = "8a8w", .weights = "lpbq:0"}, "no form of weights");
  fails(net.model, {.precision = "fp16", .weights = "int4"}, "contradict");
  fails(net.model, {.precision = "8a8w", .overrides = {{"a_nod", "16a8w"}}}, "did you mean a_node");
  fails(net.model, {.precision = "8a8w", .overrides = {{"z*", "16a8w"}}},
        "no node has a name like");
  fails(net.model, {.precision = "8a8w", .overrides = {{"a*", "16a8w"}, {"*e", "fp16"}}},
        "contradict each other at node \"a_node\"");
  Model quantized = net.model;
  quantized.tensors[0].dtype = Dtype::kUfixedPoint8;
  fails(quantized, {.precision = "8a8w"}, "quantized already: tensor \"x\"");
  Model malformed = net.model;
  malformed.nodes[0].inputs[0] = 99;
  fails(malformed, {.precision = "8a8w"}, "malformed");
}

TEST(Plan, ANameCountsMoreThanAPattern) {
  Net net({1, 8, 8, 16});
  net.Conv("a");
  net.Conv("b");
  const auto plan =
      PlanOf(net.model, {.precision = "8a8w", .overrides = {{"a_node", "8a8w"}, {"*", "16a8w"}}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->nodes[0].wished, "8a8w");
  EXPECT_EQ(plan->nodes[1].wished, "16a8w");
}

TEST(Plan, AHundredThousandNodesInASecond) {
  Net net({1, 8, 8, 16});
  net.model.tensors.reserve(400'000);
  while (net.model.nodes.size() < 100'000) {
    const std::string name = "n" + std::to_string(net.model.nodes.size());
    net.Conv(name);
    net.Op("Reshape", name + "r", {1, 64, 16});
    net.Op("Reshape", name + "s", {1, 8, 8, 16});
  }
  const std::clock_t start = std::clock();  // of the processor: other programs run beside it
  const auto plan = PlanOf(net.model, {.precision = "16a8w"});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->count(PlanFit::kAsWished), static_cast<int64_t>(net.model.nodes.size()));
  std::printf("100,000 nodes: %.2f s\n", seconds);
  EXPECT_LT(seconds, 5);  // one on a quiet machine; a quadratic step takes minutes
}

}  // namespace
}  // namespace quantgate
