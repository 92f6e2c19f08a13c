#include "core/oracle/oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "core/oracle/answer_json.h"
#include "core/oracle/tensor_data.h"

namespace quantgate::verify {
namespace {

using ::testing::HasSubstr;

TensorId AddTensor(Model& model, std::string name, Dtype dtype, std::vector<int64_t> dims) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.dtype = dtype;
  tensor.dims.assign(dims.begin(), dims.end());
  model.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(model.tensors.size() - 1);
}

// x -> op -> y, one node per op.
Model ModelOf(const std::vector<std::string>& ops) {
  Model model;
  const TensorId x = AddTensor(model, "x", Dtype::kUfixedPoint8, {1, 4});
  const TensorId y = AddTensor(model, "y", Dtype::kUfixedPoint8, {1, 4});
  for (const std::string& op : ops) {
    Node node;
    node.name = "n" + std::to_string(model.nodes.size());
    node.op = op;
    node.inputs = {x};
    node.outputs = {y};
    model.nodes.push_back(std::move(node));
  }
  return model;
}

std::vector<Question> AllNodes(const Model& model) {
  std::vector<Question> questions;
  for (size_t i = 0; i < model.nodes.size(); ++i)
    questions.push_back({&model, static_cast<int32_t>(i)});
  return questions;
}

Encoding EncodingOf(EncodingKind kind, std::vector<int32_t> zero_points) {
  Encoding encoding;
  encoding.kind = kind;
  encoding.scales = {0.5F};
  encoding.zero_points.assign(zero_points.begin(), zero_points.end());
  return encoding;
}

class OracleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto oracle = Oracle::Open(QUANTGATE_FAKE_BACKEND, {.arch = 73});
    ASSERT_TRUE(oracle.ok()) << oracle.status();
    oracle_.emplace(*std::move(oracle));
  }
  std::vector<Answer> Ask(const Model& model, const AskOptions& options) {
    auto answers = oracle_->Ask(AllNodes(model), options);
    EXPECT_TRUE(answers.ok()) << answers.status();
    return answers.ok() ? *std::move(answers) : std::vector<Answer>(model.nodes.size());
  }
  // What op validation of the model's only node was given.
  std::string Described(const Model& model) { return Ask(model, {})[0][Stage::kValidate].message; }

  std::optional<Oracle> oracle_;
};

TEST(OracleOpen, SaysWhyALibraryCannotBeUsed) {
  EXPECT_THAT(Oracle::Open("/nonexistent/libQnnHtp.so", {}).status().message(),
              HasSubstr("libQnnHtp.so"));
  EXPECT_THAT(Oracle::Open("libc.so.6", {}).status().message(),
              HasSubstr("no QNN backend library"));
  EXPECT_THAT(Oracle::Open(QUANTGATE_FAKE_BACKEND, {.arch = 66}).status().message(),
              HasSubstr("no device for v66"));
}

TEST_F(OracleTest, NamesTheLibrary) {
  EXPECT_EQ(oracle_->info().backend, "FAKE");
  EXPECT_EQ(oracle_->info().build_id, "fake-1");
}

TEST_F(OracleTest, GoesOnAfterCrashExitAndHang) {
  const Model model = ModelOf({"Accept", "Crash", "Refuse", "Exit", "Hang", "Accept"});
  for (const int jobs : {1, 3}) {
    AskOptions options;
    options.timeout_seconds = 1;
    options.jobs = jobs;
    const auto answers = Ask(model, options);
    std::vector<std::string> said;
    for (const Answer& answer : answers)
      said.push_back(OutcomeText(Stage::kValidate, answer[Stage::kValidate]));
    EXPECT_THAT(said, ::testing::ElementsAre("accepted", "crash SIGFPE", "rejected", "crash exit 7",
                                             "hang", "accepted"));
    EXPECT_EQ(answers[2][Stage::kValidate].code, 0xc26U);
    EXPECT_EQ(answers[2][Stage::kValidate].message, "Rank 2 of x is too high");
  }
}

TEST_F(OracleTest, AnswersManyQuestionsInOrder) {
  std::vector<std::string> ops;
  for (int i = 0; i < 5000; ++i) ops.push_back(i % 7 == 3 ? "Refuse" : "Accept");
  AskOptions options;
  options.jobs = 2;
  const auto answers = Ask(ModelOf(ops), options);
  for (size_t i = 0; i < ops.size(); ++i) {
    ASSERT_EQ(answers[i][Stage::kValidate].outcome,
              ops[i] == "Refuse" ? Outcome::kFails : Outcome::kOk)
        << i;
  }
}

TEST_F(OracleTest, PreparesAcceptedNodesOnly) {
  AskOptions options;
  options.prepare = true;
  const auto answers =
      Ask(ModelOf({"Accept", "Refuse", "AddFails", "FinalizeFails", "FinalizeCrashes"}), options);
  EXPECT_EQ(answers[0][Stage::kPrepare].outcome, Outcome::kOk);
  EXPECT_EQ(answers[1][Stage::kPrepare].outcome, Outcome::kNotQueried);
  EXPECT_EQ(answers[2][Stage::kPrepare].step, "add node");
  EXPECT_EQ(answers[2][Stage::kPrepare].code, 0x1771U);
  EXPECT_EQ(answers[3][Stage::kPrepare].step, "finalize");
  EXPECT_EQ(answers[4][Stage::kPrepare].outcome, Outcome::kCrash);
  EXPECT_EQ(answers[4][Stage::kPrepare].signal, SIGSEGV);
  EXPECT_EQ(answers[4][Stage::kValidate].outcome, Outcome::kOk);
  options.prepare_refused = true;
  EXPECT_EQ(Ask(ModelOf({"Refuse"}), options)[0][Stage::kPrepare].outcome, Outcome::kOk);
  Model sparse = ModelOf({"Accept"});
  sparse.tensors[0].sparse = 2;
  EXPECT_EQ(Ask(sparse, options)[0][Stage::kPrepare].outcome, Outcome::kNotQueried);
}

TEST_F(OracleTest, ExecutesWithGivenAndWithRandomInputs) {
  AskOptions options;
  options.prepare = options.execute = options.keep_data = true;
  options.timeout_seconds = 1;
  Model model = ModelOf({"Accept", "ExecuteHangs"});
  auto answers = Ask(model, options);
  const auto drawn = answers[0].data.at(0);
  EXPECT_EQ(drawn.size(), 4U);
  EXPECT_EQ(answers[0].data.at(1), drawn);
  EXPECT_EQ(answers[1][Stage::kExecute].outcome, Outcome::kHang);
  model.nodes.pop_back();
  EXPECT_EQ(Ask(model, options)[0].data.at(0), drawn);
  options.seed = 2;
  EXPECT_NE(Ask(model, options)[0].data.at(0), drawn);

  model.tensors[0].values = std::make_shared<TensorValues>(TensorValues{{1, 2, 3, 255}, {}});
  answers = Ask(model, options);
  EXPECT_EQ(answers[0].data.at(1), (std::vector<uint8_t>{1, 2, 3, 255}));
  EXPECT_THAT(AnswerLine("f.jsonl:1", model, model.nodes[0], answers[0]),
              HasSubstr(R"("y":{"dtype":"UFIXED_POINT_8","dims":[1,4],"values":[1,2,3,255]})"));
}

TEST_F(OracleTest, TurnsZeroPointsIntoOffsets) {
  Model model = ModelOf({"Describe"});
  model.tensors[0].encoding = EncodingOf(EncodingKind::kPerTensor, {128});
  Encoding& encoding = model.tensors[0].encoding.Edit();
  EXPECT_THAT(Described(model), HasSubstr("in t3:x:0x408[1,4] e0(0.5,-128) | "));
  encoding.bitwidth = 8;
  EXPECT_THAT(Described(model), HasSubstr(" e2(8,0.5,-128) | "));
}

TEST_F(OracleTest, SpreadsOneScaleOverAllChannels) {
  Model model = ModelOf({"Describe"});
  model.tensors[0].encoding = EncodingOf(EncodingKind::kPerChannel, {3});
  Encoding& encoding = model.tensors[0].encoding.Edit();
  encoding.axis = 1;
  EXPECT_THAT(Described(model), HasSubstr(" e1(1,0.5:-3,0.5:-3,0.5:-3,0.5:-3)"));
  encoding.scales = {0.5F, 0.25F};
  encoding.zero_points = {};
  encoding.bitwidth = 4;
  EXPECT_THAT(Described(model), HasSubstr(" e3(4,1,0.5:0,0.25:0)"));
}

TEST_F(OracleTest, PassesBlockEncodings) {
  Model model = ModelOf({"Describe"});
  model.tensors[0].encoding = EncodingOf(EncodingKind::kBlock, {1});
  Encoding& encoding = model.tensors[0].encoding.Edit();
  encoding.block_size = {1, 2};
  EXPECT_THAT(Described(model), HasSubstr(" e4(1,2,0.5:-1;0.5:-1;)"));
  encoding.block_size = {2};
  EXPECT_THAT(Ask(model, {})[0].not_queried, HasSubstr("x has a block size of another rank"));

  encoding = EncodingOf(EncodingKind::kLpbq, {});
  encoding.axis = 1;
  encoding.num_blocks = 2;
  encoding.block_scales = {300};
  encoding.block_scale_bitwidth = 4;
  encoding.block_scale_storage_bits = 16;
  EXPECT_THAT(Described(model), HasSubstr(" e5(1,2,4,1,0.5:0,0.5:0,0.5:0,0.5:0;300;300;300;300;300;"
                                          "300;300;300)"));
}

TEST_F(OracleTest, PassesConstantsDynamicDimsAndSparsity) {
  Model model = ModelOf({"Describe"});
  model.tensors[0].is_static = true;
  EXPECT_THAT(Described(model), HasSubstr("in t4:x:0x408[1,4] bytes4=0,0,0,0 | "));
  model.tensors[0].values = std::make_shared<TensorValues>(TensorValues{{7}, {}});
  model.tensors[1].dims = {kDynamicDim, 4};
  EXPECT_THAT(Described(model), HasSubstr("bytes4=7,7,7,7 | out t3:y:0x408[1,4]dynamic10"));
  model.tensors[1].sparse = 2;
  EXPECT_THAT(Described(model), HasSubstr("dynamic10sparse2"));
}

TEST_F(OracleTest, DropsTrailingAbsentInputsAndKeepsGaps) {
  Model model = ModelOf({"Describe"});
  model.nodes[0].inputs = {kNoTensor, 0, kNoTensor};
  EXPECT_THAT(Described(model), ::testing::StartsWith("in t5 | in t3:x:0x408[1,4] | out "));
}

TEST_F(OracleTest, PassesParamsWithTheirTypes) {
  Model model = ModelOf({"Describe"});
  model.nodes[0].params = {{"a", IntParam{-1}},
                           {"b", UintParam{3}},
                           {"c", 0.5},
                           {"d", true},
                           {"e", TensorParam{Dtype::kUint32, {2}, {1, 2}, {}}}};
  EXPECT_THAT(Described(model), HasSubstr("a 0x32=-1 | b 0x132=3 | c 0x232=0.5 | d 0x508=1 | "
                                          "e t4:e:0x132[2] bytes8=1,0,0,0,2,0,0,0"));
  model.nodes[0].params = {{"f", std::string("text")}};
  EXPECT_THAT(Ask(model, {})[0].not_queried, HasSubstr("f has a value that QNN params do not have"));
}

TEST_F(OracleTest, DoesNotAskWhatTheInterfaceCannotSay) {
  Model model = ModelOf({"Accept", "Accept"});
  model.nodes[1].dialect = Dialect::kOnnx;
  EXPECT_THAT(Ask(model, {})[1].not_queried, HasSubstr("only nodes of QNN models"));
  model.tensors[0].unknown_rank = true;
  EXPECT_THAT(Ask(model, {})[0].not_queried, HasSubstr("x has no known rank"));
  model.tensors[0].unknown_rank = false;
  model.tensors[1].dtype = Dtype::kUndefined;
  EXPECT_THAT(Ask(model, {})[0].not_queried, HasSubstr("y has no dtype"));
  model.tensors[1].dtype = Dtype::kUfixedPoint8;
  model.tensors[1].dims = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_THAT(Ask(model, {})[0].not_queried, HasSubstr("y is too large"));
}

TEST(TensorData, HalvesSurviveTheRoundTrip) {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 0x7C00) == 0x7C00 && (half & 0x3FF)) continue;  // NaN
    EXPECT_EQ(HalfFromFloat(FloatFromHalf(static_cast<uint16_t>(half))), half);
  }
  EXPECT_EQ(HalfFromFloat(1.0F), 0x3C00);
  EXPECT_EQ(HalfFromFloat(65519.9F), 0x7BFF);
  EXPECT_EQ(HalfFromFloat(65520.0F), 0x7C00);
  EXPECT_EQ(HalfFromFloat(1.0F + 1.0F / 2048), 0x3C00);  // a tie goes to even
  EXPECT_EQ(HalfFromFloat(1.0F + 3.0F / 2048), 0x3C02);
}

TEST(TensorData, PacksAndUnpacksSignedValues) {
  const TensorValues values{{-1, 5, -32768}, {}};
  EXPECT_EQ(UnpackValues(PackValues(values, Dtype::kSfixedPoint16, 3), Dtype::kSfixedPoint16).ints,
            values.ints);
  EXPECT_EQ(UnpackValues(PackValues({{}, {0.5}}, Dtype::kFloat16, 2), Dtype::kFloat16).reals,
            (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(UnpackValues(PackValues({{9}, {}}, Dtype::kInt64, 1), Dtype::kInt64).ints,
            (std::vector<int64_t>{9}));
}

TEST(TensorData, RandomBiasesAreOfTheSizeOfASumOfProducts) {
  Tensor bias;
  bias.dtype = Dtype::kSfixedPoint32;
  int64_t low = 0, high = 0;
  for (const int64_t value : UnpackValues(RandomValues(bias, 1000, 5), bias.dtype).ints) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_GE(low, -(int64_t{1} << 18));
  EXPECT_LT(low, -(int64_t{1} << 17));
  EXPECT_LE(high, int64_t{1} << 18);
  EXPECT_GT(high, int64_t{1} << 17);
}

TEST(TensorData, RandomValuesStayWithinTheBitwidth) {
  Tensor tensor;
  tensor.dtype = Dtype::kSfixedPoint8;
  tensor.encoding.Edit().bitwidth = 4;
  for (const int64_t value : UnpackValues(RandomValues(tensor, 1000, 5), tensor.dtype).ints) {
    EXPECT_GE(value, -8);
    EXPECT_LE(value, 7);
  }
}

}  // namespace
}  // namespace quantgate::verify
