// Models made by hand.
#include "quantgate/model_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace quantgate {
namespace {

Tensor Named(std::string name) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.dtype = Dtype::kFloat32;
  tensor.dims = {1, 8};
  return tensor;
}

Node Relu(TensorId in, TensorId out) {
  Node node;
  node.op = "Relu";
  node.inputs = {in};
  node.outputs = {out};
  return node;
}

template <typename T>
std::string ErrorOf(const absl::StatusOr<T>& refused) {
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(refused.status().message());
}

TEST(ModelBuilder, FillsInWhatIsLeftOut) {
  ModelBuilder builder("net");
  const TensorId x = *builder.Add(Named("x"));
  const TensorId y = *builder.Add(Named("y"));
  ASSERT_EQ(*builder.Add(Relu(x, y)), 0);
  builder.AddNote("a note");
  const auto model = builder.Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->name, "net");
  EXPECT_EQ(model->nodes[0].name, "Relu_0");
  EXPECT_EQ(model->inputs, std::vector<TensorId>{x});
  EXPECT_EQ(model->outputs, std::vector<TensorId>{y});
  EXPECT_EQ(model->notes, std::vector<std::string>{"a note"});
  EXPECT_TRUE(builder.model().tensors.empty());
}

TEST(ModelBuilder, RefusesWhatReadersWould) {
  ModelBuilder builder;
  EXPECT_NE(ErrorOf(builder.Add(Named(""))).find("name"), std::string::npos);
  const TensorId x = *builder.Add(Named("x"));
  EXPECT_EQ(ErrorOf(builder.Add(Relu(x, 7))), "outputs[0]: there is no tensor 7");
  Node node = Relu(x, kNoTensor);
  TensorParam both;
  both.ints = {1};
  both.reals = {1.0};
  node.params.push_back({"shape", both});
  EXPECT_EQ(ErrorOf(builder.Add(node)), "params[\"shape\"]: has both \"ints\" and \"reals\"");
  EXPECT_TRUE(builder.model().nodes.empty());
}

TEST(ModelBuilder, RefusesAGraphThatIsNone) {
  ModelBuilder builder;
  const TensorId x = *builder.Add(Named("x"));
  const TensorId y = *builder.Add(Named("y"));
  ASSERT_TRUE(builder.Add(Relu(x, y)).ok());
  ASSERT_TRUE(builder.Add(Relu(y, x)).ok());
  EXPECT_NE(ErrorOf(builder.Build()).find("cycle"), std::string::npos);
  EXPECT_EQ(builder.model().nodes.size(), 2u);  // as it was
  EXPECT_EQ(ErrorOf(builder.Build({9})), "inputs[0]: there is no tensor 9");

  ModelBuilder twice;
  ASSERT_TRUE(twice.Add(Named("x")).ok());
  ASSERT_TRUE(twice.Add(Named("x")).ok());
  EXPECT_EQ(ErrorOf(twice.Build()), "tensor \"x\" is given twice");
}

}  // namespace
}  // namespace quantgate
