// Rules of one op and what they are made of, where a node stands exactly at a limit: against an op
// made up for this, with a constraint for each question.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/database/image.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/conditions.h"
#include "core/rules/support/const_chain.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/scale_limit.h"
#include "tests/unit/support/made_up_database.h"
#include "tests/unit/support/one_node.h"

namespace quantgate::rules {
namespace {

using ::testing::HasSubstr;
using Dims = std::vector<int64_t>;

constexpr const char* kProbe = R"(inputs:
  - activation
  - {role: activation, optional: true}
  - {role: activation, variadic: true, optional: true}
outputs: [activation]
params: {mode: {dtype: UI32, default: 1, values: {ADD: 0, MULTIPLY: 1}}, keep: {dtype: B8, default: 0},
  stride: {dtype: UI32, rank: 1, default: [3, 5]}, beta: {dtype: F32, default: 0.5}}
rows: {documented: {A.1: U8 U8 U8 U8}}
documented:
  in0 one-dim: {dim: {dim: [-1], max: 8}}
  in0 two-dims: {dim: {dim: [0, 2], max: 8}}
  in0 computed-dims: {dim: {dim: [rank(in0)-1, 0], max: 8}}
  in0 no-such-element: {dim: {dim: 0, eq: "param:stride[2]"}}
  in0 every-dim: {dim: {dim: all, max: 8}}
  in0 same-dims: {as: in1, dims: [0, -1]}
  in0 broadcast: {exact: true}
  in0 symmetric: ~
  in0 axis: {quant_axis: 0}
  in0 block-size: {multiple_of: 8}
  in0 larger: {same_encoding: {as: in1, aspect: equal_or_larger_scale}}
  in0 smaller: {same_encoding: {as: in1, aspect: equal_or_smaller_scale}}
  in0 unique: unique_values
  in0 constant: static
  in0 chain: {static: tensor_or_const_chain}
  in0 arch: {min_arch: t2}
  in0 fixed: {fixed_encoding: {scale: 1, max: 1}}
  in0 raw: {fixed_encoding: {offset: -3, aspect: as_read_raw}}
  in0 scales: {scale_range: {min: 0.5, max: 2, as: [in1, out0]}}
  in0 beside-symmetric: {symmetric: ~, when: {symmetric_of: {in1: true}}}
  in0 beside-input: {symmetric: ~, when: {graph_input_of: {in1: true}}}
  in0 of-rank: {symmetric: ~, when: {rank: {in0: 4}}}
  in0 ways: {any_of: [[{rank: ..2}, {port: mode, param_value: {eq: ADD}}], [{port: in1, static: ~}]]}
  in0 ways-by-form: {any_of: [[{symmetric: ~}], [{rank: ..0, when: {symmetric_of: {in1: false}}}], [{rank: 3..}]]}
  in0 ways-given: {any_of: [[{port: in1, port_optional: {allowed: false}}], [{port: in2..m,
    port_optional: {allowed: false}}]]}
  in2..m ways-of-first: {any_of: [[{port: in2, rank: ..1}], [{port: in0, rank: 3..}]]}
  in2..m ways-of-each: {any_of: [[{rank: ..1}], [{port: in0, rank: 3..}]]}
  in2..m ways-of-second: {any_of: [[{port: in3, rank: ..1}], [{port: in0, rank: 3..}]]}
)";
// Reads nothing: the first of its ports is an output.
constexpr const char* kSource = R"(inputs: []
outputs: [activation]
rows: {documented: {A.1: U8}}
)";

const Database& Toy() {
  static const Database database =
      MadeUpDatabase("rules_test", {{"Probe", kProbe}, {"Source", kSource}});
  return database;
}

const opdb::OpRow& OpOf(std::string_view name) {
  const opdb::View& db = Toy().view();
  const auto& backend = db.backends()[static_cast<size_t>(db.FindBackend("toy"))];
  return db.get(backend.ops)[static_cast<size_t>(db.FindOp(backend, name))];
}

// By what stands behind the port in its id.
const opdb::ConstraintRow& Constraint(std::string_view name) {
  const opdb::View& db = Toy().view();
  for (const opdb::ConstraintRow& row : db.get(OpOf("Probe").constraints)) {
    const std::string_view id = db.str(row.id);
    if (id.substr(id.find('/') + 1) == name) return row;
  }
  ADD_FAILURE() << "no constraint " << name;
  return db.get(OpOf("Probe").constraints)[0];
}

Tensor Of(const Dims& dims, float scale = 0.5F, int32_t zero_point = 128) {
  return PerTensor(Dtype::kUfixedPoint8, dims, scale, zero_point);
}

Tensor PerChannel(const Dims& dims, int32_t axis, std::vector<float> scales,
                  std::vector<int32_t> zero_points = {}) {
  Tensor t = Of(dims);
  t.dtype = Dtype::kSfixedPoint8;
  t.encoding.Edit().kind = EncodingKind::kPerChannel;
  t.encoding.Edit().axis = axis;
  t.encoding.Edit().scales.assign(scales.begin(), scales.end());
  t.encoding.Edit().zero_points.assign(zero_points.begin(), zero_points.end());
  return t;
}

// A node of the made-up op that reads `a` and `b` and writes `out`.
struct Probe {
  explicit Probe(Tensor a, Tensor b = Of({4}), Tensor out = Of({4})) {
    a.name = "a";
    b.name = "b";
    out.name = "out";
    model = OneNode("Probe", {std::move(a), std::move(b), std::move(out)});
  }
  NodeView View(int arch = 0) const {
    return NodeView(Toy().view(), OpOf("Probe"), model, model.nodes[0], arch);
  }
  // What is found at the first input; nothing: the constraint holds.
  std::optional<Finding> Broken(std::string_view id) const {
    const NodeView node = View();
    const Subject subject{node, Constraint(id), &model.tensors[0]};
    const RuleEntry* entry = EntryOf(subject.constraint.kind);
    if (entry->holds(subject)) return std::nullopt;
    Finding f;
    f.port = "in[0]";
    f.op = "Probe";
    entry->explain(subject, f);
    return f;
  }
  bool Holds(std::string_view id) const { return !Broken(id); }

  Model model;
};

TEST(Args, AListOfOneIsANumber) {
  const Probe probe(Of({2, 3, 4, 5}));
  const NodeView node = probe.View();
  const auto number = [&](const char* id) {
    return Args(node, Constraint(id)).number(opdb::ArgKey::kDim);
  };
  EXPECT_EQ(number("one-dim"), -1);
  EXPECT_EQ(number("two-dims"), std::nullopt);
  EXPECT_EQ(number("computed-dims"), std::nullopt);
}

TEST(Args, AListMayFillTheRoomThereIs) {
  const Probe probe(Of({2, 3, 4, 5}));
  const NodeView node = probe.View();
  for (const auto& [id, wanted] : {std::pair{"two-dims", std::array<int64_t, 2>{0, 2}},
                                   {"computed-dims", std::array<int64_t, 2>{3, 0}}}) {
    const Args args(node, Constraint(id));
    std::array<int64_t, 2> two{};
    EXPECT_EQ(args.numbers(opdb::ArgKey::kDim, two), 2U) << id;
    EXPECT_EQ(two, wanted) << id;
    std::array<int64_t, 1> one{};
    EXPECT_EQ(args.numbers(opdb::ArgKey::kDim, one), std::nullopt) << id;
  }
}

TEST(Expr, ADivisionWithoutAResultIsNotKnown) {
  using opdb::ExprCode;
  const Probe probe(Of({2}));
  const auto divided = [&](int64_t a, int64_t b) {
    const std::array<opdb::ExprOp, 3> expr = {opdb::ExprOp{ExprCode::kConst, -1, -1, a},
                                              opdb::ExprOp{ExprCode::kConst, -1, -1, b},
                                              opdb::ExprOp{ExprCode::kDiv, -1, -1, 0}};
    return Evaluate(expr, probe.View());
  };
  EXPECT_EQ(divided(7, 2), 3);
  EXPECT_EQ(divided(7, -1), -7);
  EXPECT_EQ(divided(7, 0), std::nullopt);
  EXPECT_EQ(divided(INT64_MIN, 2), INT64_MIN / 2);
  EXPECT_EQ(divided(INT64_MIN, -1), std::nullopt);
}

TEST(Expr, AParamHasSoManyElements) {
  const Probe probe(Of({2}));
  const auto element = [&](int64_t number) {
    const std::array<opdb::ExprOp, 1> expr = {
        opdb::ExprOp{opdb::ExprCode::kParam, -1, /*stride*/ 2, number}};
    return Evaluate(expr, probe.View());
  };
  EXPECT_EQ(element(1), 3);
  EXPECT_EQ(element(2), 5);
  EXPECT_EQ(element(3), std::nullopt);
  EXPECT_EQ(element(-1), std::nullopt);
  // And a limit that is not known holds.
  EXPECT_TRUE(probe.Holds("no-such-element"));
}

TEST(Conditions, AnInputOfTheGraphIsNoConstantAndNoResult) {
  Probe probe(Of({2}));
  EXPECT_TRUE(Applies(probe.View(), Constraint("beside-input")));
  probe.model.inputs = {0};
  EXPECT_FALSE(Applies(probe.View(), Constraint("beside-input")));
}

TEST(Conditions, DependOnTheFormUnlessTheyAskForAZeroPointOrAnInput) {
  const opdb::View& db = Toy().view();
  EXPECT_TRUE(ConditionsReadFormOnly(db, Constraint("symmetric")));
  EXPECT_TRUE(ConditionsReadFormOnly(db, Constraint("of-rank")));
  EXPECT_FALSE(ConditionsReadFormOnly(db, Constraint("beside-symmetric")));
  EXPECT_FALSE(ConditionsReadFormOnly(db, Constraint("beside-input")));
}

TEST(NodeView, HasRoomForTheLargestOpOfAnImage) {
  EXPECT_EQ(NodeView::kMaxPorts, static_cast<int>(opdb::kMaxPorts));
  EXPECT_EQ(NodeView::kMaxParams, static_cast<int>(opdb::kMaxParams));
}

TEST(NodeView, WhatAnOpDoesNotDeclareIsBeyondIt) {
  Model model;
  model.tensors = {Of({4}), Of({4})};
  Node node;
  node.op = "Source";
  node.inputs = {0};
  node.outputs = {1};
  const NodeView view(Toy().view(), OpOf("Source"), model, node, 0);
  EXPECT_EQ(view.extra_inputs(), 1);
  EXPECT_EQ(view.extra_outputs(), 0);
}

TEST(NodeView, AParamHasItsDefaultUnlessGiven) {
  enum : int { kMode, kKeep, kStride, kBeta };
  Probe probe(Of({4}));
  const NodeView bare = probe.View();
  EXPECT_EQ(bare.param_int(kMode), 1);
  EXPECT_EQ(bare.param_real(kMode), 1.0);
  EXPECT_EQ(bare.param_real(kBeta), 0.5);
  EXPECT_THAT(bare.param_ints(kStride), testing::ElementsAre(3, 5));
  EXPECT_EQ(bare.param_int(kStride), std::nullopt);  // two of them
  EXPECT_EQ(bare.param_real(kStride), std::nullopt);
  EXPECT_EQ(bare.param_int(-1), std::nullopt);
  EXPECT_EQ(bare.param_real(-1), std::nullopt);
  probe.model.nodes[0].params = {{"beta", 2.5}, {"mode", UintParam{0}}};
  const NodeView given = probe.View();
  EXPECT_EQ(given.param_int(kMode), 0);
  EXPECT_EQ(given.param_real(kMode), 0.0);
  EXPECT_EQ(given.param_real(kBeta), 2.5);
}

TEST(NodeView, AnAxisOfTheFileIsToldWhereItIsAnother) {
  const Probe probe(Of({2, 3, 4}), Of({2, 3, 4}));
  NodeView node = probe.View();
  const Tensor& a = probe.model.tensors[0];
  const Tensor& b = probe.model.tensors[1];
  EXPECT_EQ(node.FileAxis(a, 0), std::nullopt);  // no layouts at all
  const FileLayouts layout = {{0, {2, 1, 0}}};
  node.set_layout(&layout);
  const std::pair<int64_t, std::optional<int64_t>> cases[] = {
      {-1, std::nullopt}, {0, 2}, {1, std::nullopt}, {2, 0}, {3, std::nullopt}};
  for (const auto& [axis, wanted] : cases) EXPECT_EQ(node.FileAxis(a, axis), wanted) << axis;
  EXPECT_EQ(node.FileAxis(b, 0), std::nullopt);
}

TEST(Format, NamesValuesOfParams) {
  const Probe probe(Of({4}));
  const NodeView node = probe.View();
  EXPECT_EQ(ParamValueName(node, 0, 0), "ADD (0)");
  EXPECT_EQ(ParamValueName(node, 0, 1), "MULTIPLY (1)");
  EXPECT_EQ(ParamValueName(node, 0, 2), "2");
  EXPECT_EQ(ParamValueName(node, 1, 0), "false");
  EXPECT_EQ(ParamValueName(node, 1, 1), "true");
  EXPECT_EQ(ParamName(node, -1), "");
}

TEST(Format, ListsTheEncodingsThereAre) {
  EXPECT_EQ(EncodingList(MaskOf(QnnEncoding::kScaleOffset) | MaskOf(QnnEncoding::kBlock)),
            "SCALE_OFFSET or BLOCK");
  EXPECT_THAT(EncodingList(~EncodingMask{0}), testing::EndsWith(" or BLOCKWISE_EXPANSION"));
}

TEST(Format, AnEditGoesToTheFormOfTheEncoding) {
  const std::pair<EncodingKind, const char*> cases[] = {
      {EncodingKind::kPerTensor, "tensors/w/encoding/perTensor/scale"},
      {EncodingKind::kPerChannel, "tensors/w/encoding/perChannel/scales"},
      {EncodingKind::kLpbq, "tensors/w/encoding/lpbq/scales"},
      {EncodingKind::kBlock, "tensors/w/encoding/block/scales"},
  };
  Tensor w = Of({4});
  w.name = "w";
  for (const auto& [kind, path] : cases) {
    w.encoding.Edit().kind = kind;
    EXPECT_EQ(EncodingPath(w, "scale"), path);
  }
}

TEST(EncodingFacts, AStoredNumberMayBeAStepOff) {
  // 129 / 128: 191 steps are 1.49 more, which is 1 rounded; 192 are 1.5 more.
  EXPECT_TRUE(RoundsAlike(Of({4}, 1.0F, 64), Of({4}, 1.0078125F, 64)));
  EXPECT_FALSE(RoundsAlike(Of({4}, 1.0F, 63), Of({4}, 1.0078125F, 63)));
  EXPECT_FALSE(RoundsAlike(Of({4}, 0.0F, 0), Of({4}, 0.0F, 0)));
}

TEST(EncodingFacts, AFewStepsAreNotWrongYet) {
  struct Case {
    Dtype dtype;
    int32_t barely, wrong;  // zero point, read as 0
  };
  for (const Case& c : {Case{Dtype::kUfixedPoint8, 3, 4},
                        {Dtype::kUfixedPoint16, 39, 40},
                        {Dtype::kSfixedPoint32, 99'999, 100'000}}) {
    Tensor read = Of({4}, 1.0F, 0), written = read;
    read.dtype = written.dtype = c.dtype;
    written.encoding.Edit().zero_points = {c.barely};
    EXPECT_TRUE(IsBarelyOff(read, written)) << DtypeName(c.dtype);
    EXPECT_FALSE(RoundsAlike(read, written)) << DtypeName(c.dtype);
    written.encoding.Edit().zero_points = {c.wrong};
    EXPECT_FALSE(IsBarelyOff(read, written)) << DtypeName(c.dtype);
  }
}

TEST(EncodingFacts, WiderNumbersMayBeMoreStepsOff) {
  struct Case {
    Dtype dtype;
    int32_t right, wrong;  // zero point, read as 0
  };
  for (const Case& c : {Case{Dtype::kUfixedPoint8, 1, 2},
                        {Dtype::kUfixedPoint16, 2, 3},
                        {Dtype::kSfixedPoint16, 2, 3},
                        {Dtype::kSfixedPoint32, 1000, 1001}}) {
    Tensor read = Of({4}, 1.0F, 0), written = read;
    read.dtype = written.dtype = c.dtype;
    written.encoding.Edit().zero_points = {c.right};
    EXPECT_TRUE(RoundsAlike(read, written)) << DtypeName(c.dtype);
    written.encoding.Edit().zero_points = {c.wrong};
    EXPECT_FALSE(RoundsAlike(read, written)) << DtypeName(c.dtype);
  }
}

TEST(ScaleLimit, BothEndsBelongToIt) {
  struct Case {
    std::optional<double> min, max;
    float scale;
    bool within;
  };
  const Case cases[] = {
      {0.5, {}, 0.5F, true},
      {0.5, {}, 0.49F, false},
      {0.5, {}, 7.0F, true},
      {{}, 2, 2.0F, true},
      {{}, 2, 2.01F, false},
      {{}, 2, 0.01F, true},
      {0.5, 2, 1.0F, true},
      {0.5, 2, 0.4F, false},
      {0.5, 2, 2.1F, false},
      // As close as single precision tells.
      {0.1, {}, 0.1F, true},
      {0.5, {}, 0.4999997F, true},
      {0.5, {}, 0.499999F, false},
      {{}, 2, 2.000001F, true},
      {{}, 2, 2.000005F, false},
      // By themselves, scales of 0 and below are numbers as others are.
      {0.5, {}, 0.0F, false},
      {0.5, {}, -1.0F, false},
      {{}, 2, 0.0F, true},
      {{}, 2, -1.0F, true},
  };
  for (const Case& c : cases) {
    ScaleLimit limit;
    limit.min = c.min;
    limit.max = c.max;
    EXPECT_EQ(IsWithin(limit, std::array{c.scale}, {}), c.within) << c.scale;
    // One that is not is enough.
    EXPECT_EQ(IsWithin(limit, std::array{1.0F, c.scale}, {}), c.within) << c.scale;
  }
}

TEST(ScaleLimit, IsTimesTheScalesOfOtherPorts) {
  const Encoding narrow = Of({4}, 0.5F).encoding;
  const Encoding wide = PerChannel({2}, 0, {4.0F, 16.0F}).encoding;
  ScaleLimit limit;
  limit.min = 0.5;
  limit.max = 2;
  const auto within = [&](float scale, int16_t ports, const ScaleUnits& units) {
    limit.port_count = ports;
    return IsWithin(limit, std::array{scale}, units);
  };
  const ScaleUnits one = {&narrow, nullptr};  // 0.25 to 1
  for (const float scale : {0.25F, 0.5F, 1.0F}) EXPECT_TRUE(within(scale, 1, one)) << scale;
  for (const float scale : {0.24F, 1.01F}) EXPECT_FALSE(within(scale, 1, one)) << scale;
  // Of several channels the largest counts below and the smallest above: 8 to 8 here.
  const ScaleUnits channels = {&wide, nullptr};
  EXPECT_TRUE(within(8.0F, 1, channels));
  for (const float scale : {7.9F, 8.1F}) EXPECT_FALSE(within(scale, 1, channels)) << scale;
  // Of two ports it is the product: 4 to 4.
  const ScaleUnits both = {&narrow, &wide};
  EXPECT_TRUE(within(4.0F, 2, both));
  for (const float scale : {3.9F, 4.1F}) EXPECT_FALSE(within(scale, 2, both)) << scale;
  // What is no scale is reported elsewhere, here and there.
  for (const float scale : {0.0F, -4.0F}) {
    EXPECT_TRUE(within(scale, 1, one)) << scale;
    const Encoding none = Of({4}, scale).encoding;
    EXPECT_TRUE(within(100.0F, 1, {&none, nullptr})) << scale;
  }
}

TEST(ScaleRange, ComparesWithThePortsThatAreNamed) {
  const auto broken = [](float scale, float first, float second) {
    return Probe(Of({4}, scale), Of({4}, first), Of({4}, second)).Broken("scales");
  };
  EXPECT_FALSE(broken(3.0F, 0.5F, 4.0F));  // 1 to 4
  EXPECT_FALSE(broken(4.0F, 0.5F, 4.0F));
  EXPECT_FALSE(broken(1.0F, 0.5F, 4.0F));
  const auto found = broken(5.0F, 0.5F, 4.0F);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->allowed, "scale 1 to 4, 0.5 times that of the inputs");
  EXPECT_TRUE(broken(0.9F, 0.5F, 4.0F));
  Probe without(Of({4}, 5.0F));
  without.model.tensors[1].encoding.Edit().scales.clear();
  EXPECT_TRUE(without.Holds("scales"));
  without.model.nodes[0].inputs[1] = kNoTensor;
  EXPECT_TRUE(without.Holds("scales"));
}

TEST(AsymmetricEncoding, CountsTheChannelsThatAreWrong) {
  const auto found = Probe(PerChannel({3, 4}, 0, {0.5F}, {0, 2, 3})).Broken("symmetric");
  ASSERT_TRUE(found);
  EXPECT_THAT(found->found, HasSubstr("in 2 of 3 channels, first 1"));
}

TEST(Broadcast, AnOutputHasNoMoreDimensionsThanTheInputs) {
  const auto holds = [](const Dims& a, const Dims& b, const Dims& out) {
    return Probe(Of(a), Of(b), Of(out)).Holds("broadcast");
  };
  EXPECT_TRUE(holds({3, 4}, {4}, {3, 4}));
  EXPECT_TRUE(holds({3, 1}, {4}, {3, 4}));
  EXPECT_FALSE(holds({3, 4}, {4}, {3, 1}));
  EXPECT_FALSE(holds({3, 4}, {4}, {4}));
  EXPECT_FALSE(holds({3, 4}, {4}, {1, 3, 4}));
}

TEST(Dimension, AllOfThemMeansEachOne) {
  EXPECT_TRUE(Probe(Of({8, 8, 8})).Holds("every-dim"));
  EXPECT_FALSE(Probe(Of({9, 8, 8})).Holds("every-dim"));
  EXPECT_FALSE(Probe(Of({8, 8, 9})).Holds("every-dim"));
  EXPECT_TRUE(Probe(Of({8, 9, 8})).Holds("two-dims"));
  EXPECT_FALSE(Probe(Of({8, 8, 9})).Holds("two-dims"));
}

TEST(ShapeMismatch, TheDimensionsThatAreNamedAreEqual) {
  EXPECT_TRUE(Probe(Of({2, 7, 4}), Of({2, 8, 4})).Holds("same-dims"));
  EXPECT_FALSE(Probe(Of({2, 7, 4}), Of({3, 7, 4})).Holds("same-dims"));
  EXPECT_FALSE(Probe(Of({2, 7, 4}), Of({2, 7, 5})).Holds("same-dims"));
}

TEST(QuantAxis, ScalesThatFitTheWantedAxisOnlyWereWrittenWithAnother) {
  struct Case {
    Dims dims;
    int32_t axis;
    std::vector<float> scales;
    const char* fix;
  };
  const Case cases[] = {
      {{3, 4}, 1, {1, 1, 1}, "write the axis of \"a\" as 0"},
      {{3, 4}, 1, {1, 1, 1, 1}, "quantize \"a\" along axis 0"},
      {{3, 3}, 1, {1, 1, 1}, "quantize \"a\" along axis 0"},
      {{3, 4}, -2, {1, 1, 1}, "write the axis of \"a\" as 0"},
      // A single one stands for all and fits any.
      {{1, 4}, 1, {1}, "quantize \"a\" along axis 0"},
  };
  for (const Case& c : cases) {
    const auto found = Probe(PerChannel(c.dims, c.axis, c.scales)).Broken("axis");
    ASSERT_TRUE(found) << c.axis;
    EXPECT_EQ(found->fixes.at(0).summary, c.fix);
  }
}

TEST(BlockSize, NoBlocksAreNotThisRulesToTell) {
  Tensor t = PerChannel({32, 4}, 1, {0.5F});
  t.encoding.Edit().kind = EncodingKind::kLpbq;
  const std::pair<int32_t, bool> cases[] = {{-1, true}, {0, true},  {1, true},
                                            {4, true},  {8, false}, {5, false}};
  for (const auto& [blocks, holds] : cases) {
    t.encoding.Edit().num_blocks = blocks;
    EXPECT_EQ(Probe(t).Holds("block-size"), holds) << blocks;
  }
}

TEST(DifferentEncoding, AnotherScaleMayBeLargerOrSmallerOnly) {
  const auto holds = [](const char* id, float own, float other) {
    return Probe(Of({4}, own), Of({4}, other)).Holds(id);
  };
  for (const char* id : {"larger", "smaller"}) EXPECT_TRUE(holds(id, 0.5F, 0.5F)) << id;
  EXPECT_TRUE(holds("larger", 0.6F, 0.5F));
  EXPECT_FALSE(holds("larger", 0.4F, 0.5F));
  EXPECT_TRUE(holds("smaller", 0.4F, 0.5F));
  EXPECT_FALSE(holds("smaller", 0.6F, 0.5F));
  // Equal in the first channel alone is neither.
  const auto channels = [](const char* id, float second) {
    return Probe(PerChannel({2}, 0, {0.5F, second}), PerChannel({2}, 0, {0.5F, 0.5F})).Holds(id);
  };
  EXPECT_FALSE(channels("larger", 0.4F));
  EXPECT_FALSE(channels("smaller", 0.6F));
}

TEST(DuplicateValues, AreLookedForInSmallConstants) {
  const std::pair<size_t, bool> cases[] = {{1, true}, {2, false}, {4096, false}, {4097, true}};
  for (const auto& [count, holds] : cases) {
    auto values = std::make_shared<TensorValues>();
    for (size_t i = 0; i < count; ++i) values->ints.push_back(static_cast<int64_t>(i));
    values->ints.back() = 0;  // as the first
    Probe probe(Of({static_cast<int64_t>(count)}));
    probe.model.tensors[0].values = std::move(values);
    EXPECT_EQ(probe.Holds("unique"), holds) << count;
  }
}

// a <- first <- second <- ends[0], ends[1]
struct Chain : Probe {
  Chain() : Probe(Of({4})) {
    const auto add = [&](const char* op, std::vector<TensorId> inputs,
                         std::vector<TensorId> outputs) {
      Node node;
      node.op = op;
      node.inputs.assign(inputs.begin(), inputs.end());
      node.outputs.assign(outputs.begin(), outputs.end());
      model.nodes.push_back(std::move(node));
    };
    model.tensors.resize(6, Of({4}));
    model.tensors[4].is_static = model.tensors[5].is_static = true;
    add("Second", {4, kNoTensor, 5}, {3, kNoTensor});
    add("First", {3}, {0});
  }
};

TEST(DynamicTensor, WhatConstantsMakeIsAConstantWhereTheLevelSaysSo) {
  Chain chain;
  EXPECT_FALSE(chain.Holds("constant"));
  EXPECT_TRUE(chain.Holds("chain"));
  chain.model.tensors[0].is_static = true;
  EXPECT_TRUE(chain.Holds("constant"));
  EXPECT_TRUE(chain.Holds("chain"));
}

TEST(ConstChain, EndsInConstantsOnly) {
  Chain chain;
  const std::vector<Tensor>& tensors = chain.model.tensors;
  EXPECT_TRUE(ComputedFromConstants(chain.model, tensors[0]));
  EXPECT_TRUE(ComputedFromConstants(chain.model, tensors[5]));
  EXPECT_FALSE(ComputedFromConstants(chain.model, tensors[1]));
  chain.model.tensors[5].is_static = false;
  EXPECT_FALSE(ComputedFromConstants(chain.model, tensors[0]));
}

TEST(ArchGatedEncoding, NamesTheArchOfTheBackend) {
  const auto found = Probe(Of({4})).Broken("arch");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->allowed, "t2 or newer");
  EXPECT_THAT(found->found, testing::EndsWith(" on t1"));
  const Probe probe(Of({4}));
  const NodeView newer = probe.View(1);
  const opdb::ConstraintRow& arch = Constraint("arch");
  EXPECT_TRUE(EntryOf(arch.kind)->holds({newer, arch, &probe.model.tensors[0]}));
}

TEST(FixedEncoding, WhatRoundsToTheLargestNumberWillDo) {
  const std::pair<float, bool> cases[] = {{1.0F, true},  {2.0F, true},  {2.1F, false}, {0.7F, true},
                                          {0.5F, false}, {0.0F, false}, {-1.0F, false}};
  for (const auto& [scale, holds] : cases) {
    EXPECT_EQ(Probe(Of({4}, scale)).Holds("fixed"), holds) << scale;
  }
}

TEST(FixedEncoding, TheWordOfTheOffsetIsReadWhateverTheEncoding) {
  EXPECT_TRUE(Probe(Of({4}, 0.5F, 3)).Holds("raw"));
  EXPECT_FALSE(Probe(Of({4}, 0.5F, 4)).Holds("raw"));
}

TEST(Alternatives, AreToldWithTheirPorts) {
  const auto found = Probe(Of({2, 3, 4})).Broken("ways");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->allowed, "rank up to 2 and mode ADD (0); or in[1] a constant");
  EXPECT_FALSE(Probe(Of({2, 3})).Holds("ways"));
  Probe other(Of({2, 3, 4}));
  other.model.tensors[1].is_static = true;
  EXPECT_TRUE(other.Holds("ways"));
  Probe both(Of({2, 3}));
  both.model.nodes[0].params.push_back({"mode", UintParam{0}});
  EXPECT_TRUE(both.Holds("ways"));
}

TEST(Alternatives, HoldByTheFormWhereNoNumberIsRead) {
  struct Case {
    Dims dims;
    int32_t zero_point;
    bool holds, by_form;
  };
  for (const Case& c : {Case{{2, 3}, 128, true, false},
                        {{2, 3}, 5, false, false},
                        {{2, 3, 4}, 128, true, true},
                        {{2, 3, 4}, 5, true, true}}) {
    // in[1] is symmetric or not: a condition on that is no matter of form.
    for (const int32_t peer : {128, 5}) {
      const Probe probe(Of(c.dims, 0.5F, c.zero_point), Of({4}, 0.5F, peer));
      const NodeView node = probe.View();
      const Subject subject{node, Constraint("ways-by-form"), &probe.model.tensors[0]};
      const RuleEntry* entry = EntryOf(subject.constraint.kind);
      EXPECT_EQ(entry->holds(subject), c.holds || peer == 128) << c.dims.size() << peer;
      EXPECT_EQ(entry->holds_by_form(subject), c.by_form) << c.dims.size() << peer;
    }
  }
}

TEST(Alternatives, AnAbsentPortIsNotGiven) {
  Probe probe(Of({4}));
  EXPECT_TRUE(probe.Holds("ways-given"));
  auto& inputs = probe.model.nodes[0].inputs;
  inputs = {0, kNoTensor};
  const auto found = probe.Broken("ways-given");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->allowed, "in[1] a tensor; or in[2] a tensor");
  inputs = {0, kNoTensor, kNoTensor};  // of any number of tensors none is there
  EXPECT_FALSE(probe.Holds("ways-given"));
  inputs = {0, kNoTensor, kNoTensor, 1};
  EXPECT_TRUE(probe.Holds("ways-given"));
}

TEST(Alternatives, MaySpeakOfOneTensorOfAPort) {
  Probe probe(Of({4}));
  probe.model.tensors.push_back(Of({2, 2}));  // tensor 3, of the wrong rank
  const auto holds = [&](const char* id, int at_hand, TensorId first, TensorId second) {
    probe.model.nodes[0].inputs = {0, 1, first, second};
    const NodeView node = probe.View();
    const opdb::ConstraintRow& row = Constraint(id);
    return EntryOf(row.kind)->holds({node, row, node.tensor(2, at_hand), at_hand});
  };
  for (const int at_hand : {0, 1}) {
    for (const char* id : {"ways-of-first", "ways-of-second"}) {
      EXPECT_TRUE(holds(id, at_hand, 1, 1)) << id << at_hand;
      EXPECT_FALSE(holds(id, at_hand, 3, 3)) << id << at_hand;
    }
    EXPECT_TRUE(holds("ways-of-first", at_hand, 1, 3)) << at_hand;
    EXPECT_FALSE(holds("ways-of-first", at_hand, 3, 1)) << at_hand;
    EXPECT_TRUE(holds("ways-of-second", at_hand, 3, 1)) << at_hand;
    EXPECT_FALSE(holds("ways-of-second", at_hand, 1, 3)) << at_hand;
    // Else it speaks of the tensor at hand.
    EXPECT_EQ(holds("ways-of-each", at_hand, 1, 3), at_hand == 0);
    EXPECT_EQ(holds("ways-of-each", at_hand, 3, 1), at_hand == 1);
  }
}

}  // namespace
}  // namespace quantgate::rules
