#include "server/base/grouped.h"

#include "gtest/gtest.h"

namespace tryon {
namespace {

TEST(Grouped, HoldsEveryIndexInItsGroupAscending) {
  const Grouped g = grouped(4, {2, 0, 2, 3, 0, 2});
  EXPECT_EQ(g.begin, (std::vector<int>{0, 2, 2, 5, 6}));
  EXPECT_EQ(g.member, (std::vector<int>{1, 4, 0, 2, 5, 3}));
}

TEST(Grouped, OfNothingIsEmptyGroups) {
  EXPECT_EQ(grouped(2, {}).begin, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(grouped(0, {}).begin, (std::vector<int>{0}));
}

}  // namespace
}  // namespace tryon
