#include "core/base/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace quantgate {
namespace {

constexpr std::array<std::string_view, 5> kOps = {"Conv2d", "Conv3d", "Concat", "MatMul",
                                                  "DepthWiseConv2d"};

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(EditDistance("conv", "conv", 3), 0u);
  EXPECT_EQ(EditDistance("Conv", "cONV", 3), 0u);
  EXPECT_EQ(EditDistance("conv", "convs", 3), 1u);
  EXPECT_EQ(EditDistance("conv", "covn", 3), 1u);
  EXPECT_EQ(EditDistance("", "abc", 3), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting", 4), 3u);
}

TEST(EditDistance, StopsAboveTheLimit) {
  EXPECT_EQ(EditDistance("kitten", "sitting", 2), 3u);
  EXPECT_EQ(EditDistance("a", "abcdefgh", 2), 3u);
  EXPECT_EQ(EditDistance(std::string(1 << 20, 'a'), std::string(1 << 20, 'b'), 3), 4u);
}

TEST(Nearest, NearestFirst) {
  EXPECT_EQ(Nearest("Conv2d", kOps), (std::vector<std::string>{"Conv2d", "Conv3d"}));
  EXPECT_EQ(Nearest("matmull", kOps), std::vector<std::string>{"MatMul"});
  EXPECT_TRUE(Nearest("Softmax", kOps).empty());
  EXPECT_TRUE(Nearest("", kOps).empty());
}

TEST(Nearest, BeginningsCount) {
  EXPECT_EQ(Nearest("Dep", kOps), std::vector<std::string>{"DepthWiseConv2d"});
  EXPECT_EQ(Nearest("conv", kOps, 2), (std::vector<std::string>{"Conv2d", "Conv3d"}));
}

TEST(DidYouMean, ReadsAsAQuestion) {
  EXPECT_EQ(DidYouMean("MatMull", kOps), " (did you mean MatMul?)");
  EXPECT_EQ(DidYouMean("Conv4d", kOps), " (did you mean Conv2d or Conv3d?)");
  EXPECT_EQ(DidYouMean("Softmax", kOps), "");
  EXPECT_EQ(DidYouMeanOf("v7", std::vector<std::string>{"v73", "v68"}), " (did you mean v73?)");
}

}  // namespace
}  // namespace quantgate
