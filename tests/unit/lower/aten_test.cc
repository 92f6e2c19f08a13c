// Graphs of ATen on ExecuTorch's route.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantgate/reader.h"
#include "quantgate/validator.h"

namespace quantgate {
namespace {

Report Check(const std::string& json, const std::string& route = "executorch", const std::string& sdk = "2.49") {
  const auto model = ReadModelJson(json, "test");
  EXPECT_TRUE(model.ok()) << model.status();
  auto target = Target::Parse({.backend = "htp", .sdk = sdk, .soc = "SM8550"});
  const Validator validator(*std::move(target), {.route = route, .as_run = true});
  return model.ok() ? validator.Check(*model) : Report();
}

std::string U8(std::string_view name, std::string_view scale) {
  return R"({"name": ")" + std::string(name) + R"(", "dtype": "UFIXED_POINT_8", "dims": [1, 8],
    "encoding": {"perTensor": {"scale": )" + std::string(scale) + R"(, "zeroPoint": 0}}})";
}

std::string Graph(const std::string& tensors, const std::string& nodes, std::string_view input = "x",
                  std::string_view output = "y") {
  return R"({"dialect": "aten", "inputs": [")" + std::string(input) + R"("], "outputs": [")" +
         std::string(output) + R"("], "tensors": [)" + tensors + R"(], "nodes": [)" + nodes + "]}";
}
std::string Node(std::string_view op, std::string_view in, std::string_view out) {
  return R"({"name": ")" + std::string(out) + R"(_node", "op": ")" + std::string(op) + R"(", "inputs": [)" +
         std::string(in) + R"(], "outputs": [")" + std::string(out) + R"("]})";
}

std::string Plain(std::string_view name, std::string_view dtype, std::string_view dims) {
  return R"({"name": ")" + std::string(name) + R"(", "dtype": ")" + std::string(dtype) + R"(", "dims": )" +
         std::string(dims) + "}";
}

bool Has(const Report& report, std::string_view code) {
  for (const Finding& f : report.findings) {
    if (f.rule->code == code) return true;
  }
  return false;
}

std::string Between(std::string_view op, std::string_view scale) {
  return Graph(U8("x", "0.1") + "," + U8("c", scale) + "," + U8("y", scale),
               Node(op, R"("x")", "c") + "," + Node("aten.relu.default", R"("c")", "y"));
}

TEST(Aten, IdentityBetweenEncodingsIsAConversion) {
  for (const char* op : {"aten.clone.default", "aten.dropout.default", "aten.expand.default"}) {
    const Report other = Check(Between(op, "0.2"));
    ASSERT_EQ(other.nodes.size(), 2U) << op;
    ASSERT_EQ(other.nodes[0].resolved.size(), 1U) << op;
    EXPECT_EQ(other.nodes[0].resolved[0], "Convert") << op;
    EXPECT_NE(other.verdict, Consequence::kWrongValues) << op;
    const Report same = Check(Between(op, "0.1"));
    EXPECT_TRUE(same.nodes[0].resolved.empty()) << op;
    EXPECT_EQ(same.verdict, Consequence::kAccepted) << op;
  }
}

TEST(Aten, AnIdentityWithASecondInputIsAConversionOfTheFirst) {
  const std::string tensors = U8("x", "0.1") + "," + U8("like", "0.3") + "," + U8("c", "0.2") + "," + U8("y", "0.2");
  const Report report = Check(Graph(tensors, Node("aten.type_as.default", R"("x", "like")", "c") + "," +
                                                 Node("aten.relu.default", R"("c")", "y"),
                                     R"(x", "like)"));
  ASSERT_EQ(report.nodes[0].resolved.size(), 1U);
  EXPECT_EQ(report.nodes[0].resolved[0], "Convert");
  EXPECT_FALSE(Has(report, "QG506"));
}

TEST(Aten, AGridIsEachAxisRepeatedAlongTheOther) {
  const auto grid = [](std::string_view indexing, std::string_view dims) {
    return Graph(Plain("x", "INT_32", "[3]") + "," + Plain("z", "INT_32", "[5]") + "," + Plain("y", "INT_32", dims) +
                     "," + Plain("w", "INT_32", dims),
                 R"({"name": "n", "op": "aten.meshgrid.indexing", "inputs": ["x", "z"], "outputs": ["y", "w"],
                     "params": {"indexing": {"text": ")" + std::string(indexing) + R"("}}})",
                 R"(x", "z)", R"(y", "w)");
  };
  const Report report = Check(grid("ij", "[3, 5]"));
  EXPECT_EQ(report.nodes[0].resolved.size(), 4U);
  EXPECT_EQ(report.verdict, Consequence::kAccepted);
  EXPECT_EQ(Check(grid("xy", "[5, 3]")).verdict, Consequence::kAccepted);
  EXPECT_NE(Check(grid("xy", "[3, 5]")).verdict, Consequence::kAccepted);
}

TEST(Aten, ATensorIsTurnedAround) {
  const auto turned = [](std::string_view op, std::string_view dims) {
    return Check(Graph(Plain("x", "INT_32", "[2, 3, 5]") + "," + Plain("y", "INT_32", dims),
                       Node(op, R"("x")", "y")));
  };
  EXPECT_EQ(turned("aten.numpy_T.default", "[5, 3, 2]").verdict, Consequence::kAccepted);
  EXPECT_EQ(turned("aten.mT.default", "[2, 5, 3]").verdict, Consequence::kAccepted);
  EXPECT_NE(turned("aten.numpy_T.default", "[2, 5, 3]").verdict, Consequence::kAccepted);
}

TEST(Aten, WholeNumbersAreNotPackedButJoined) {
  const auto stacked = [](std::string_view dtype, int dim, std::string_view dims) {
    return Check(Graph(Plain("x", dtype, "[2, 3]") + "," + Plain("z", dtype, "[2, 3]") + "," + Plain("y", dtype, dims),
                       R"({"name": "n", "op": "aten.stack.default", "inputs": ["x", "z"], "outputs": ["y"],
                           "params": {"dim": {"int": )" + std::to_string(dim) + "}}}", R"(x", "z)"));
  };
  for (const auto& [dim, dims] : {std::pair(0, "[2, 2, 3]"), std::pair(1, "[2, 2, 3]"), std::pair(-1, "[2, 3, 2]")}) {
    const Report report = stacked("INT_64", dim, dims);
    EXPECT_EQ(report.verdict, Consequence::kAccepted) << dim;
    EXPECT_EQ(report.nodes[0].resolved[0], "Concat") << dim;
    EXPECT_EQ(stacked("FLOAT_16", dim, dims).nodes[0].resolved[0], "Pack") << dim;
  }
  const Report taken = Check(Graph(Plain("x", "INT_64", "[2, 3]") + "," + Plain("y", "INT_64", "[3]") + "," +
                                       Plain("z", "INT_64", "[3]"),
                                   R"({"name": "n", "op": "aten.unbind.int", "inputs": ["x"], "outputs": ["y", "z"],
                                       "params": {"dim": {"int": 0}}})", "x", R"(y", "z)"));
  EXPECT_EQ(taken.verdict, Consequence::kAccepted);
}

TEST(Aten, ValuesOfAConstantIndexAreNotSeenBehindItsCast) {
  const auto taken = [](std::string_view index) {
    return Graph(R"({"name": "i", "dtype": "INT_64", "dims": [1], "isStatic": true, "values": [)" + std::string(index) +
                     "]}," + Plain("x", "FLOAT_16", "[1, 8]") + "," + Plain("y", "FLOAT_16", "[1, 1]"),
                 R"({"name": "n", "op": "aten.index.Tensor", "inputs": ["x", "", "i"], "outputs": ["y"]})");
  };
  const Report last = Check(taken("-1"));
  ASSERT_EQ(last.nodes[0].resolved.size(), 2U);
  EXPECT_EQ(last.nodes[0].resolved[0], "Cast");
  EXPECT_EQ(last.verdict, Consequence::kWrongValues);
  EXPECT_FALSE(Has(last, "QG314"));
  EXPECT_EQ(Check(taken("7")).verdict, Consequence::kAccepted);
}

TEST(Aten, AProductThatIsTakenApartHasNoEncodingBetween) {
  const auto sum = [](const std::string& y) {
    return Check(Graph(Plain("x", "FLOAT_32", "[2, 4, 4]") + "," + Plain("a", "FLOAT_32", "[2, 4, 4]") + "," + y,
                       R"({"name": "n", "op": "aten.baddbmm.default", "inputs": ["x", "a", "a"], "outputs": ["y"],
                           "params": {"alpha": {"int": 1}, "beta": {"int": 1}}})",
                       R"(x", "a)"));
  };
  EXPECT_EQ(sum(Plain("y", "FLOAT_32", "[2, 4, 4]")).verdict, Consequence::kAdvice) << "half precision";
  EXPECT_EQ(sum(R"({"name": "y", "dtype": "UFIXED_POINT_8", "dims": [2, 4, 4],
                    "encoding": {"perTensor": {"scale": 0.1, "zeroPoint": 0}}})").verdict,
            Consequence::kRejected);
}

TEST(Aten, WhatNothingReadsIsDropped) {
  const std::string tensors = U8("x", "0.1") + "," + U8("y", "0.1") + "," + U8("dead", "0.1") +
                              R"(,{"name": "deader", "dtype": "FLOAT_32", "dims": [1, 8]})";
  const std::string nodes = Node("aten.relu.default", R"("x")", "y") + "," +
                            Node("aten.silu.default", R"("x")", "dead") + "," +
                            Node("aten.no_such.default", R"("dead")", "deader");
  const Report report = Check(Graph(tensors, nodes));
  EXPECT_EQ(report.verdict, Consequence::kAccepted);
  EXPECT_TRUE(report.nodes[1].resolved.empty());
  EXPECT_TRUE(report.nodes[2].resolved.empty());
  EXPECT_EQ(Check(Graph(tensors, nodes), "direct").nodes[1].resolved.size(), 2U);
}

TEST(Aten, WhatWritesIntoAnotherTensorIsNotDropped) {
  const auto put = [](std::string_view dims, std::string_view params) {
    const std::string tensors = Plain("x", "INT_64", "[4]") + "," + Plain("part", "INT_64", dims) + "," +
                                Plain("written", "INT_64", dims) + "," + Plain("y", "INT_64", "[4]");
    return Check(Graph(tensors, R"({"name": "n", "op": "aten.copy.default", "inputs": ["part", "part"],
                                    "outputs": ["written"], "params": {)" + std::string(params) + "}}," +
                                    Node("aten.view.default", R"("x")", "y"), R"(x", "part)"));
  };
  EXPECT_EQ(put("[]", R"("in_place": {"flag": true})").verdict, Consequence::kPrepareFails);
  EXPECT_EQ(put("[2]", R"("in_place": {"flag": true})").verdict, Consequence::kAccepted);
  EXPECT_EQ(put("[]", "").verdict, Consequence::kAccepted);
}

TEST(Aten, ConstantsAreHandedOverOpByOp) {
  const std::string tensors =
      R"({"name": "k", "dtype": "INT_32", "dims": [8], "isStatic": true}, {"name": "kk", "dtype": "INT_32", "dims": [8]},
         {"name": "x", "dtype": "INT_32", "dims": [8]}, {"name": "y", "dtype": "INT_32", "dims": [8]})";
  const std::string nodes = Node("aten.neg.default", R"("k")", "kk") + "," +
                            Node("aten.add.Tensor", R"("x", "kk")", "y");
  EXPECT_EQ(Check(Graph(tensors, nodes)).nodes[0].resolved.size(), 1U);
  EXPECT_TRUE(Check(Graph(tensors, nodes), "direct").nodes[0].resolved.empty());
}

TEST(Aten, APartitionOfConstantsAloneCantBeBuilt) {
  // `kk` is for the CPU's node, so it can't run with what reads that.
  const std::string tensors =
      R"({"name": "k", "dtype": "INT_32", "dims": [8], "isStatic": true}, {"name": "kk", "dtype": "INT_32", "dims": [8]},
         {"name": "cpu", "dtype": "INT_32", "dims": [8]}, {"name": "x", "dtype": "INT_32", "dims": [8]},
         {"name": "y", "dtype": "INT_32", "dims": [8]})";
  const std::string cut = Node("aten.add.Tensor", R"("k", "k")", "kk") + "," +
                          Node("aten._local_scalar_dense.default", R"("kk")", "cpu") + "," +
                          Node("aten.add.Tensor", R"("x", "cpu")", "y");
  const Report report = Check(Graph(tensors, cut));
  ASSERT_TRUE(report.as_run.has_value());
  EXPECT_NE(report.as_run->session_fails.find("constants alone"), std::string::npos);
  // What isn't known may be accepted, and cuts nothing.
  const std::string unknown = Node("aten.add.Tensor", R"("k", "k")", "kk") + "," +
                              Node("quantgate.made_up.default", R"("kk")", "cpu") + "," +
                              Node("aten.add.Tensor", R"("x", "cpu")", "y");
  EXPECT_EQ(Check(Graph(tensors, unknown)).as_run->session_fails, "");
  // A constant that is made for the CPU's node alone is handed over too.
  const std::string made = R"({"name": "made", "op": "aten.arange.default", "inputs": [], "outputs": ["kk"]},)" +
                           Node("aten._local_scalar_dense.default", R"("kk")", "cpu") + "," +
                           Node("aten.add.Tensor", R"("x", "cpu")", "y");
  EXPECT_NE(Check(Graph(tensors, made)).as_run->session_fails.find("constants alone"), std::string::npos);
  EXPECT_EQ(report.as_run->partitions.size(), 2U);

  const std::string whole = Node("aten.add.Tensor", R"("k", "k")", "kk") + "," +
                            Node("aten.add.Tensor", R"("x", "kk")", "y");
  const std::string fewer =
      R"({"name": "k", "dtype": "INT_32", "dims": [8], "isStatic": true}, {"name": "kk", "dtype": "INT_32", "dims": [8]},
         {"name": "x", "dtype": "INT_32", "dims": [8]}, {"name": "y", "dtype": "INT_32", "dims": [8]})";
  const Report fine = Check(Graph(fewer, whole));
  EXPECT_EQ(fine.as_run->session_fails, "");
  EXPECT_EQ(fine.as_run->partitions.size(), 1U);
}

// Stand-ins: multiples of kStandInStep.
constexpr std::string_view kOne = "7.1746481e-43", kTwo = "1.4349296e-42";

TEST(Aten, NumbersWaitForCalibration) {
  const auto softmax = [](std::string_view scale) {
    std::string wrong = U8("y", scale);
    wrong.replace(wrong.find(R"("zeroPoint": 0)"), 14, R"("zeroPoint": 7)");
    return Graph(U8("x", scale) + "," + wrong,
                 R"({"name": "n", "op": "aten.softmax.int", "inputs": ["x"], "outputs": ["y"], "params": {"dim": {"int": -1}}})");
  };
  EXPECT_TRUE(Has(Check(softmax("0.1")), "QG306"));
  EXPECT_FALSE(Has(Check(softmax(kOne)), "QG306"));
}

TEST(Aten, SymmetryIsKnownBeforeCalibration) {
  const auto product = [](std::string_view zero_point) {
    const auto u16 = [](std::string_view name, std::string_view dims, std::string_view zero) {
      return R"({"name": ")" + std::string(name) + R"(", "dtype": "UFIXED_POINT_16", "dims": )" + std::string(dims) +
             R"(, "encoding": {"perTensor": {"scale": )" + std::string(kOne) + R"(, "zeroPoint": )" +
             std::string(zero) + "}}}";
    };
    return R"({"dialect": "aten", "inputs": ["a", "b"], "outputs": ["y"], "tensors": [)" +
           u16("a", "[2, 4, 8]", "0") + "," + u16("b", "[2, 8, 4]", zero_point) + "," + u16("y", "[2, 4, 4]", "0") +
           R"(], "nodes": [{"name": "n", "op": "aten.matmul.default", "inputs": ["a", "b"], "outputs": ["y"]}]})";
  };
  EXPECT_TRUE(Has(Check(product("0")), "QG301"));
  EXPECT_FALSE(Has(Check(product("32768")), "QG301"));
}

TEST(Aten, RawOffsetsAreKnownBeforeCalibration) {
  const auto tanh = [](std::string_view zero_point) {
    const auto u16 = [&](std::string_view name) {
      return R"({"name": ")" + std::string(name) + R"(", "dtype": "UFIXED_POINT_16", "dims": [1, 8, 8, 4])" +
             R"(, "encoding": {"perTensor": {"scale": )" + std::string(kOne) + R"(, "zeroPoint": )" +
             std::string(zero_point) + "}}}";
    };
    return R"({"dialect": "aten", "inputs": ["x"], "outputs": ["y"], "tensors": [)" + u16("x") + "," + u16("y") +
           R"(], "nodes": [{"name": "n", "op": "aten.tanh.default", "inputs": ["x"], "outputs": ["y"]}]})";
  };
  const auto is_refused = [](const Report& report) { return report.verdict == Consequence::kRejected; };
  EXPECT_TRUE(is_refused(Check(tanh("0"))));
  EXPECT_FALSE(is_refused(Check(tanh("32768"))));
}

TEST(Aten, SharingIsKnownBeforeCalibration) {
  const auto reshape = [](std::string_view in, std::string_view out) {
    return Graph(U8("x", in) + "," + U8("y", out), Node("aten.view.default", R"("x")", "y"));
  };
  EXPECT_TRUE(Has(Check(reshape("0.1", "0.2")), "QG401"));
  const Report apart = Check(reshape(kOne, kTwo));
  ASSERT_TRUE(Has(apart, "QG401"));
  EXPECT_NE(apart.findings[0].message.find("observed apart"), std::string::npos);
  EXPECT_FALSE(Has(Check(reshape(kOne, kOne)), "QG401"));
}

// A quantized constant that a node on the CPU reads is left to the NPU, which prepares no Dequantize of it.
TEST(Aten, AConstantDequantizedForTheCpuCantBeBuilt) {
  const auto product = [](std::string_view dims) {
    const std::string constant =
        R"({"name": "k", "dtype": "UFIXED_POINT_8", "isStatic": true, "dims": )" + std::string(dims) +
        R"(, "encoding": {"perTensor": {"scale": 0.1, "zeroPoint": 0}}})";
    const std::string tensors = Plain("x", "INT_64", "[2, 8]") + "," + constant + "," +
                                R"({"name": "p", "dtype": "UFIXED_POINT_8", "dims": [2, 8],
      "encoding": {"perTensor": {"scale": 0.1, "zeroPoint": 0}}},
      {"name": "y", "dtype": "UFIXED_POINT_8", "dims": [2, 8],
       "encoding": {"perTensor": {"scale": 0.1, "zeroPoint": 0}}})";
    return Check(Graph(tensors, Node("aten.mul.Tensor", R"("x", "k")", "p") + "," +
                                    Node("aten.relu.default", R"("p")", "y")));
  };
  const Report report = product("[2, 8]");
  EXPECT_EQ(report.nodes[0].verdict, Consequence::kRejected);
  ASSERT_TRUE(report.as_run.has_value());
  EXPECT_NE(report.as_run->session_fails.find("Dequantize of a constant"), std::string::npos)
      << report.as_run->session_fails;
  EXPECT_EQ(report.as_run->session_killers, std::vector<int32_t>{0});
  // A scalar comes behind a Reshape.
  EXPECT_EQ(product("[]").as_run->session_fails, "");
}

TEST(Aten, WholeNumbersBesideFloatsAreCast) {
  using Ops = std::vector<std::string>;
  const auto ops = [](std::string_view op, std::string_view left, std::string_view right) {
    const std::string tensors = Plain("x", left, "[8]") + "," + Plain("w", right, "[8]") + "," +
                                Plain("y", "FLOAT_32", "[8]");
    const Report report = Check(Graph(tensors, Node(op, R"("x", "w")", "y"), R"(x", "w)"));
    EXPECT_EQ(report.nodes[0].verdict, Consequence::kAccepted) << op;
    Ops found;
    for (const auto& one : report.nodes[0].resolved) found.emplace_back(one);
    return found;
  };
  EXPECT_EQ(ops("aten.mul.Tensor", "FLOAT_32", "INT_64"), (Ops{"Cast", "ElementWiseMultiply"}));
  EXPECT_EQ(ops("aten.add.Tensor", "BOOL_8", "FLOAT_32"), (Ops{"Cast", "ElementWiseAdd"}));
  EXPECT_EQ(ops("aten.div.Tensor", "INT_64", "INT_64"), (Ops{"Cast", "Cast", "ElementWiseDivide"}));
  EXPECT_EQ(ops("aten.sub.Tensor", "FLOAT_32", "FLOAT_32"), Ops{"ElementWiseSubtract"});
}

TEST(Aten, SumsOfWholeNumbersStayOnTheCpu) {
  const std::string node = Node("aten.sum.default", R"("x")", "y");
  const Report sum = Check(Graph(Plain("x", "INT_64", "[8]") + "," + Plain("y", "INT_64", "[]"), node));
  EXPECT_EQ(sum.nodes[0].verdict, Consequence::kRejected);
  EXPECT_EQ(sum.as_run->session_fails, "");
  const Report named = Check(Graph(Plain("x", "INT_64", "[8]") + "," + Plain("y", "INT_32", "[]"), node));
  EXPECT_EQ(named.nodes[0].verdict, Consequence::kAccepted);
}

TEST(Aten, QuantizingWholeNumbersEndsTheLowering) {
  const Report report = Check(Graph(Plain("x", "INT_64", "[1, 8]") + "," + U8("y", "0.1"),
                                    Node("quantgate.quantize", R"("x")", "y")));
  EXPECT_EQ(report.nodes[0].verdict, Consequence::kPrepareFails);
  EXPECT_NE(report.as_run->session_fails, "");
}

TEST(Aten, ANormWithoutAWeightGetsOnes) {
  const std::string node =
      R"({"name": "n", "op": "aten.layer_norm.default", "inputs": ["x"], "outputs": ["y"],
          "params": {"normalized_shape": {"ints": [8]}, "eps": {"real": 1e-05}}})";
  const Report report = Check(Graph(U8("x", "0.1") + "," + U8("y", "0.1"), node));
  ASSERT_EQ(report.nodes[0].resolved.size(), 1U);
  EXPECT_EQ(report.nodes[0].verdict, Consequence::kAccepted);
}

TEST(Aten, APoolNeedsAStride) {
  const auto pool = [](std::string_view stride, std::string_view ceil) {
    const std::string params = R"({"kernel_size": {"ints": [2, 2]}, "padding": {"ints": [0, 0]},
      "dilation": {"ints": [1, 1]}, "stride": {"ints": )" + std::string(stride) +
                               R"(}, "ceil_mode": {"flag": )" + std::string(ceil) + "}}";
    const auto image = [](std::string_view name, std::string_view dims) {
      return R"({"name": ")" + std::string(name) + R"(", "dtype": "UFIXED_POINT_8", "dims": )" + std::string(dims) +
             R"(, "encoding": {"perTensor": {"scale": 0.1, "zeroPoint": 0}}})";
    };
    const std::string node =
        R"({"name": "n", "op": "aten.max_pool2d.default", "inputs": ["x"], "outputs": ["y"], "params": )" +
        params + "}";
    return Check(Graph(image("x", "[1, 8, 8, 8]") + "," + image("y", "[1, 8, 4, 4]"), node)).nodes[0].verdict;
  };
  EXPECT_EQ(pool("[2, 2]", "false"), Consequence::kAccepted);
  EXPECT_EQ(pool("[]", "false"), Consequence::kPrepareFails);
  EXPECT_EQ(pool("[]", "true"), Consequence::kRejected);
}

TEST(Aten, ARollIsSlicesThatChangePlaces) {
  const auto roll = [](std::string_view shifts, std::string_view dims) {
    const std::string node = R"({"name": "n", "op": "aten.roll.default", "inputs": ["x"], "outputs": ["y"], "params": {
      "shifts": {"ints": )" + std::string(shifts) + R"(}, "dims": {"ints": )" + std::string(dims) + "}}}";
    const Report report =
        Check(Graph(Plain("x", "FLOAT_16", "[1, 8, 6, 4]") + "," + Plain("y", "FLOAT_16", "[1, 8, 6, 4]"), node));
    return std::pair(report.nodes[0].resolved.size(), report.nodes[0].verdict);
  };
  EXPECT_EQ(roll("[-3]", "[1]"), std::pair(size_t{3}, Consequence::kAccepted));
  EXPECT_EQ(roll("[9, -2]", "[1, 2]"), std::pair(size_t{6}, Consequence::kAccepted));
  // Read in the pass (DecomposeRoll): a negative dimension cuts dimension 0, and the pieces don't fit.
  EXPECT_EQ(roll("[9, -2]", "[1, -2]"), std::pair(size_t{6}, Consequence::kPrepareFails));
  for (const char* dims : {"[]", "[1, 2, 3]"}) EXPECT_EQ(roll("[1, 1, 1]", dims).second, Consequence::kUnchecked);
  EXPECT_EQ(roll("[8]", "[1]").second, Consequence::kUnchecked);
}

// 0.7 brought cumsum, and comes with the same SDK as 0.6.
TEST(Aten, WhatABuilderLacksDependsOnTheRelease) {
  const auto said = [](const char* sdk) {
    const std::string node = R"({"name": "n", "op": "aten.cumsum.default", "inputs": ["x"], "outputs": ["y"],
                                 "params": {"dim": {"int": 1}}})";
    const Report report =
        Check(Graph(Plain("x", "FLOAT_32", "[1, 8]") + "," + Plain("y", "FLOAT_32", "[1, 8]"), node), "executorch", sdk);
    for (const Finding& f : report.findings) {
      if (f.rule->slug == "refused-by-route") {
        return std::string(ConsequenceName(f.consequence)) + ": " + f.message.str();
      }
    }
    return std::string();
  };
  EXPECT_EQ(said("2.26"), "prepare_fails: aten.cumsum.default ends the lowering: ExecuTorch's Qualcomm backend has no builder "
                          "for it, and its partitioner stops (KeyError); so it is in ExecuTorch before 0.7");
  EXPECT_EQ(said("2.28"), "advice: aten.cumsum.default depends on the release: ExecuTorch's Qualcomm backend has no builder "
                          "for it, and its partitioner stops (KeyError); so it is in ExecuTorch before 0.7");
  // Between the SDKs of two releases the older one is meant, beyond all the newest.
  for (const char* sdk : {"2.30", "2.37", "2.51"}) EXPECT_EQ(said(sdk), "") << sdk;
}

TEST(Aten, WholeNumbersAreDividedInFloatsByATensor) {
  const auto divide = [](bool by_tensor) {
    const std::string node = Node("aten.floor_divide.default", by_tensor ? R"("x", "d")" : R"("x")", "y");
    const std::string divisor = R"({"name": "d", "dtype": "INT_32", "dims": [1], "isStatic": true, "values": [37]},)";
    return Check(Graph(Plain("x", "INT_32", "[1, 8]") + "," + (by_tensor ? divisor : "") + Plain("y", "INT_32", "[1, 8]"),
                       node));
  };
  const Report by_tensor = divide(true), by_number = divide(false);
  EXPECT_EQ(by_tensor.nodes[0].resolved.size(), 5U) << "two Casts, Divide, Floor, Cast";
  EXPECT_LT(by_tensor.verdict, Consequence::kPrepareFails);
  EXPECT_EQ(by_number.verdict, Consequence::kPrepareFails);
}

TEST(Aten, ABuilderTakesNoComputedWeights) {
  const auto verdict = [](bool computed) {
    const std::string table = computed ? Plain("t", "FLOAT_16", "[16, 8]") + "," + Plain("w", "FLOAT_16", "[16, 8]")
                                       : R"({"name": "w", "dtype": "FLOAT_16", "dims": [16, 8], "isStatic": true})";
    return Check(Graph(Plain("x", "INT_32", "[1, 4]") + "," + table + "," + Plain("y", "FLOAT_16", "[1, 4, 8]"),
                       (computed ? Node("aten.relu.default", R"("t")", "w") + "," : "") +
                           Node("aten.embedding.default", R"("w", "x")", "y"),
                       computed ? R"(x", "t)" : "x"))
        .verdict;
  };
  EXPECT_LT(verdict(false), Consequence::kPrepareFails);
  EXPECT_EQ(verdict(true), Consequence::kPrepareFails);
}

}  // namespace
}  // namespace quantgate
