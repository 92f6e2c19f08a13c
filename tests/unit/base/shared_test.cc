#include "quantgate/shared.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "quantgate/model.h"

namespace quantgate {
namespace {

using Numbers = Shared<std::vector<int>>;

TEST(SharedTest, IsTheDefaultValueWithoutOne) {
  const Numbers none;
  EXPECT_TRUE(none->empty());
  EXPECT_TRUE(none.SharesWith(Numbers()));
  EXPECT_EQ(none, Numbers(std::vector<int>{}));
}

TEST(SharedTest, EditsOneCopyAlone) {
  Numbers a = std::vector<int>{1, 2};
  const Numbers b = a;
  EXPECT_TRUE(a.SharesWith(b));
  a.Edit().push_back(3);
  EXPECT_FALSE(a.SharesWith(b));
  EXPECT_EQ(*a, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(*b, (std::vector<int>{1, 2}));
}

TEST(SharedTest, EditsInPlaceWhatNobodyElseHas) {
  Numbers a = std::vector<int>{1, 2};
  const std::vector<int>* const before = &*a;
  { const Numbers gone = a; }
  a.Edit().push_back(3);
  EXPECT_EQ(&*a, before);
}

TEST(SharedTest, EditsADefaultOne) {
  Numbers a;
  a.Edit().push_back(1);
  EXPECT_EQ(*a, std::vector<int>{1});
  EXPECT_TRUE(Numbers()->empty());
}

TEST(SharedTest, ComparesValues) {
  const Numbers a = std::vector<int>{1};
  EXPECT_EQ(a, Numbers(std::vector<int>{1}));
  EXPECT_NE(a, Numbers(std::vector<int>{2}));
  EXPECT_NE(a, Numbers());
}

TEST(SharedTest, CopiesMayBeMadeAndDroppedByThreads) {
  const Numbers value = std::vector<int>(10, 7);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&value] {
      for (int i = 0; i < 10'000; ++i) {
        Numbers copy = value;
        copy.Edit()[0] = i;
        ASSERT_EQ((*copy)[0], i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*value, std::vector<int>(10, 7));
}

TEST(SharedTest, CopiesOfAModelAreIndependent) {
  Model model;
  Tensor& tensor = model.tensors.emplace_back();
  tensor.encoding.Edit().scales = {0.5F};
  model.nodes.emplace_back().params = {{"axis", IntParam{1}}};
  Model copy = model;
  copy.tensors[0].encoding.Edit().scales = {0.25F};
  copy.nodes[0].params.Edit()[0].value = IntParam{2};
  EXPECT_EQ(model.tensors[0].encoding->scales[0], 0.5F);
  EXPECT_EQ(model.nodes[0].params[0].value, ParamValue(IntParam{1}));
  EXPECT_EQ(copy.nodes[0].params[0].value, ParamValue(IntParam{2}));
}

}  // namespace
}  // namespace quantgate
