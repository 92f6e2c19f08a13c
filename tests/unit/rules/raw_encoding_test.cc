// Encodings as a library reads them that doesn't look at their kind.
#include "core/rules/support/raw_encoding.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace quantgate::rules {
namespace {

Tensor Of(EncodingKind kind, float scale, int32_t zero_point, int32_t bitwidth = 0) {
  Tensor tensor;
  tensor.dims = {2, 4};
  tensor.dtype = Dtype::kUfixedPoint8;
  tensor.encoding.Edit().kind = kind;
  tensor.encoding.Edit().bitwidth = bitwidth;
  tensor.encoding.Edit().axis = 1;
  if (kind == EncodingKind::kNone) return tensor;
  tensor.encoding.Edit().scales = {scale};
  tensor.encoding.Edit().zero_points = {zero_point};
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

TEST(RawEncoding, OneEntryStandsForTheWholeAxis) {
  Tensor tensor = Of(kPerChannel, 0.02F, 0);  // of [2, 4]
  for (const auto& [axis, channels] : {std::pair{0, 2}, {1, 4}, {-1, 4}, {-2, 2}}) {
    tensor.encoding.Edit().axis = axis;
    EXPECT_EQ(RawOffset(tensor), channels) << axis;
  }
  // Where there is no such axis the entries are all there is.
  for (const int axis : {2, -3}) {
    tensor.encoding.Edit().axis = axis;
    EXPECT_EQ(RawOffset(tensor), 1) << axis;
  }
  tensor.encoding.Edit().axis = 1;
  tensor.encoding.Edit().scales = {0.02F, 0.03F, 0.04F};
  EXPECT_EQ(RawOffset(tensor), 3);
}

TEST(RawEncoding, EveryEntryCounts) {
  Tensor a = Of(kPerChannel, 0.02F, 0), b = a;
  a.encoding.Edit().scales = b.encoding.Edit().scales = {1.0F, 2.0F, 3.0F, 4.0F};
  a.encoding.Edit().zero_points = b.encoding.Edit().zero_points = {0, 1, 2, 3};
  EXPECT_TRUE(SameRaw(a, b));
  b.encoding.Edit().scales[3] = 5.0F;
  EXPECT_FALSE(SameRaw(a, b));
  b.encoding.Edit().scales[3] = 4.0F;
  b.encoding.Edit().zero_points[3] = 0;
  EXPECT_FALSE(SameRaw(a, b));
  // Of one count as written, of another on the axis.
  b = Of(kPerChannel, 1.0F, 0);
  a = b;
  a.dims = {2, 8};
  EXPECT_FALSE(SameRaw(a, b));
  EXPECT_FALSE(SameInFormOf(a, b));
}

TEST(RawEncoding, AScaleIsReadFromScaleOffsetAlone) {
  // The other kinds have a tiny number there, which is 0 as a whole one.
  EXPECT_FALSE(SameRaw(Of(kNone, 0, 0), Of(kPerTensor, 1.5F, 0)));
  const Tensor narrow = Of(kPerTensor, 1.0F, 0, 8), wide = Of(kPerTensor, 0.5F, -0x3F800000);
  ASSERT_EQ(RawOffset(narrow), RawOffset(wide));
  EXPECT_TRUE(SameRaw(narrow, wide));
  EXPECT_FALSE(SameRaw(narrow, Of(kPerTensor, 2.0F, -0x3F800000)));
  EXPECT_TRUE(SameInFormOf(Of(kPerTensor, 0.5F, 0), Of(kNone, 0, 0)));
  EXPECT_FALSE(SameInFormOf(Of(kPerTensor, 1.5F, 0), Of(kNone, 0, 0)));
  EXPECT_FALSE(SameInFormOf(Of(kPerTensor, 0.5F, 0), Of(kPerTensor, 1.5F, 0)));
}

TEST(RawEncoding, ACountBehindTheWordIsNoScale) {
  // Axis 0 of 4 bits a channel: the word is 0, as it is without an encoding.
  Tensor narrow = Of(kPerChannel, 0.02F, 0, 4);
  narrow.encoding.Edit().axis = 0;
  ASSERT_EQ(RawOffset(narrow), 0);
  EXPECT_FALSE(SameRaw(narrow, Of(kNone, 0, 0)));
  EXPECT_FALSE(SameRaw(Of(kNone, 0, 0), narrow));
  EXPECT_TRUE(SameRaw(narrow, narrow));
  // 4 channels and an offset of 4 are one word, and no count is behind it.
  EXPECT_TRUE(SameRaw(Of(kPerChannel, 0.02F, 0), Of(kPerTensor, 0.02F, -4)));
}

TEST(RawEncoding, WhatDoesNotFit64BitsIsTheirSmallest) {
  EXPECT_TRUE(SameRaw(Of(kPerTensor, 9223372036854775808.0F, 3), Of(kPerTensor, 0, 3)));
  EXPECT_FALSE(SameRaw(Of(kPerTensor, 4294967040.0F, 3), Of(kPerTensor, 0, 3)));
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
