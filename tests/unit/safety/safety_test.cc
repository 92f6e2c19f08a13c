// core/safety: which values reach a tensor, and which edits of encodings keep what a model
// computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/safety/coding.h"
#include "core/safety/safe_edit.h"
#include "core/safety/safe_fixes.h"
#include "core/safety/value_range.h"
#include "quantgate/database.h"

namespace quantgate::fix {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Coding U8(float scale, int32_t zero) {
  Coding coding{Dtype::kUfixedPoint8, {}};
  coding.encoding.Edit().kind = EncodingKind::kPerTensor;
  coding.encoding.Edit().scales = {scale};
  coding.encoding.Edit().zero_points = {zero};
  return coding;
}

Coding U16(float scale, int32_t zero) {
  Coding coding = U8(scale, zero);
  coding.dtype = Dtype::kUfixedPoint16;
  return coding;
}

// A graph of QNN ops; tensors by name, quantized ones with their encoding.
class Graph {
 public:
  TensorId Add(std::string name, const Coding* coding) {
    Tensor& tensor = model.tensors.emplace_back();
    tensor.name = std::move(name);
    tensor.dims = {1, 4};
    tensor.dtype = coding == nullptr ? Dtype::kFloat32 : coding->dtype;
    if (coding != nullptr) tensor.encoding = coding->encoding;
    return static_cast<TensorId>(model.tensors.size()) - 1;
  }
  TensorId Input(const Coding& coding) {
    model.inputs.push_back(Add("x", &coding));
    return model.inputs.back();
  }
  TensorId Op(std::string op, std::vector<TensorId> inputs, const Coding* coding,
              std::vector<Param> params = {}) {
    Node node;
    node.op = std::move(op);
    node.name = "n" + std::to_string(model.nodes.size());
    node.inputs.assign(inputs.begin(), inputs.end());
    node.outputs = {Add(node.name + "_out", coding)};
    node.params = std::move(params);
    model.nodes.push_back(std::move(node));
    return model.nodes.back().outputs[0];
  }
  ValueRange Reaching(TensorId id) const {
    return ValueRanges(model, Database::Embedded().view()).Reaching(id);
  }
  Objection To(TensorId id, const Coding& to) const {
    const ValueRanges ranges(model, Database::Embedded().view());
    return ObjectionTo(model, ranges, id, *ranges.CodingOf(id), to);
  }

  Model model;
};

TEST(ValueRange, OfAnEncodingIsWhatItsIntegersSay) {
  const auto range = RangeOf(U8(0.5F, 2));
  ASSERT_TRUE(range);
  EXPECT_EQ(range->low, -1);
  EXPECT_EQ(range->high, 126.5);
  EXPECT_EQ(range->step, 0.5);
  EXPECT_FALSE(RangeOf(U8(0, 0)));
  EXPECT_FALSE(RangeOf(U8(std::numeric_limits<float>::quiet_NaN(), 0)));
  EXPECT_FALSE(RangeOf(Coding{Dtype::kUfixedPoint8, {}}));
}

TEST(ValueRanges, MovingKeepsRangeAndGrid) {
  Graph g;
  const Coding in = U8(0.1F, 100);
  TensorId at = g.Input(in);
  for (const char* op : {"Reshape", "Transpose", "PoolMax2d", "Concat", "StridedSlice"}) {
    at = g.Op(op, {at}, nullptr);
  }
  const ValueRange held = g.Reaching(at);
  EXPECT_FLOAT_EQ(static_cast<float>(held.low), -10.0F);
  EXPECT_FLOAT_EQ(static_cast<float>(held.high), 15.5F);
  EXPECT_EQ(held.step, double{0.1F});
}

TEST(ValueRanges, WhatIsNotKnownIsAnyNumber) {
  Graph g;
  const TensorId x = g.Input(U8(0.1F, 0));
  EXPECT_EQ(g.Reaching(x).high, kInf);  // by the caller, before it is quantized
  const TensorId sum = g.Op("ElementWiseAdd", {x, x}, nullptr);
  EXPECT_EQ(g.Reaching(sum).low, -kInf);
  EXPECT_EQ(g.Reaching(g.Op("Reshape", {sum}, nullptr)).high, kInf);
  EXPECT_EQ(g.Reaching(g.Op("no_such_op", {x}, nullptr)).high, kInf);
}

TEST(ValueRanges, BoundsOfOpsAreData) {
  Graph g;
  const TensorId x = g.Input(U8(0.1F, 100));
  const ValueRange softmax = g.Reaching(g.Op("Softmax", {x}, nullptr));
  EXPECT_EQ(softmax.low, 0);
  EXPECT_EQ(softmax.high, 1);
  EXPECT_EQ(g.Reaching(g.Op("Tanh", {x}, nullptr)).low, -1);
  const ValueRange relu = g.Reaching(g.Op("Relu", {x}, nullptr));
  EXPECT_EQ(relu.low, 0);
  EXPECT_FLOAT_EQ(static_cast<float>(relu.high), 15.5F);
  EXPECT_EQ(relu.step, double{0.1F});
  const ValueRange cut =
      g.Reaching(g.Op("ReluMinMax", {x}, nullptr, {{"min_value", 0.0}, {"max_value", 6.0}}));
  EXPECT_EQ(cut.high, 6);
  EXPECT_EQ(cut.step, 0);
  // By the value of a param: TANH is 8, GELU 1.
  EXPECT_EQ(g.Reaching(g.Op("ElementWiseNeuron", {x}, nullptr, {{"operation", UintParam{8}}})).high,
            1);
  EXPECT_EQ(g.Reaching(g.Op("ElementWiseNeuron", {x}, nullptr, {{"operation", UintParam{1}}})).high,
            kInf);
}

TEST(ValueRanges, AveragesLeaveTheGridAndJoinsUnite) {
  Graph g;
  const TensorId x = g.Input(U8(0.1F, 100));
  EXPECT_EQ(g.Reaching(g.Op("PoolAvg2d", {x}, nullptr)).step, 0);
  const Coding wide = U8(0.2F, 128);
  const TensorId y = g.Op("Reshape", {x}, &wide);
  const ValueRange both = g.Reaching(g.Op("Concat", {x, y}, nullptr));
  EXPECT_FLOAT_EQ(static_cast<float>(both.low), -10.0F);
  EXPECT_EQ(both.step, 0);
}

TEST(SafeEdit, ARemovedReluStays) {
  Graph g;
  const Coding in = U8(0.05F, 120), out = U8(0.03F, 0);
  const TensorId y = g.Op("Reshape", {g.Input(in)}, &out);
  const Objection objection = g.To(y, in);
  ASSERT_TRUE(objection);
  EXPECT_NE(objection.Text().find("removed Relu or Clip"), std::string::npos) << objection.Text();
  // Signed, and of 16 bits.
  Graph s;
  const Coding in16 = U16(0.001F, 30000), out16 = U16(0.0005F, 0);
  EXPECT_TRUE(s.To(s.Op("Reshape", {s.Input(in16)}, &out16), in16));
  Graph i;
  const Coding in8 = OtherSign(in), out8 = OtherSign(out);
  EXPECT_TRUE(i.To(i.Op("Reshape", {i.Input(in8)}, &out8), in8));
}

TEST(SafeEdit, ARemovedClipStays) {
  Graph g;
  const Coding in = U8(0.1F, 0), six = U8(6.0F / 255, 0);
  EXPECT_TRUE(g.To(g.Op("Transpose", {g.Input(in)}, &six), in));
}

TEST(SafeEdit, WhereNothingIsCutTheInputsEncodingIsTheSame) {
  Graph g;
  const Coding in = U8(0.05F, 120), wide = U8(0.07F, 125), wider = U8(0.3F, 128);
  const TensorId y = g.Op("Reshape", {g.Input(in)}, &wide);
  EXPECT_FALSE(g.To(y, in));
  // Through another op, and although the one between could say more.
  const TensorId z = g.Op("PoolMax2d", {y}, &wider);
  EXPECT_FALSE(g.To(z, in));
  EXPECT_TRUE(g.To(z, U8(0.04F, 120)));  // cuts what reaches it
  EXPECT_TRUE(g.To(z, U8(0.9F, 128)));   // rounds it more than the one it has
}

TEST(SafeEdit, OfUnknownValuesOnlyTheSignMayChange) {
  Graph g;
  const TensorId x = g.Input(U8(0.05F, 120));
  const Coding out = U8(0.1F, 10);
  const TensorId sum = g.Op("ElementWiseAdd", {x, x}, &out);
  EXPECT_FALSE(g.To(sum, OtherSign(out)));
  EXPECT_TRUE(g.To(sum, U8(0.2F, 10)));
  EXPECT_TRUE(g.To(sum, U8(0.05F, 10)));
  EXPECT_TRUE(g.To(sum, U8(0.1F, 0)));
  EXPECT_TRUE(g.To(x, U8(0.05F, 128)));
}

TEST(SafeEdit, AnEncodingThatTheOpDictates) {
  Graph g;
  const TensorId x = g.Input(U8(0.05F, 120));
  const Coding calibrated = U8(1.0F / 255, 0), dictated = U8(1.0F / 256, 0);
  EXPECT_FALSE(g.To(g.Op("Softmax", {x}, &calibrated), dictated));
  // It cut what a Softmax can say.
  const Coding narrow = U8(1.0F / 500, 0), shifted = U8(1.0F / 256, 10);
  EXPECT_TRUE(g.To(g.Op("Softmax", {x}, &narrow), dictated));
  EXPECT_TRUE(g.To(g.Op("Softmax", {x}, &shifted), dictated));
}

TEST(SafeEdit, InsertedBeforeTheEncodingThatCuts) {
  const Coding in = U8(0.05F, 120), relu = U8(0.03F, 0);
  const ValueRange moved = *RangeOf(in);
  EXPECT_FALSE(ObjectionToInserted(moved, &relu, in));
  EXPECT_TRUE(ObjectionToInserted(moved, &in, relu));
  EXPECT_TRUE(ObjectionToInserted(moved, nullptr, relu));
  EXPECT_FALSE(ObjectionToInserted(moved, nullptr, in));
  EXPECT_TRUE(ObjectionToInserted(ValueRange{}, nullptr, in));
}

TEST(SafeEdit, ConstantsKeepTheirValues) {
  Graph g;
  const Coding weight = U8(0.1F, 127);
  const TensorId w = g.Add("w", &weight);
  Tensor& tensor = g.model.tensors[static_cast<size_t>(w)];
  tensor.is_static = true;
  tensor.values = std::make_shared<const TensorValues>(TensorValues{{0, 254}, {}});
  EXPECT_FALSE(g.To(w, U8(0.1F, 128)));
  EXPECT_TRUE(g.To(w, U8(0.1F, 130)));   // 257 is no integer of the type
  EXPECT_TRUE(g.To(w, U8(0.11F, 128)));  // rounded
  tensor.values = nullptr;               // then it may hold 255
  EXPECT_TRUE(g.To(w, U8(0.1F, 128)));
}

// Chains of ops that move values, with random encodings: an edit without objection moves what
// the tensor holds by no more than a step, whatever goes in.
TEST(SafeEdit, AnEditOfARandomChainThatIsSafeMovesNothingByMoreThanAStep) {
  std::mt19937 random(20240911);
  const auto draw = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto coding = [&] {
    const bool wide = random() % 2 == 0;
    const double scale = std::exp(draw(-3, 0)) * (wide ? 1.0 / 256 : 1);
    const int64_t last = wide ? 65535 : 255;
    const double at = random() % 3 == 0 ? 0 : draw(0, 1);
    const auto zero = static_cast<int32_t>(std::lround(at * static_cast<double>(last)));
    const Coding made =
        wide ? U16(static_cast<float>(scale), zero) : U8(static_cast<float>(scale), zero);
    return random() % 2 == 0 ? made : OtherSign(made);
  };
  const auto quantized = [](double x, const Coding& c) {
    const double scale = ScaleAt(c.encoding, 0);
    const auto zero = static_cast<double>(ZeroPointAt(c.encoding, 0));
    const double stored = std::nearbyint(x / scale) + zero;
    return (std::clamp(stored, static_cast<double>(StoredMin(c.dtype)),
                       static_cast<double>(StoredMax(c.dtype))) -
            zero) *
           scale;
  };
  int safe = 0, unsafe = 0, harmful = 0;
  for (int round = 0; round < 4000; ++round) {
    Graph g;
    std::vector<Coding> codings = {coding()};
    TensorId at = g.Input(codings[0]);
    const size_t length = 1 + random() % 4;
    for (size_t i = 0; i < length; ++i) {
      // Often nearly the one before, as calibration has it.
      Coding next = coding();
      if (random() % 2 == 0) {
        next = codings.back();
        next.encoding.Edit().scales[0] *= static_cast<float>(draw(0.9, 1.5));
      }
      codings.push_back(next);
      at = g.Op(i % 2 == 0 ? "Reshape" : "Transpose", {at}, &codings.back());
    }
    const size_t edited = 1 + random() % length;
    const Coding to = codings[random() % 2 == 0 ? 0 : edited - 1];
    const TensorId tensor = g.model.nodes[edited - 1].outputs[0];
    const Objection objection = g.To(tensor, to);
    // Of the edited tensor, in steps of its coarser encoding; of what comes out, where each
    // rounding behind may add a step of its own.
    double at_tensor = 0, at_end = 0;
    const double step = std::max(ScaleAt(to.encoding, 0), ScaleAt(codings[edited].encoding, 0));
    double steps = step;
    for (size_t i = edited + 1; i < codings.size(); ++i) steps += ScaleAt(codings[i].encoding, 0);
    const double reach = 1.5 * std::max(-RangeOf(codings[0])->low, RangeOf(codings[0])->high);
    for (int sample = 0; sample <= 300; ++sample) {
      const double x = quantized(reach * (sample / 150.0 - 1), codings[0]);
      double was = x, is = x;
      for (size_t i = 1; i < codings.size(); ++i) {
        was = quantized(was, codings[i]);
        is = quantized(is, i == edited ? to : codings[i]);
        if (i == edited) at_tensor = std::max(at_tensor, std::abs(was - is) / step);
      }
      at_end = std::max(at_end, std::abs(was - is) / steps);
    }
    if (objection) {
      ++unsafe;
      harmful += at_tensor > 1.01 ? 1 : 0;
    } else {
      ++safe;
      EXPECT_LE(at_tensor, 1.01) << round << ": " << Describe(to);
      EXPECT_LE(at_end, 1.01) << round << ": " << Describe(to);
    }
  }
  // The test sees both, and what is refused mostly does harm.
  EXPECT_GT(safe, 300);
  EXPECT_GT(unsafe, 300);
  EXPECT_GT(harmful, unsafe / 3);
}

}  // namespace
}  // namespace quantgate::fix
