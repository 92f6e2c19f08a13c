// What is tried for a refused op, and what of it is reported. Against ops made up for this.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "quantgate/target.h"
#include "quantgate/validator.h"
#include "tests/unit/support/made_up_database.h"
#include "tests/unit/support/one_node.h"

namespace quantgate {
namespace {

// Takes 8-bit numbers of three kinds.
constexpr const char* kNear = R"(rows: {documented: {A.1: I8|U8|S8 U8}}
)";
constexpr const char* kCopy = R"(rows: {documented: {A.1: U8|S8 U8}}
documented: {out0 same: {same_encoding: in0}}
)";
// Wrong with asymmetric results, and refused where the input differs from them.
constexpr const char* kEven = R"(documented:
  in0 same: {same_encoding: out0}
  out0 symmetric: {breach: wrong_values}
)";
constexpr const char* kTwice = R"(documented ..3.0:
  in0 in: symmetric
  out0 out: symmetric
)";
constexpr const char* kLater = R"(documented ..3.0: {in0 in: symmetric}
documented: {out0 out: {symmetric: ~, breach: wrong_values}}
)";
constexpr const char* kBoth = R"(documented:
  in0 in: symmetric
  out0 out: {symmetric: ~, breach: wrong_values}
)";

const Database& Toy() {
  static const Database database =
      MadeUpDatabase("suggestions_test", {{"Near", kOneInOneOut + kNear},
                                       {"Copy", kOneInOneOut + kCopy},
                                       {"Even", kByteInByteOut + kEven},
                                       {"Twice", kByteInByteOut + kTwice},
                                       {"Later", kByteInByteOut + kLater},
                                       {"Both", kByteInByteOut + kBoth}});
  return database;
}

Tensor Of(const char* name, Dtype dtype, float scale, int32_t zero_point) {
  Tensor t = PerTensor(dtype, {1, 2, 4}, scale, zero_point);
  t.name = name;
  return t;
}

std::vector<Finding> Findings(const char* op, const Tensor& in, const Tensor& out) {
  const auto target = Target::Parse({.backend = "toy", .sdk = "2.0"}, Toy());
  return Validator(*target, {.suggest = true}, Toy()).Check(OneNode(op, {in, out})).findings;
}

std::vector<Fix> Ways(const char* op, const Tensor& in, const Tensor& out) {
  std::vector<Fix> fixes;
  for (const Finding& f : Findings(op, in, out)) {
    fixes.insert(fixes.end(), f.fixes.begin(), f.fixes.end());
  }
  return fixes;
}

std::vector<std::string> Words(const std::vector<Fix>& fixes) {
  std::vector<std::string> words;
  for (const Fix& fix : fixes) words.push_back(fix.summary);
  return words;
}

bool Contains(const std::vector<std::string>& words, const char* text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr Dtype kU8 = Dtype::kUfixedPoint8, kS8 = Dtype::kSfixedPoint8;
constexpr Dtype kS16 = Dtype::kSfixedPoint16;

TEST(Suggestions, TheNearestDatatypeIsOfTheSameClass) {
  const auto ways = Ways("Near", Of("x", kS16, 1, 0), Of("y", kU8, 1, 128));
  ASSERT_EQ(Words(ways), std::vector<std::string>{"make in[0] SFIXED_POINT_8 (row A.1)"});
  EXPECT_EQ(ways[0].edits[0].path, "tensors/x/dtype");
  EXPECT_EQ(ways[0].edits[0].value, "\"SFIXED_POINT_8\"");
}

TEST(Suggestions, TheEncodingOfTheInput) {
  const char* const words = "give out[0] the encoding of in[0]";
  const auto zero_point = Ways("Copy", Of("x", kU8, 1, 100), Of("y", kU8, 1, 3));
  ASSERT_EQ(Words(zero_point), std::vector<std::string>{"give \"y\" the encoding of \"x\""});
  EXPECT_EQ(zero_point[0].edits[0].path, "tensors/y/encoding/perTensor/zeroPoint");
  EXPECT_EQ(zero_point[0].edits[0].value, "100");
  // Two edits by the rule, one in words here.
  EXPECT_TRUE(Contains(Words(Ways("Copy", Of("x", kU8, 2, 100), Of("y", kU8, 1, 3))), words));
  // Of another datatype it says nothing.
  EXPECT_FALSE(Contains(Words(Ways("Copy", Of("x", kS8, 2, 100), Of("y", kU8, 1, 3))), words));
}

TEST(Suggestions, AChangeWhereOnlyNumbersAreWrong) {
  const auto ways = Words(Ways("Even", Of("x", kU8, 1, 128), Of("y", kU8, 1, 3)));
  EXPECT_TRUE(Contains(ways, "quantize out[0] symmetric")) << testing::PrintToString(ways);
}

TEST(Suggestions, NoneThatLeavesWrongNumbers) {
  const auto ways = Words(Ways("Both", Of("x", kU8, 1, 3), Of("y", kU8, 1, 3)));
  EXPECT_FALSE(Contains(ways, "quantize in[0] symmetric")) << testing::PrintToString(ways);
  const auto later = Words(Ways("Later", Of("x", kU8, 1, 3), Of("y", kU8, 1, 3)));
  EXPECT_FALSE(Contains(later, "use SDK 3.0 or later")) << testing::PrintToString(later);
}

TEST(Suggestions, OfFindingsThatAreEquallyBadTheFirstHasThem) {
  const auto findings = Findings("Twice", Of("x", kU8, 1, 3), Of("y", kU8, 1, 3));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_TRUE(Contains(Words(findings[0].fixes), "use SDK 3.0 or later"));
  EXPECT_FALSE(Contains(Words(findings[1].fixes), "use SDK 3.0 or later"));
}

}  // namespace
}  // namespace quantgate
