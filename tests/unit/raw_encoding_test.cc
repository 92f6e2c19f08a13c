// Encodings as a library reads them that doesn't look at their kind.
#include "core/rules/raw_encoding.h"

#include <gtest/gtest.h>

#include <limits>

namespace quantgate::rules {
namespace {

Tensor Of(EncodingKind kind, float scale, int32_t zero_point, int32_t bitwidth = 0) {
  Tensor tensor;
  tensor.dims = {2, 4};
  tensor.dtype = Dtype::kUfixedPoint8;
  tensor.encoding.kind = kind;
  tensor.encoding.bitwidth = bitwidth;
  tensor.encoding.axis = 1;
  if (kind == EncodingKind::kNone) return tensor;
  tensor.encoding.scales = {scale};
  tensor.encoding.zero_points = {zero_point};
  return tensor;
}

const auto kNone = EncodingKind::kNone;
const auto kPerTensor = EncodingKind::kPerTensor;
const auto kPerChannel = EncodingKind::kPerChannel;
const auto kBlock = EncodingKind::kBlock;
const auto kLpbq = EncodingKind::kLpbq;

TEST(RawEncoding, TheWordOfTheOffsetDependsOnTheKind) {
  EXPECT_EQ(RawOffset(Of(kNone, 0, 0)), 0);
  EXPECT_EQ(RawOffset(Of(kPerTensor, 0.02F, 128)), -128);
  EXPECT_EQ(RawOffset(Of(kPerTensor, 0.02F, 128, 8)), 0x3CA3D70A);
  EXPECT_EQ(RawOffset(Of(kPerChannel, 0.02F, 128)), 4);
  EXPECT_EQ(RawOffset(Of(kPerChannel, 0.02F, 128, 4)), 1);
  EXPECT_EQ(RawOffset(Of(kBlock, 0.02F, 0)), std::nullopt);
}

TEST(RawEncoding, ScalesAreComparedAsWholeNumbers) {
  EXPECT_TRUE(SameRaw(Of(kPerTensor, 0.02F, 3), Of(kPerTensor, 0.9F, 3)));
  EXPECT_FALSE(SameRaw(Of(kPerTensor, 0.02F, 3), Of(kPerTensor, 1.5F, 3)));
  EXPECT_FALSE(SameRaw(Of(kPerTensor, 0.02F, 3), Of(kPerTensor, 3e10F, 3)));
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(SameRaw(Of(kPerTensor, 0.02F, 3), Of(kPerTensor, infinite, 3)));
}

TEST(RawEncoding, KindsAreTakenForEachOther) {
  EXPECT_TRUE(SameRaw(Of(kNone, 0, 0), Of(kPerTensor, 0.02F, 0)));
  EXPECT_FALSE(SameRaw(Of(kNone, 0, 0), Of(kPerTensor, 0.02F, 128)));
  EXPECT_FALSE(SameRaw(Of(kPerChannel, 0.02F, 0), Of(kPerTensor, 0.02F, 0)));
  EXPECT_TRUE(SameRaw(Of(kBlock, 0.02F, 0), Of(kLpbq, 0.02F, 7)));
  EXPECT_FALSE(SameRaw(Of(kBlock, 0.02F, 0), Of(kPerTensor, 0.02F, 0)));
}

TEST(RawEncoding, TheFormOfTheOwnEncodingDecides) {
  EXPECT_TRUE(SameInFormOf(Of(kPerTensor, 0.02F, 5), Of(kPerChannel, 0.02F, 5)));
  EXPECT_FALSE(SameInFormOf(Of(kPerTensor, 0.02F, 5), Of(kLpbq, 0.02F, 0)));
  EXPECT_FALSE(SameInFormOf(Of(kPerChannel, 0.02F, 5), Of(kPerTensor, 0.02F, 5)));
  EXPECT_TRUE(SameInFormOf(Of(kBlock, 0.02F, 5), Of(kPerTensor, 0.02F, 9)));
  EXPECT_TRUE(SameInFormOf(Of(kNone, 0, 0), Of(kPerTensor, 0.02F, 9)));
}

}  // namespace
}  // namespace quantgate::rules
