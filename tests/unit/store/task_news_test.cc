#include "server/store/task_news.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/time/clock.h"

namespace tryon {
namespace {

struct News : TaskNews {
  using TaskNews::heard;
  using TaskNews::heard_of_all;
  using TaskNews::waited_for;
};

absl::Time soon() { return absl::Now() + absl::Milliseconds(20); }

TEST(TaskNews, WhatCameAfterTheMarkIsNewsAndWhatCameBeforeIsNot) {
  News news;
  news.heard("a");
  const int64_t mark = news.mark();
  EXPECT_FALSE(news.wait("a", mark, soon(), absl::InfiniteDuration()));
  news.heard("b");
  EXPECT_FALSE(news.wait("a", mark, soon(), absl::InfiniteDuration()));
  news.heard("a");
  EXPECT_TRUE(news.wait("a", mark, absl::InfiniteFuture(), absl::InfiniteDuration()));
  EXPECT_FALSE(news.wait("c", news.mark(), soon(), absl::InfiniteDuration()));
  news.heard_of_all();
  EXPECT_TRUE(news.wait("c", mark, absl::InfiniteFuture(), absl::InfiniteDuration()));
}

// A wake without news asks whether the waiter has left: here nothing else makes it ask.
TEST(TaskNews, NewsOfATaskWakesItsWaitersAlone) {
  News news;
  const int64_t mark = news.mark();
  std::atomic<int> woken_for_nothing = 0;
  const auto wait_for = [&](const char* id) {
    EXPECT_TRUE(news.wait(id, mark, absl::InfiniteFuture(), {absl::InfiniteDuration(), [&] {
                                                               ++woken_for_nothing;
                                                               return false;
                                                             }}));
  };
  std::thread a([&] { wait_for("a"); }), b1([&] { wait_for("b"); }), b2([&] { wait_for("b"); });
  while (news.waited_for(true).size() < 2) absl::SleepFor(absl::Milliseconds(1));
  for (int i = 0; i < 50; ++i) {
    news.heard("a");
    news.heard("");
    absl::SleepFor(absl::Milliseconds(1));
  }
  a.join();
  EXPECT_EQ(woken_for_nothing, 0);
  news.heard("b");
  b1.join();
  b2.join();
}

TEST(TaskNews, TellsWhoWaitsOnceOrAllAgain) {
  News news;
  const int64_t mark = news.mark();
  std::thread waiter([&] { news.wait("a", mark, absl::InfiniteFuture(), absl::InfiniteDuration()); });
  const std::vector<std::string> a = {"a"};
  while (news.waited_for(false) != a) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_TRUE(news.waited_for(false).empty());
  EXPECT_EQ(news.waited_for(true), a);
  news.heard("a");
  waiter.join();
  EXPECT_TRUE(news.waited_for(true).empty());
}

}  // namespace
}  // namespace tryon
