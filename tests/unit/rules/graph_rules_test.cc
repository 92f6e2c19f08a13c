// Rules between nodes, where a graph stands exactly at a limit, and which ops they concern: each
// rule is run by itself on a small graph of QNN ops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/kv_pairs.h"
#include "quantgate/database.h"

namespace quantgate::rules {
namespace {

using Dims = std::vector<int64_t>;
using Ops = std::set<int32_t>;

// Tensors of 8 bits, zero point 128, scale 1, unless said otherwise.
class Graph {
 public:
  TensorId Add(Dims dims, Dtype dtype = Dtype::kUfixedPoint8, float scale = 1.0F,
               int32_t zero_point = 128) {
    Tensor t;
    t.name = "t" + std::to_string(model.tensors.size());
    t.dtype = dtype;
    t.dims.assign(dims.begin(), dims.end());
    if (IsFixedPoint(dtype)) {
      t.encoding.Edit().kind = EncodingKind::kPerTensor;
      t.encoding.Edit().scales = {scale};
      t.encoding.Edit().zero_points = {zero_point};
    }
    model.tensors.push_back(std::move(t));
    return static_cast<TensorId>(model.tensors.size()) - 1;
  }
  TensorId Float(Dims dims) { return Add(std::move(dims), Dtype::kFloat32); }
  TensorId Input(Dims dims, std::string_view name = "x", Dtype dtype = Dtype::kUfixedPoint8) {
    const TensorId id = Add(std::move(dims), dtype);
    At(id).name = std::string(name);
    model.inputs.push_back(id);
    return id;
  }
  TensorId Constant(Dims dims, Dtype dtype = Dtype::kUfixedPoint8, float scale = 1.0F,
                    int32_t zero_point = 128) {
    const TensorId id = Add(std::move(dims), dtype, scale, zero_point);
    At(id).is_static = true;
    return id;
  }
  TensorId Reals(Dims dims, std::vector<double> reals) {
    const TensorId id = Constant(std::move(dims), Dtype::kFloat32);
    auto values = std::make_shared<TensorValues>();
    values->reals = std::move(reals);
    At(id).values = std::move(values);
    return id;
  }
  TensorId Op(std::string op, std::vector<TensorId> inputs, TensorId output,
              std::vector<Param> params = {}) {
    Node node;
    node.name = "n" + std::to_string(model.nodes.size());
    node.op = std::move(op);
    node.inputs.assign(inputs.begin(), inputs.end());
    node.outputs = {output};
    node.params = std::move(params);
    model.nodes.push_back(std::move(node));
    return output;
  }
  Tensor& At(TensorId id) { return model.tensors[static_cast<size_t>(id)]; }

  Model model;
};

// A graph as a rule sees it at the end of a route.
class Scene {
 public:
  explicit Scene(const Graph& graph, std::string_view rule, const TargetSpec& spec = {},
                 std::vector<int32_t> op_source = {})
      : model_(graph.model),
        target_(*Target::Parse(spec)),
        sets_(Db(), target_),
        source_(std::move(op_source)) {
    for (const Node& node : model_.nodes) {
      report_.nodes.emplace_back();
      report_.nodes.back().name = node.name;
      report_.nodes.back().op = node.op;
    }
    for (const RuleEntry* entry : AllEntries()) {
      if (entry->rule.slug == rule) entry_ = entry;
    }
    settings_ = ReadSettings(entry_->settings, Db().Document("rules/" + std::string(rule)), sets_, target_);
  }

  // That a rule was broken by the node before.
  void Reported(int32_t node, std::string_view rule) {
    Finding& f = report_.findings.emplace_back();
    f.node_index = node;
    f.rule = FindRule(rule);
  }
  GraphView View() const {
    GraphView view({Db(), target_, sets_, model_, source_, report_, refused_, &model_, end_of_, layouts_, views_});
    view.set_settings(*settings_);
    return view;
  }
  std::vector<Finding> Findings() const {
    const GraphView view = View();
    std::vector<Finding> found;
    const double amount = entry_->amount == nullptr ? 0 : entry_->amount(view, 0, view.op_count());
    GraphFindings findings(view, entry_->rule, "", found, amount);
    for (int32_t op = 0; entry_->visit != nullptr && op < view.op_count(); ++op) {
      entry_->visit(view, op, findings);
    }
    if (entry_->walk != nullptr) entry_->walk(view, findings);
    return found;
  }
  const OpSets& sets() const { return sets_; }

 private:
  static const opdb::View& Db() { return Database::Embedded().view(); }

  const Model model_;
  const Target target_;
  const OpSets sets_;
  const std::vector<int32_t> source_;
  const std::vector<bool> refused_;
  const absl::flat_hash_map<TensorId, TensorId> end_of_;
  const FileLayouts layouts_;
  const absl::flat_hash_map<TensorId, TensorId> views_;
  Report report_;
  const RuleEntry* entry_ = nullptr;
  std::shared_ptr<const Settings> settings_;
};

TEST(GraphView, WithoutDeclaredInputsWhatNobodyMakesIsOne) {
  Graph g;
  const TensorId x = g.Add({4}), weight = g.Constant({4}), y = g.Add({4}), z = g.Add({4});
  g.Op("ElementWiseMultiply", {x, weight}, y);
  g.Op("Relu", {y}, z);
  const Scene scene(g, "mask-range");
  const GraphView view = scene.View();
  for (const TensorId id : {x, weight, y, z}) EXPECT_EQ(view.IsGraphInput(id), id == x) << id;
  for (const TensorId id : {x, weight, y, z}) EXPECT_EQ(view.IsGraphOutput(id), id == z) << id;
}

TEST(GraphView, AnOutputThatWasTakenAwayIsNone) {
  Graph g;
  const TensorId x = g.Input({4});
  g.Op("UnPack", {x}, g.Add({2}));
  g.model.nodes[0].outputs.push_back(g.Add({2}));
  g.model.nodes[0].outputs.pop_back();
  const Scene scene(g, "mask-range");
  EXPECT_NE(scene.View().output(0), nullptr);
  EXPECT_EQ(scene.View().output(0, 1), nullptr);
}

TEST(GraphView, WritesBytesInTheUnitTheyReach) {
  EXPECT_EQ(Bytes(0), "0 B");
  EXPECT_EQ(Bytes(1023), "1023 B");
  EXPECT_EQ(Bytes(1024), "1 KB");
  EXPECT_EQ(Bytes(1536), "1.5 KB");
  EXPECT_EQ(Bytes(1024 * 1024), "1 MB");
}

TEST(OpSets, TheValueOfAParamMayMakeTheMember) {
  const Scene scene(Graph(), "mask-range");
  const OpSets& sets = scene.sets();
  EXPECT_NE(sets.Bit("adds"), 0U);
  EXPECT_EQ(sets.Bit("no such set"), 0U);
  const auto is = [&](const char* set, const char* op, std::optional<uint64_t> operation) {
    Node node;
    node.op = op;
    node.params.push_back({"other", UintParam{0}});
    if (operation) node.params.push_back({"operation", UintParam{*operation}});
    return (sets.SetsOf(sets.Of(op), node) & sets.Bit(set)) != 0;
  };
  EXPECT_TRUE(is("adds", "ElementWiseAdd", {}));
  EXPECT_TRUE(is("adds", "ElementWiseBinary", 0));
  EXPECT_FALSE(is("adds", "ElementWiseBinary", 13));
  EXPECT_FALSE(is("adds", "ElementWiseBinary", {}));
  EXPECT_TRUE(is("relus", "ElementWiseNeuron", 4));
  EXPECT_FALSE(is("relus", "ElementWiseNeuron", 1));
  EXPECT_FALSE(is("relus", "ElementWiseBinary", 4));
}

TEST(OpSets, KnowWhichOpsHaveAQuantizedForm) {
  const Scene scene(Graph(), "mask-range");
  EXPECT_TRUE(scene.sets().Of("Relu").quantized);
  EXPECT_FALSE(scene.sets().Of("ElementWiseSoftplus").quantized);
  EXPECT_FALSE(scene.sets().Of("NoSuchOp").quantized);
}

// x + mask -> Softmax, the mask at one side.
Graph Masked(double low, size_t side) {
  Graph g;
  const TensorId x = g.Input({4, 8}), mask = g.Constant({4, 8}, Dtype::kFloat32);
  g.At(mask).value_range = {low, 0.0};
  const std::vector<TensorId> inputs = side == 0 ? std::vector{mask, x} : std::vector{x, mask};
  const TensorId sum = g.Op("ElementWiseAdd", inputs, g.Add({4, 8}, Dtype::kUfixedPoint8, 0.1F));
  g.Op("Softmax", {sum}, g.Add({4, 8}));
  return g;
}

TEST(MaskRange, AMaskOfExactlyMinus20IsStrongEnough) {
  for (const size_t side : {0U, 1U}) {
    for (const auto& [low, reported] :
         {std::pair{-19.9, true}, {-1.0, true}, {-20.0, false}, {-100.0, false}, {0.0, false}}) {
      const Scene scene(Masked(low, side), "mask-range");
      const auto found = scene.Findings();
      ASSERT_EQ(found.size(), reported ? 1U : 0U) << low;
      if (reported) {
        EXPECT_EQ(found[0].port, "in[" + std::to_string(side) + "]");
      }
    }
  }
}

TEST(MaskRange, AThirdInputIsNoOperand) {
  Graph g = Masked(-100, 1);
  const TensorId third = g.Constant({4, 8}, Dtype::kFloat32);
  g.At(third).value_range = {-1.0, 0.0};
  g.model.nodes[0].inputs.push_back(third);
  EXPECT_TRUE(Scene(g, "mask-range").Findings().empty());
}

TEST(MaskRange, AStepOfAHalfTakesTheRangeOfTheScores) {
  for (const auto& [scale, reported] : {std::pair{0.49F, false}, {0.5F, true}, {2.0F, true}}) {
    Graph g = Masked(-100, 1);
    g.At(g.model.nodes[0].outputs[0]).encoding.Edit().scales = {scale};
    const Scene scene(g, "mask-range");
    const auto found = scene.Findings();
    ASSERT_EQ(found.size(), reported ? 1U : 0U) << scale;
    if (reported) {
      EXPECT_EQ(found[0].port, "out[0]");
    }
  }
}

TEST(UnfusedMask, IsLookedForEightOpsUp) {
  for (const int steps : {0, 1, 8, 9}) {
    Graph g;
    const TensorId x = g.Input({4, 8});
    TensorId mask = g.Input({4, 8}, "attention_mask");
    for (int i = 0; i < steps; ++i) mask = g.Op("Reshape", {mask}, g.Add({4, 8}));
    const TensorId sum = g.Op("ElementWiseAdd", {x, mask}, g.Add({4, 8}));
    g.Op("Softmax", {sum}, g.Add({4, 8}));
    EXPECT_EQ(Scene(g, "unfused-mask").Findings().size(), steps <= 8 ? 1U : 0U) << steps;
  }
}

TEST(UnfusedMask, TheFirstOfManySumsIsNamed) {
  Graph g;
  const TensorId x = g.Input({4, 8}), mask = g.Input({4, 8}, "mask");
  for (int i = 0; i < 3; ++i) {
    const TensorId sum = g.Op("ElementWiseAdd", {x, mask}, g.Add({4, 8}));
    g.Op("Softmax", {sum}, g.Add({4, 8}));
  }
  const auto found = Scene(g, "unfused-mask").Findings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].node_index, 0);
  EXPECT_NE(found[0].message.find("here and 2 more times"), std::string::npos);
}

// Softmax(Select(condition, scores, ReduceMin(scores) + addend)), rows of `width`.
Graph Selected(double addend, int64_t width = 16, Dtype dtype = Dtype::kUfixedPoint8) {
  Graph g;
  const TensorId scores = g.Input({4, width}, "x", dtype);
  const TensorId condition = g.Input({4, width}, "c", Dtype::kBool8);
  const TensorId least = g.Op("ReduceMin", {scores}, g.Add({4, 1}, dtype));
  const TensorId low =
      g.Op("ElementWiseAdd", {least, g.Reals({1}, {addend})}, g.Add({4, 1}, dtype));
  const TensorId chosen =
      g.Op("ElementWiseSelect", {condition, scores, low}, g.Add({4, width}, dtype));
  g.Op("Softmax", {chosen}, g.Add({4, width}, dtype));
  return g;
}

TEST(UnfusedMask, AnAddendOfExactlyMinus20IsFused) {
  // Up to a millionth above: the steps of single precision.
  const std::pair<double, bool> cases[] = {
      {-21, false}, {-20, false}, {-20 * (1 - 1e-6), false}, {-19.9999, true}, {-19.9, true}};
  for (const auto& [addend, reported] : cases) {
    EXPECT_EQ(Scene(Selected(addend), "unfused-mask").Findings().size(), reported ? 1U : 0U) << addend;
  }
}

TEST(UnfusedMask, FusedRowsOfOneMoreThanAMultipleAreSummedWrong) {
  const std::pair<int64_t, bool> cases[] = {{1, false},   {31, false},  {32, false}, {33, true},
                                            {34, false},  {65, true},   {64, false}, {225, true},
                                            {256, false}, {257, false}, {289, false}};
  for (const auto& [width, reported] : cases) {
    const auto found = Scene(Selected(-20, width), "unfused-mask").Findings();
    EXPECT_EQ(found.size(), reported ? 1U : 0U) << width;
    if (reported) {
      EXPECT_EQ(found[0].found, std::to_string(width) + " elements a row");
    }
  }
  EXPECT_TRUE(Scene(Selected(-20, 33, Dtype::kUfixedPoint16), "unfused-mask").Findings().empty());
}

TEST(ConcatLostBits, ARatioOfFourIsTwoBits) {
  struct Case {
    float ratio;
    const char* loses;  // null: nothing is reported
  };
  for (const Case& c : {Case{3.9F, nullptr},
                        {4, "2.0 of its 8 bits are lost"},
                        {128, "7.0 of its 8 bits are lost"},
                        {256, "all of its 8 bits are lost"},
                        {1024, "all of its 8 bits are lost"},
                        {0, nullptr}}) {
    Graph g;
    const TensorId x = g.Input({1, 4}), y = g.Input({1, 4});
    const TensorId joined = g.Add({2, 4}, Dtype::kUfixedPoint8, c.ratio);
    g.At(y).encoding.Edit().scales = {std::max(c.ratio, 1.0F)};
    g.Op("Concat", {x, y}, joined);
    const Scene scene(g, "concat-lost-bits");
    const auto found = scene.Findings();
    ASSERT_EQ(found.size(), c.loses == nullptr ? 0U : 1U) << c.ratio;
    if (c.loses != nullptr) {
      EXPECT_NE(found[0].message.find(c.loses), std::string::npos);
    }
  }
}

TEST(ConcatLostBits, AnAdditionOfFewStepsIsNamedToo) {
  // The scales of what is joined and of what is added to it, where the sum's is 1.
  struct Case {
    float joined, added;
    bool reshaped;
    size_t found;
  };
  for (const Case& c : {Case{1 / 20.0F, 1 / 16.0F, false, 2},
                        {1 / 20.0F, 1 / 16.0F, true, 2},
                        {1 / 20.0F, 1 / 15.0F, false, 1},
                        {1 / 15.0F, 1 / 16.0F, false, 1},
                        {1, 1 / 16.0F, false, 0}}) {
    Graph g;
    const TensorId token = g.Input({1, 4}), patches = g.Input({4, 4}), position = g.Input({5, 4});
    g.At(token).encoding.Edit().scales = {c.joined};
    g.At(position).encoding.Edit().scales = {c.added};
    const TensorId joined = g.Add({5, 4}, Dtype::kUfixedPoint8, 1);
    const TensorId moved = c.reshaped ? g.Add({5, 4}, Dtype::kUfixedPoint8, 1) : joined;
    const TensorId sum = g.Add({5, 4}, Dtype::kUfixedPoint8, 1);
    g.At(patches).encoding.Edit().scales = {1};
    g.Op("Concat", {token, patches}, joined);
    if (c.reshaped) g.Op("Reshape", {joined}, moved);
    g.Op("ElementWiseAdd", {moved, position}, sum);
    const Scene scene(g, "concat-lost-bits");
    EXPECT_EQ(scene.Findings().size(), c.found) << c.joined << " " << c.added;
  }
}

TEST(ConcatLostBits, AnAdditionOfTwoThatWereJoinedIsNamed) {
  // Two tokens beside patches, one of them through a product with a constant, or with what is computed too.
  for (const auto& [scale, constant, found] : {std::tuple{1 / 16.0F, true, size_t{3}},
                                               {1 / 15.0F, true, size_t{2}},
                                               {1 / 16.0F, false, size_t{2}}}) {
    Graph g;
    const auto join = [&g](float scale) {
      const TensorId token = g.Input({1, 4}), patches = g.Input({4, 4});
      g.At(token).encoding.Edit().scales = {scale};
      g.At(patches).encoding.Edit().scales = {1};
      return g.Op("Concat", {token, patches}, g.Add({5, 4}, Dtype::kUfixedPoint8, 1));
    };
    const TensorId factor = g.Input({4});
    g.At(factor).is_static = constant;
    const TensorId scaled =
        g.Op("ElementWiseMultiply", {factor, join(scale)}, g.Add({5, 4}, Dtype::kUfixedPoint8, 1));
    g.Op("ElementWiseAdd", {join(1 / 20.0F), scaled}, g.Add({5, 4}, Dtype::kUfixedPoint8, 1));
    const Scene scene(g, "concat-lost-bits");
    EXPECT_EQ(scene.Findings().size(), found) << scale << " " << constant;
  }
}

TEST(CutRange, ATwentiethMayBeCut) {
  // An input of 0 to 15, and an output of 8 bits up to 14.25, 14.24 or 14.5.
  struct Case {
    float scale;
    int32_t zero_point;
    bool reported;
  };
  for (const Case& c : {Case{0.25F, 198, false},
                        {0.24982F, 198, true},
                        {0.25F, 197, false},
                        {0.25F, 199, true},
                        // No scale, no range: that is reported elsewhere.
                        {0.0F, 0, false}}) {
    Graph g;
    const TensorId x = g.Input({1, 4});
    g.At(x).encoding.Edit().bitwidth = 4;
    g.At(x).encoding.Edit().zero_points = {0};
    g.Op("Concat", {x}, g.Add({1, 4}, Dtype::kUfixedPoint8, c.scale, c.zero_point));
    const Scene scene(g, "cut-range");
    EXPECT_EQ(scene.Findings().size(), c.reported ? 1U : 0U) << c.scale << " " << c.zero_point;
  }
}

TEST(CutRange, AProductInTheEncodingOfAFactor) {
  // Ranges of -r to r: the product reaches r * r, reported from 8 times the range.
  for (const auto& [scale, other, reported] : {std::tuple{0.1F, 0.1F, true},
                                               {0.05F, 0.05F, false},
                                               // An encoding of its own was calibrated.
                                               {0.1F, 0.11F, false}}) {
    Graph g;
    const TensorId a = g.Input({1, 4}, "a");
    const TensorId b = g.Input({1, 4}, "b");
    for (const TensorId id : {a, b}) {
      g.At(id).encoding.Edit().scales = {scale};
      g.At(id).encoding.Edit().zero_points = {128};
    }
    g.Op("ElementWiseMultiply", {a, b}, g.Add({1, 4}, Dtype::kUfixedPoint8, other, 128));
    const Scene scene(g, "cut-range");
    EXPECT_EQ(scene.Findings().size(), reported ? 1U : 0U) << scale << " " << other;
  }
}

// Quantized -> Dequantize -> float ops -> Quantize -> quantized.
Graph Island(const std::vector<const char*>& ops) {
  Graph g;
  TensorId x = g.Op("Dequantize", {g.Input({4})}, g.Float({4}));
  for (const char* op : ops) x = g.Op(op, {x}, g.Float({4}));
  x = g.Op("Quantize", {x}, g.Add({4}));
  g.Op("Relu", {x}, g.Add({4}));
  return g;
}

TEST(FloatIsland, CountsWhatItsNeighboursMadeFloat) {
  Scene some(Island({"ElementWiseAbs", "ElementWiseExp", "ElementWiseAbs"}), "float-island");
  some.Reported(2, "half-quantized-unit");
  ASSERT_EQ(some.Findings().size(), 1U);
  EXPECT_EQ(some.Findings()[0].found,
            "float: \"n1\", \"n2\" and \"n3\"; 1 of them only because of their neighbours");
}

TEST(FloatIsland, WhereAllIsDraggedAlongThePairsBetweenAreMissing) {
  Graph g = Island({"ElementWiseAbs", "ElementWiseExp", "ElementWiseAbs"});
  g.model.nodes[2].outputs.push_back(kNoTensor);
  const auto reported = [&](std::vector<int32_t> op_source) {
    Scene scene(g, "float-island", {}, std::move(op_source));
    for (const int32_t node : {1, 2, 3}) scene.Reported(node, "half-quantized-unit");
    const auto found = scene.Findings();
    return found.size() == 1 ? found[0].found + "; " + found[0].fixes.at(0).summary : "";
  };
  EXPECT_EQ(reported({}),
            "float: \"n1\", \"n2\" and \"n3\"; "
            "add a Q/DQ pair to \"t2\" and \"t3\": then nothing of it runs in float");
  // Two ops of one node of the file have nothing between them.
  EXPECT_EQ(reported({0, 1, 1, 3, 4, 5}),
            "float: \"n1\" and \"n3\"; add a Q/DQ pair to \"t3\": then nothing of it runs in float");
}

TEST(FloatIsland, OpsWithoutAQuantizedFormAreToReplace) {
  const auto fix = [](const std::vector<const char*>& ops) {
    return Scene(Island(ops), "float-island").Findings().at(0).fixes.at(0).summary;
  };
  EXPECT_EQ(
      fix({"ElementWiseSoftplus"}),
      "\"n1\" has no quantized form on v73: replace it, or leave the neighbours in float too, "
      "for fewer conversions");
  EXPECT_EQ(
      fix({"ElementWiseSoftplus", "ElementWiseAbs", "ElementWiseMod"}),
      "\"n1\" and \"n3\" have no quantized form on v73: replace them, or leave the neighbours "
      "in float too, for fewer conversions");
}

TEST(FoldedReluRange, BeginsAtTheLowestStoredValue) {
  for (const int32_t zero_point : {0, 1, 128}) {
    Graph g;
    const TensorId made =
        g.Op("Conv2d", {g.Input({1, 8, 8, 8}), g.Constant({1, 1, 8, 8})}, g.Add({1, 8, 8, 8}));
    g.Op("Relu", {made}, g.Add({1, 8, 8, 8}, Dtype::kUfixedPoint8, 1.0F, zero_point));
    const Scene scene(g, "folded-relu-range");
    EXPECT_EQ(scene.Findings().size(), zero_point == 0 ? 0U : 1U) << zero_point;
  }
}

TEST(InsertedTranspose, ServesTheSameNodeOfTheFile) {
  Graph g;
  const TensorId turned = g.Op("Transpose", {g.Input({2, 3})}, g.Add({3, 2}));
  g.Op("Softmax", {turned}, g.Add({3, 2}));
  const Scene inserted(g, "inserted-transpose", {}, {0, 0}), written(g, "inserted-transpose");
  EXPECT_EQ(inserted.Findings().size(), 1U);
  EXPECT_TRUE(written.Findings().empty());
}

TEST(KvPairs, AreComparedQuantized) {
  // The Dequantize before the float output is the first op.
  Graph g;
  const TensorId made = g.Add({1, 4}), present = g.Float({1, 4});
  const TensorId past = g.Input({1, 4}, "past_0", Dtype::kFloat32), read = g.Add({1, 4});
  g.At(present).name = "present_0";
  g.Op("Dequantize", {made}, present);
  g.Op("Quantize", {past}, read);
  g.Op("Relu", {read}, made);
  const Scene scene(g, "kv-cache-encoding");
  const auto pairs = KvPairs(scene.View());
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].input, past);
  EXPECT_EQ(pairs[0].output, present);
  EXPECT_EQ(pairs[0].in_graph, read);
  EXPECT_EQ(pairs[0].out_graph, made);
}

// A cache of `dims` that is joined with one entry and multiplied with `queries`.
Graph Cached(const Dims& dims, Dtype queries) {
  Graph g;
  const TensorId past = g.Input(dims, "past_0"), present = g.Add(dims);
  g.At(present).name = "present_0";
  g.Op("Concat", {past}, present);
  g.Op("MatMul", {g.Input({1, 64}, "q", queries), present}, g.Add({1, 512}, queries));
  return g;
}

TEST(NativeKvCache, LooksAtTheLastTwoDimensions) {
  const std::pair<Dims, const char*> cases[] = {
      {{512, 64}, ""},
      {{64, 512}, ""},
      {{512, 65}, "dimensions [512, 65]"},
      {{1, 256, 64}, "dimensions [1, 256, 64]"},
      {{500}, ""},  // no context and head
  };
  for (const auto& [dims, found] : cases) {
    const auto all = Scene(Cached(dims, Dtype::kUfixedPoint16), "native-kv-cache").Findings();
    EXPECT_EQ(all.empty() ? "" : all[0].found, found) << dims.size();
  }
}

TEST(NativeKvCache, ActivationsOf16BitsAreWideEnoughOnV69) {
  const auto found = [](Dtype queries, const char* arch) {
    const auto all =
        Scene(Cached({512, 64}, queries), "native-kv-cache", {.arch = arch}).Findings();
    return all.empty() ? "" : all[0].found;
  };
  EXPECT_EQ(found(Dtype::kUfixedPoint16, "v69"), "");
  EXPECT_EQ(found(Dtype::kUfixedPoint8, "v69"), "activations of 8 bits on v69");
  EXPECT_EQ(found(Dtype::kUfixedPoint8, "v73"), "");
}

TEST(LargeConstant, IsLargerThanTheMemoryOfTheSoc) {
  constexpr int64_t kMegabyte = 1024 * 1024;
  const TargetSpec four = {.soc = "SM8350"};  // 4 MB
  const auto graph = [](const std::vector<int64_t>& sizes) {
    Graph g;
    const TensorId x = g.Input({4});
    for (const int64_t size : sizes) {
      g.Op("FullyConnected", {x, kNoTensor, g.Constant({size})}, g.Add({4}));
    }
    return g;
  };
  const Scene fits(graph({4 * kMegabyte}), "large-constant", four);
  EXPECT_TRUE(fits.Findings().empty());
  const Graph larger = graph({4 * kMegabyte, 4 * kMegabyte + 1, 8 * kMegabyte});
  const Scene two(larger, "large-constant", four);
  const auto reported = [&](const Graph& g) {
    const auto found = Scene(g, "large-constant", four).Findings();
    return found.size() == 1 ? found[0].node + ": " + found[0].message : "";
  };
  EXPECT_EQ(reported(larger),
            "n2: the constant [8388608] in[2] is larger than the 4 MB of VTCM of "
            "SM8350, as is 1 other");
  EXPECT_EQ(reported(graph({4 * kMegabyte + 1})),
            "n0: the constant [4194305] in[2] is larger than the 4 MB of VTCM of SM8350");
  EXPECT_EQ(reported(graph({5 * kMegabyte, 5 * kMegabyte, 5 * kMegabyte})),
            "n0: the constant [5242880] in[2] is larger than the 4 MB of VTCM of SM8350, as are 2 "
            "others");
}

TEST(Rank5Transpose, TwoNeighboursThatMoveTogetherCanBeMerged) {
  struct Case {
    std::vector<int64_t> perm;
    int needed;  // 5 = nothing can be merged
  };
  for (const Case& c : {Case{{2, 3, 0, 1, 4}, 3},
                        {{4, 2, 0, 3, 1}, 5},
                        {{2, 0, 3, 1, 4}, 5},
                        {{4, 2, 0, 1, 3}, 4},
                        {{1, 4, 2, 0, 3}, 5},
                        {{3, 1, 4, 0, 2}, 5},
                        {{2, 1, 0, 3, 4}, 4}}) {
    Graph g;
    // The Reshape is the first op.
    TensorId x = g.Op("Reshape", {g.Input({32})}, g.Add({2, 2, 2, 2, 2}));
    x = g.Op("Transpose", {x}, g.Add({2, 2, 2, 2, 2}), {{"perm", c.perm}});
    x = g.Op("Reshape", {x}, g.Add({4, 8}));
    g.Op("MatMul", {x, g.Input({8, 4})}, g.Add({4, 4}));
    const Scene scene(g, "rank-5-transpose");
    const auto found = scene.Findings();
    ASSERT_EQ(found.size(), c.needed == 5 ? 0U : 1U);
    if (c.needed < 5) {
      EXPECT_EQ(found[0].allowed, "rank " + std::to_string(c.needed));
    }
  }
}

TEST(Rank5Transpose, AnOpWithoutItsFirstInputIsNone) {
  Graph g;
  g.Op("Transpose", {kNoTensor}, g.Add({2, 2, 2, 2, 2}));
}

TEST(ShortDepthConvolution, IsOfOneToFourChannels) {
  const std::pair<int64_t, bool> cases[] = {
      {kDynamicDim, false}, {0, false}, {1, true}, {4, true}, {5, false}};
  for (const auto& [depth, reported] : cases) {
    Graph g;
    g.Op("Conv2d",
         {g.Input({1, 8, 8, depth}), g.Constant({3, 3, depth, 16}, Dtype::kUfixedPoint8, 1, 127)},
         g.Add({1, 8, 8, 16}));
    const Scene scene(g, "short-depth-convolution");
    EXPECT_EQ(scene.Findings().size(), reported ? 1U : 0U) << depth;
  }
}

TEST(BlockFactor, OfOneToSixteenBitsFrom1ToTwoToTheirPower) {
  struct Case {
    int32_t bits, factor;
    std::optional<Consequence> reported;
  };
  constexpr auto kWrong = Consequence::kWrongValues, kAdvice = Consequence::kAdvice;
  for (const Case& c : {Case{4, 16, {}},
                        {4, 17, kWrong},
                        {4, 1, {}},
                        {4, 0, kAdvice},
                        {1, 2, {}},
                        {1, 3, kWrong},
                        {16, 65536, {}},
                        {16, 65537, kWrong},
                        // Not known, or nothing that is stored so.
                        {0, 100, {}},
                        {17, 1000000, {}}}) {
    Graph g;
    const TensorId weight = g.Constant({64, 4}, Dtype::kSfixedPoint8);
    Encoding& e = g.At(weight).encoding.Edit();
    e.kind = EncodingKind::kLpbq;
    e.block_scale_bitwidth = c.bits;
    e.block_scales = {1, c.factor};
    g.Op("Conv2d", {g.Input({1, 8, 8, 64}), weight}, g.Add({1, 8, 8, 4}));
    const Scene scene(g, "block-factor");
    const auto found = scene.Findings();
    ASSERT_EQ(found.size(), c.reported ? 1U : 0U) << c.bits << " " << c.factor;
    if (c.reported) {
      EXPECT_EQ(found[0].consequence, *c.reported);
    }
  }
}

// A layer with this bias; of float where it has no scale.
Graph Layer(float in_scale, float bias_scale, std::vector<int64_t> ints,
            std::vector<double> reals) {
  Graph g;
  const TensorId x = g.Add({1, 8}, Dtype::kUfixedPoint8, in_scale);
  const bool fixed = reals.empty();
  const TensorId bias =
      g.Constant({1}, fixed ? Dtype::kSfixedPoint32 : Dtype::kFloat32, bias_scale, 0);
  auto values = std::make_shared<TensorValues>();
  values->ints = std::move(ints);
  values->reals = std::move(reals);
  g.At(bias).values = std::move(values);
  g.Op("FullyConnected", {x, g.Constant({1, 8}), bias}, g.Add({1, 1}));
  return g;
}

TEST(BiasOverflow, BeginsAMillionthBeyond32Bits) {
  const double most = 2147483648.0 * 1.000001;
  const std::pair<double, bool> cases[] = {
      {2147483648.0, false}, {most, false}, {std::nextafter(most, 1e10), true}, {-most * 2, true}};
  for (const auto& [bias, reported] : cases) {
    const Scene scene(Layer(1.0F, 0, {}, {bias}), "bias-overflow");
    EXPECT_EQ(scene.Findings().size(), reported ? 1U : 0U) << bias;
  }
}

TEST(BiasOverflow, BeginsLaterNextTo16BitsWhereTheBiasKeepsItsScale) {
  const std::pair<int64_t, bool> cases[] = {{549000, false}, {550000, true}};
  for (const auto& [bias, reported] : cases) {
    Graph g = Layer(1.0F, 1e6F, {bias}, {});
    EXPECT_EQ(Scene(g, "bias-overflow").Findings().size(), 1U) << "8 bits";
    g.At(0).dtype = Dtype::kUfixedPoint16;
    EXPECT_EQ(Scene(g, "bias-overflow").Findings().size(), reported ? 1U : 0U) << bias;
  }
  // A tool makes integers of a float bias: in the steps of the input and the weight.
  Graph g = Layer(1.0F, 0, {}, {1e10});
  g.At(0).dtype = Dtype::kUfixedPoint16;
  EXPECT_EQ(Scene(g, "bias-overflow").Findings().size(), 1U);
}

TEST(BiasOverflow, HasNothingToSayWithoutAStep) {
  EXPECT_TRUE(Scene(Layer(0.0F, 1.0F, {5}, {}), "bias-overflow").Findings().empty());
  EXPECT_TRUE(Scene(Layer(0.0F, 0, {}, {5}), "bias-overflow").Findings().empty());
}

TEST(BiasOverflow, IsNotHiddenByTheSignOfAScale) {
  EXPECT_EQ(Scene(Layer(1.0F, -1e6F, {1000000}, {}), "bias-overflow").Findings().size(), 1U);
  EXPECT_EQ(Scene(Layer(1.0F, 1e6F, {1000000}, {}), "bias-overflow").Findings().size(), 1U);
}

TEST(ConversionCost, NamesTheFirstOfTheLargest) {
  // 10 bytes in and 20 out; 3 bytes to 12 and back.
  Graph g;
  TensorId x = g.Op("Relu", {g.Input({10})}, g.Add({10}));
  x = g.Op("Convert", {x}, g.Add({10}, Dtype::kUfixedPoint16));
  x = g.Op("Relu", {x}, g.Add({10}, Dtype::kUfixedPoint16));
  TensorId y = g.Op("Relu", {g.Input({3})}, g.Add({3}));
  y = g.Op("Dequantize", {y}, g.Float({3}));
  y = g.Op("Quantize", {y}, g.Add({3}));
  y = g.Op("Relu", {y}, g.Add({3}));
  g.model.outputs = {x, y};
  const auto found = Scene(g, "conversion-cost").Findings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].op, "Convert");
  EXPECT_EQ(found[0].message, "2 conversions between quantized ops read and write 60 B a run");
  EXPECT_EQ(found[0].found,
            "\"n1 (30 B)\" and \"n4 (30 B)\"; 1 from one encoding to another of the same width");
}

}  // namespace
}  // namespace quantgate::rules
