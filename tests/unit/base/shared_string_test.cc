#include "quantgate/shared_string.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"

namespace quantgate {
namespace {

std::string OfSize(size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 26);
  return text;
}

TEST(SharedStringTest, HoldsTextOfAnySize) {
  for (const size_t size : {0, 1, 7, 14, 15, 16, 17, 100, 70'000}) {
    const std::string text = OfSize(size);
    const SharedString shared = text;
    EXPECT_EQ(shared, text) << size;
    EXPECT_EQ(shared.size(), size);
    EXPECT_EQ(shared.empty(), size == 0);
    EXPECT_EQ(shared.view(), text);
    EXPECT_EQ(std::string_view(shared.c_str()), text) << "a 0 is behind it";
  }
}

TEST(SharedStringTest, KeepsZeroBytes) {
  const std::string_view text("a\0b", 3);
  EXPECT_EQ(SharedString(text).view(), text);
  EXPECT_NE(SharedString(text), SharedString("a"));
  EXPECT_NE(SharedString(std::string_view("\0", 1)), SharedString());
}

TEST(SharedStringTest, CopiesShareLongText) {
  const SharedString text = OfSize(40);
  const SharedString copy = text;  // NOLINT: the copy is what is tested
  EXPECT_EQ(copy.data(), text.data());
  EXPECT_EQ(SharedString(OfSize(40)), text);
  EXPECT_NE(SharedString(OfSize(40)).data(), text.data());
}

TEST(SharedStringTest, OutlivesWhatItWasCopiedFrom) {
  for (const size_t size : {3, 40}) {
    SharedString copy;
    {
      const SharedString text = OfSize(size);
      copy = text;
    }
    EXPECT_EQ(copy, OfSize(size));
    SharedString moved = std::move(copy);
    EXPECT_EQ(moved, OfSize(size));
    moved = moved.view();  // of itself
    EXPECT_EQ(moved, OfSize(size));
    moved = SharedString("short");
    EXPECT_EQ(moved, "short");
  }
}

TEST(SharedStringTest, AppendingLeavesCopiesAsTheyAre) {
  for (const size_t size : {3, 14, 40}) {
    SharedString text = OfSize(size);
    const SharedString copy = text;  // NOLINT
    text += "++";
    EXPECT_EQ(text, OfSize(size) + "++");
    EXPECT_EQ(copy, OfSize(size));
  }
}

TEST(SharedStringTest, ComparesAsText) {
  EXPECT_LT(SharedString("a"), SharedString("b"));
  EXPECT_LT(SharedString("a"), SharedString(OfSize(20)));
  EXPECT_LT(SharedString(OfSize(20)), SharedString("b"));
  EXPECT_EQ(SharedString("same"), std::string_view("same"));
  EXPECT_EQ("same", SharedString("same"));
  EXPECT_NE(SharedString("same"), std::string("other"));
  EXPECT_EQ(absl::HashOf(SharedString(OfSize(40))), absl::HashOf(SharedString(OfSize(40))));
  EXPECT_NE(absl::HashOf(SharedString("a")), absl::HashOf(SharedString("b")));
}

TEST(SharedStringTest, CopiesMayBeMadeAndDroppedByThreads) {
  const SharedString text = OfSize(100);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&text] {
      for (int i = 0; i < 10'000; ++i) {
        const std::vector<SharedString> copies(4, text);
        ASSERT_EQ(copies[3].size(), 100U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(text, OfSize(100));
}

}  // namespace
}  // namespace quantgate
