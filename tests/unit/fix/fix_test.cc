// Parts of core/fix below the command line: stored integers, messages, edits of findings.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/wire.h"
#include "core/fix/requantize.h"
#include "core/safety/coding.h"
#include "core/safety/wanted_coding.h"

namespace quantgate::fix {
namespace {

Coding PerTensor(Dtype dtype, float scale, int32_t zero) {
  Coding coding;
  coding.dtype = dtype;
  coding.encoding.Edit().kind = EncodingKind::kPerTensor;
  coding.encoding.Edit().scales.push_back(scale);
  coding.encoding.Edit().zero_points.push_back(zero);
  return coding;
}

TEST(Coding, OtherSignIsItsOwnInverse) {
  const Coding u8 = PerTensor(Dtype::kUfixedPoint8, 0.5F, 127);
  const Coding s8 = OtherSign(u8);
  EXPECT_EQ(s8.dtype, Dtype::kSfixedPoint8);
  EXPECT_EQ(s8.encoding->zero_points[0], -1);
  EXPECT_TRUE(Same(OtherSign(s8), u8));
  const Coding s32 = PerTensor(Dtype::kSfixedPoint32, 0.5F, 0);
  EXPECT_TRUE(Same(OtherSign(s32), s32));
}

TEST(Coding, OneEntryStandsForAll) {
  Coding one = PerTensor(Dtype::kSfixedPoint8, 0.5F, 0), many = one;
  one.encoding.Edit().kind = many.encoding.Edit().kind = EncodingKind::kPerChannel;
  many.encoding.Edit().scales.assign(3, 0.5F);
  many.encoding.Edit().zero_points.clear();
  EXPECT_TRUE(Same(one, many));
  many.encoding.Edit().scales[2] = 0.25F;
  EXPECT_FALSE(Same(one, many));
}

TEST(Requantizer, EveryIntegerKeepsItsValueInTheOtherSign) {
  const Coding from = PerTensor(Dtype::kUfixedPoint8, 0.1F, 7);
  std::string problem;
  const auto to_signed = Requantizer::Make(from, OtherSign(from), {}, &problem);
  ASSERT_TRUE(to_signed) << problem;
  EXPECT_TRUE(to_signed->shifts_only());
  for (int64_t stored = 0; stored < 256; ++stored) {
    EXPECT_EQ(to_signed->Map(stored, 0), stored - 128);
    EXPECT_EQ(to_signed->Error(stored, 0), 0);
  }
}

TEST(Requantizer, NoValueMovesByMoreThanHalfAStep) {
  Coding from = PerTensor(Dtype::kSfixedPoint8, 0.1F, 3), to = from;
  from.encoding.Edit().kind = to.encoding.Edit().kind = EncodingKind::kPerChannel;
  from.encoding.Edit().axis = to.encoding.Edit().axis = 1;
  from.encoding.Edit().scales.assign({0.1F, 0.3F});
  to.encoding.Edit().scales.assign({0.11F, 0.31F});
  to.encoding.Edit().zero_points.assign(1, 0);
  std::string problem;
  const std::vector<int64_t> dims = {4, 2, 3};
  const auto requantizer = Requantizer::Make(from, to, dims, &problem);
  ASSERT_TRUE(requantizer) << problem;
  EXPECT_FALSE(requantizer->shifts_only());
  EXPECT_FALSE(requantizer->finer());
  for (int64_t element = 0; element < 24; ++element) {
    const bool second = element / 3 % 2 == 1;
    for (int64_t stored = -100; stored <= 100; ++stored) {
      EXPECT_LE(requantizer->Error(stored, element), (second ? 0.31 : 0.11) / 2 + 1e-9);
    }
  }
  EXPECT_FLOAT_EQ(static_cast<float>(requantizer->bound()), 0.155F);
}

TEST(Requantizer, RefusesWhatHasNoMeaning) {
  std::string problem;
  const Coding good = PerTensor(Dtype::kSfixedPoint8, 0.1F, 0);
  EXPECT_FALSE(Requantizer::Make(good, PerTensor(Dtype::kSfixedPoint8, 0.0F, 0), {}, &problem));
  EXPECT_NE(problem.find("above 0"), std::string::npos);
  Coding channels = good;
  channels.encoding.Edit().kind = EncodingKind::kPerChannel;
  channels.encoding.Edit().scales.assign(3, 0.1F);
  const std::vector<int64_t> dims = {2, 4};
  EXPECT_FALSE(Requantizer::Make(channels, good, dims, &problem));
  EXPECT_NE(problem.find("shape"), std::string::npos);
}

TEST(WantedCoding, TakesTheEditsOfAFindingOrNothing) {
  const Coding now = PerTensor(Dtype::kUfixedPoint8, 0.1F, 3);
  Fix fix;
  fix.edits = {{"set", "tensors/a/b/encoding/perTensor/scale", "0.25"},
               {"set", "tensors/a/b/encoding/perTensor/zeroPoint", "7"}};
  const auto wanted = WantedCoding(fix, "a/b", now);
  ASSERT_TRUE(wanted);
  EXPECT_TRUE(Same(*wanted, PerTensor(Dtype::kUfixedPoint8, 0.25F, 7)));
  EXPECT_FALSE(WantedCoding(fix, "a", now));
  fix.edits.push_back({"set", "tensors/a/b/encoding/lpbq/scales", "[1]"});
  EXPECT_FALSE(WantedCoding(fix, "a/b", now));
  fix.edits = {{"set", "tensors/a/b/dtype", "\"SFIXED_POINT_8\""}};
  ASSERT_TRUE(WantedCoding(fix, "a/b", now));
  EXPECT_EQ(WantedCoding(fix, "a/b", now)->encoding->zero_points[0], 3 - 128);
  fix.edits = {{"set", "tensors/a/b/dtype", "\"UFIXED_POINT_16\""}};
  EXPECT_FALSE(WantedCoding(fix, "a/b", now));
}

TEST(Wire, FieldsComeOutAsTheyWentIn) {
  const std::string inner = VarintField(1, -1) + BytesField(2000, "unknown");
  const std::string message = BytesField(7, inner) + VarintField(8, 300) + BytesField(9, "");
  std::string out;
  Rope rope;
  ForEachWireField(message, [&](const Field& field) { rope.Add(field.whole); });
  rope.Write([&](std::string_view part) { out += part; });
  EXPECT_EQ(out, message);
  EXPECT_EQ(rope.size(), message.size());
}

TEST(Wire, LongPartsAreMadeWhenTheyAreWritten) {
  Rope content;
  content.AddOwned("ab");
  content.AddLater(3, [](const Rope::Sink& sink) {
    sink("c");
    sink("de");
  });
  const Rope field = MessageField(5, std::move(content));
  std::string out;
  field.Write([&](std::string_view part) { out += part; });
  EXPECT_EQ(out, BytesField(5, "abcde"));
  EXPECT_EQ(field.size(), out.size());
}

TEST(Wire, BrokenMessagesThrow) {
  EXPECT_THROW(ForEachWireField("\x3a\x7f", [](const Field&) {}), protozero::exception);
}

}  // namespace
}  // namespace quantgate::fix
