#include "server/jobs/fair_share.h"

#include <gtest/gtest.h>

#include <map>

namespace tryon {
namespace {

// Leases `leases` times among tenants that always have a task waiting; how often each was served.
std::map<std::string, int> serve(std::vector<TenantQueue> waiting, int leases, int64_t* clock) {
  std::map<std::string, int> served;
  for (int i = 0; i < leases; ++i) {
    const FairTurn turn = next_turn(waiting, *clock);
    *clock = turn.clock;
    waiting[turn.index].tag = turn.tag;
    ++served[waiting[turn.index].tenant];
  }
  return served;
}

TEST(FairShare, WhoAlwaysAsksGetsTheSameAsEverybodyElse) {
  int64_t clock = 0;
  const auto served = serve({{"a", 0, 1}, {"b", 0, 900}, {"c", 0, 5}}, 300, &clock);
  EXPECT_EQ(served, (std::map<std::string, int>{{"a", 100}, {"b", 100}, {"c", 100}}));
}

TEST(FairShare, OneThatWasAwayComesBackWithoutCredit) {
  int64_t clock = 0;
  serve({{"busy", 0, 1}}, 1000, &clock);
  const auto served = serve({{"busy", 1000, 1}, {"back", 0, 2}}, 10, &clock);
  EXPECT_EQ(served.at("busy"), 5);
  EXPECT_EQ(served.at("back"), 5);
}

TEST(FairShare, AmongEqualsTheOldestTaskAndThenTheNameDecides) {
  EXPECT_EQ(next_turn({{"b", 0, 7}, {"a", 0, 9}}, 0).index, 0u);
  EXPECT_EQ(next_turn({{"b", 0, 7}, {"a", 0, 7}}, 0).index, 1u);
}

}  // namespace
}  // namespace tryon
