// What a form of a node is, and the facts of a tensor that a node of a known form has to show.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/validate/cache/node_form.h"
#include "core/validate/port_facts.h"
#include "tests/unit/support/one_node.h"

namespace quantgate {
namespace {

Tensor BlockTensor(EncodingKind kind) {
  Tensor t;
  t.dtype = Dtype::kSfixedPoint8;
  t.dims = {4, 32};
  t.encoding.Edit().kind = kind;
  t.encoding.Edit().bitwidth = 4;
  t.encoding.Edit().axis = 0;
  t.encoding.Edit().scales = {0.5F, 0.5F, 0.5F, 0.5F};
  t.encoding.Edit().zero_points = {0, 0, 0, 0};
  t.encoding.Edit().block_size = {1, 32};
  t.encoding.Edit().num_blocks = 2;
  t.encoding.Edit().block_scales = {1, 2};
  t.encoding.Edit().block_scale_bitwidth = 4;
  t.encoding.Edit().block_scale_storage_bits = 8;
  return t;
}

struct Change {
  const char* name;
  std::function<void(Tensor&)> make;
};

TEST(NodeForm, IsAllButNumbers) {
  const Change changes[] = {
      {"dtype", [](Tensor& t) { t.dtype = Dtype::kUfixedPoint8; }},
      {"static", [](Tensor& t) { t.is_static = true; }},
      {"rank", [](Tensor& t) { t.unknown_rank = true; }},
      {"dims", [](Tensor& t) { t.dims[1] = 16; }},
      {"sparse", [](Tensor& t) { t.sparse = 3; }},
      {"bits", [](Tensor& t) { t.encoding.Edit().bitwidth = 2; }},
      {"axis", [](Tensor& t) { t.encoding.Edit().axis = 1; }},
      {"kind", [](Tensor& t) { t.encoding.Edit().kind = EncodingKind::kPerChannel; }},
      {"scales", [](Tensor& t) { t.encoding.Edit().scales.resize(1); }},
      {"zero points", [](Tensor& t) { t.encoding.Edit().zero_points.resize(1); }},
  };
  const Change of_blocks[] = {
      {"block size",
       [](Tensor& t) {
         t.encoding.Edit().block_size = {1, 16};
       }},
      {"blocks", [](Tensor& t) { t.encoding.Edit().num_blocks = 4; }},
      {"block scales", [](Tensor& t) { t.encoding.Edit().block_scales.resize(1); }},
      {"bits of block scales", [](Tensor& t) { t.encoding.Edit().block_scale_bitwidth = 8; }},
      {"storage of block scales", [](Tensor& t) { t.encoding.Edit().block_scale_storage_bits = 4; }},
  };
  const Change numbers[] = {
      {"scale", [](Tensor& t) { t.encoding.Edit().scales[1] = 7; }},
      {"zero point", [](Tensor& t) { t.encoding.Edit().zero_points[3] = 7; }},
      {"block scale", [](Tensor& t) { t.encoding.Edit().block_scales[1] = 7; }},
      {"value",
       [](Tensor& t) {
         t.value_range = {0, 1};
       }},
      {"name", [](Tensor& t) { t.name = "x"; }},
  };
  for (const EncodingKind kind : {EncodingKind::kBlock, EncodingKind::kLpbq}) {
    const Tensor t = BlockTensor(kind);
    const auto same = [&](const Change& change) {
      Tensor other = t;
      change.make(other);
      return SameForm(t, other);
    };
    EXPECT_TRUE(SameForm(t, t));
    for (const Change& c : changes) EXPECT_FALSE(same(c)) << c.name;
    for (const Change& c : of_blocks) EXPECT_FALSE(same(c)) << c.name;
    for (const Change& c : numbers) EXPECT_TRUE(same(c)) << c.name;
  }
}

TEST(NodeForm, HasTheSameTensorAtTheSamePorts) {
  Model model;
  model.tensors.assign(4, BlockTensor(EncodingKind::kLpbq));
  model.tensors[3].dims = {4, 16};
  const auto add = [&](std::vector<TensorId> inputs) {
    Node node;
    node.op = "Add";
    node.inputs.assign(inputs.begin(), inputs.end());
    node.outputs = {2};
    return node;
  };
  const Node two = add({0, 1});
  EXPECT_TRUE(SameForm(model, two, add({1, 0})));
  EXPECT_FALSE(SameForm(model, two, add({0, 0})));
  EXPECT_FALSE(SameForm(model, two, add({0, 3})));
  EXPECT_FALSE(SameForm(model, two, add({0, kNoTensor})));
  EXPECT_FALSE(SameForm(model, add({0, kNoTensor}), two));
  EXPECT_TRUE(SameForm(model, add({0, kNoTensor}), add({1, kNoTensor})));
  EXPECT_FALSE(SameForm(model, two, add({0})));
  EXPECT_EQ(HashOfForm(model, two), HashOfForm(model, add({1, 0})));
}

TEST(NodeForm, HasEqualParams) {
  const Model model;
  const auto with = [](const char* name, int64_t value) {
    Node node;
    node.op = "Concat";
    node.params = {{name, IntParam{value}}};
    return node;
  };
  EXPECT_TRUE(SameForm(model, with("axis", 1), with("axis", 1)));
  EXPECT_FALSE(SameForm(model, with("axis", 1), with("axis", 2)));
  EXPECT_FALSE(SameForm(model, with("axis", 1), with("dim", 1)));
  Node uint = with("axis", 1);
  uint.params.Edit()[0].value = UintParam{1};
  EXPECT_FALSE(SameForm(model, with("axis", 1), uint));
}

TEST(NodeForm, OfNodesWithManyPartsIsNotKept) {
  Node node;
  node.inputs.assign(kMaxFormParts - 1, 0);
  node.outputs = {0};
  EXPECT_TRUE(HasShortForm(node));
  node.params.Edit().resize(1);
  EXPECT_FALSE(HasShortForm(node));
}

TEST(PortFacts, RangesOfFixedPointTypes) {
  const auto range = [](Dtype dtype, int64_t min, int64_t max) {
    const ValueRange r = RangeOf(dtype);
    EXPECT_EQ(r.min, min) << DtypeName(dtype);
    EXPECT_EQ(r.max, max) << DtypeName(dtype);
  };
  range(Dtype::kUfixedPoint8, 0, 255);
  range(Dtype::kUfixedPoint16, 0, 65535);
  range(Dtype::kSfixedPoint8, -128, 127);
  range(Dtype::kSfixedPoint32, INT32_MIN, INT32_MAX);
}

Tensor Activation(float scale, int32_t zero_point, Dtype dtype = Dtype::kUfixedPoint8) {
  return PerTensor(dtype, {1, 4}, scale, zero_point);
}

bool Has(uint8_t fact, const Tensor& t) { return LieWithin(t.encoding, RangesOf(t, fact)); }

TEST(PortFacts, ScalesLieWithinRanges) {
  const float infinite = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float scale :
       {std::numeric_limits<float>::denorm_min(), 1.0F, std::numeric_limits<float>::max()}) {
    EXPECT_TRUE(Has(kFactGoodScales, Activation(scale, 0))) << scale;
  }
  for (const float scale : {0.0F, -1.0F, infinite, nan}) {
    EXPECT_FALSE(Has(kFactGoodScales, Activation(scale, 0))) << scale;
    EXPECT_FALSE(Has(kFactUsualScales, Activation(scale, 0))) << scale;
  }
  EXPECT_TRUE(Has(kFactGoodScales, Activation(-1, 0, Dtype::kFloat32)));
  for (const float scale : {1e-8F, 1.0F, 1e8F}) {
    EXPECT_TRUE(Has(kFactUsualScales | kFactGoodScales, Activation(scale, 0))) << scale;
  }
  for (const float scale : {0.99e-8F, 1.01e8F}) {
    EXPECT_FALSE(Has(kFactUsualScales | kFactGoodScales, Activation(scale, 0))) << scale;
  }
  EXPECT_TRUE(Has(0, Activation(-1, 70000)));
}

TEST(PortFacts, ZeroPointsLieWithinRanges) {
  for (const int32_t zero_point : {0, 255}) {
    EXPECT_TRUE(Has(kFactInRange, Activation(1, zero_point))) << zero_point;
  }
  for (const int32_t zero_point : {-1, 256}) {
    EXPECT_FALSE(Has(kFactInRange, Activation(1, zero_point))) << zero_point;
  }
  EXPECT_TRUE(Has(kFactInRange, Activation(1, INT32_MAX, Dtype::kUfixedPoint32)));
  EXPECT_FALSE(Has(kFactInRange, Activation(1, -1, Dtype::kUfixedPoint32)));
  EXPECT_TRUE(Has(kFactSymmetric | kFactInRange, Activation(1, 128)));
  for (const int32_t zero_point : {127, 129}) {
    EXPECT_FALSE(Has(kFactSymmetric | kFactInRange, Activation(1, zero_point))) << zero_point;
  }
  Tensor channels = Activation(1, 0, Dtype::kSfixedPoint8);
  channels.encoding.Edit().zero_points = {0, 0, 0};
  EXPECT_TRUE(Has(kFactSymmetric, channels));
  channels.encoding.Edit().zero_points[2] = 1;
  EXPECT_FALSE(Has(kFactSymmetric, channels));
}

}  // namespace
}  // namespace quantgate
