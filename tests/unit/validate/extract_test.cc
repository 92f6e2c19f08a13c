// Cutting nodes out of a model, and the smallest model in which one is judged as in the whole.
#include "quantgate/extract.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "quantgate/target.h"
#include "tests/unit/support/one_node.h"

namespace quantgate {
namespace {

// Reshapes one behind the other, t0 -> n0 -> t1 -> n1 -> ...; `wide` nodes read t0 too.
Model Chain(int nodes, int wide = 0) {
  Model model;
  const auto add = [&] {
    Tensor t = PerTensor(Dtype::kUfixedPoint8, {1, 8}, 0.02F, 128);
    t.name = "t" + std::to_string(model.tensors.size());
    model.tensors.push_back(std::move(t));
    return static_cast<TensorId>(model.tensors.size()) - 1;
  };
  const auto reshape = [&](TensorId in) {
    Node node;
    node.name = "n" + std::to_string(model.nodes.size());
    node.op = "Reshape";
    node.inputs = {in};
    node.outputs = {add()};
    model.nodes.push_back(node);
    return node.outputs[0];
  };
  const TensorId first = add();
  model.inputs = {first};
  TensorId last = first;
  for (int i = 0; i < nodes; ++i) last = reshape(last);
  model.outputs = {last};
  for (int i = 0; i < wide; ++i) model.outputs.push_back(reshape(first));
  return model;
}

std::vector<std::string> Names(const Model& model, const std::vector<TensorId>& ids) {
  std::vector<std::string> names;
  for (const TensorId id : ids) names.push_back(model.tensors[static_cast<size_t>(id)].name);
  return names;
}

using Texts = std::vector<std::string>;

TEST(Submodel, GetsInputsAndOutputsWhereTheGraphGoesOn) {
  const Model model = Chain(4);
  const Model part = Submodel(model, std::vector<int32_t>{1, 2});
  ASSERT_EQ(part.nodes.size(), 2U);
  EXPECT_EQ(part.nodes[0].name, "n1");
  EXPECT_EQ(part.tensors.size(), 3U);
  EXPECT_EQ(Names(part, part.inputs), Texts{"t1"});
  EXPECT_EQ(Names(part, part.outputs), Texts{"t3"});
}

TEST(Submodel, KeepsOutputsOfTheWhole) {
  Model model = Chain(3);
  model.outputs = {1, 3};
  const Model part = Submodel(model, std::vector<int32_t>{0, 1});
  EXPECT_EQ(Names(part, part.outputs), (Texts{"t1", "t2"}));
}

TEST(Submodel, TakesAbsentPortsAndConstants) {
  Model model = Chain(2);
  model.tensors[1].is_static = true;
  model.nodes[0].outputs = {kNoTensor};
  model.nodes[1].inputs = {1, kNoTensor};
  const Model part = Submodel(model, std::vector<int32_t>{1});
  EXPECT_EQ(part.nodes[0].inputs[1], kNoTensor);
  EXPECT_TRUE(part.inputs.empty());
  EXPECT_EQ(Submodel(model, std::vector<int32_t>{0}).nodes[0].outputs[0], kNoTensor);
}

Validator HtpValidator() { return Validator(*Target::Parse({.soc = "SM8550"})); }

Texts Nodes(const Model& model) {
  Texts names;
  for (const Node& node : model.nodes) names.push_back(node.name);
  return names;
}

TEST(SmallestAround, ANodeJudgedByItself) {
  Model model = Chain(5);
  model.tensors[3].encoding.Edit().scales = {7.0F};
  const Validator validator = HtpValidator();
  ASSERT_EQ(validator.Check(model).nodes[2].verdict, Consequence::kWrongValues);
  EXPECT_EQ(Nodes(SmallestAround(validator, model, 2)), Texts{"n2"});
}

// A chain of Q, float ops and DQ is one finding on the first float op, so all of it is needed.
TEST(SmallestAround, ANodeJudgedByWhatIsAroundIt) {
  for (const size_t first : {0, 1}) {
    Model model = Chain(6);
    for (size_t t = first + 1; t < first + 4; ++t) {
      model.tensors[t].dtype = Dtype::kFloat32;
      model.tensors[t].encoding = {};
    }
    model.nodes[first].op = "Dequantize";
    model.nodes[first + 1].op = model.nodes[first + 2].op = "Relu";
    model.nodes[first + 3].op = "Quantize";
    const Validator validator = HtpValidator();
    const auto node = static_cast<int32_t>(first) + 1;
    Texts slugs;
    for (const Finding& f : validator.Check(model).findings) {
      if (f.node_index == node) slugs.emplace_back(f.rule->slug);
    }
    ASSERT_EQ(slugs, Texts{"float-island"});
    Texts needed;
    for (size_t n = first; n < first + 4; ++n) needed.push_back(model.nodes[n].name);
    EXPECT_EQ(Nodes(SmallestAround(validator, model, node)), needed);
  }
}

}  // namespace
}  // namespace quantgate
