#include "server/base/executor.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "server/base/run_context.h"

namespace tryon {
namespace {

TEST(Executor, EveryIndexIsVisitedOnceForAnyThreadCount) {
  for (int threads : {1, 2, 7}) {
    Executor executor(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<int> seen(1003, 0);
      executor.parallel_for(1003, 10, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++seen[i];
      });
      EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 1003);
      EXPECT_EQ(*std::max_element(seen.begin(), seen.end()), 1);
    }
  }
}

TEST(Executor, ChunksDoNotDependOnTheThreadCount) {
  auto sums = [](int threads) {
    Executor executor(threads);
    std::vector<double> partial(101, 0.0);
    executor.parallel_for(1003, 10, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) partial[begin / 10] += 1.0 / (1.0 + static_cast<double>(i));
    });
    return partial;
  };
  EXPECT_EQ(sums(1), sums(7));
}

TEST(Executor, ANestedCallRunsInlineAndStillVisitsAll) {
  Executor executor(3);
  std::atomic<int> count{0};
  executor.parallel_for(20, 1,
                        [&](int64_t, int64_t) { executor.parallel_for(10, 1, [&](int64_t, int64_t) { ++count; }); });
  EXPECT_EQ(count.load(), 200);
}

// The first chunk ends only when all others are done: by whoever does not do that one, the first one's own as well.
TEST(Executor, WhoHasDoneItsShareTakesWhatOthersHaveLeft) {
  for (int threads : {2, 3}) {
    Executor executor(threads);
    std::atomic<int> done{0};
    executor.parallel_for(61, 1, [&](int64_t begin, int64_t) {
      while (begin == 0 && done < 60) absl::SleepFor(absl::Microseconds(50));
      ++done;
    });
    EXPECT_EQ(done, 61) << threads << " threads";
  }
}

// Threads look for the next loop before they sleep: neither a loop that comes while they look, nor one that comes
// when they sleep, may be missed or run twice.
TEST(Executor, TinyLoopsOneAfterAnotherAndAfterRestsAreAllWhole) {
  for (int threads : {2, 5}) {
    Executor executor(threads);
    std::vector<int> seen(64, 0);
    for (int loop = 0; loop < 4'000; ++loop) {
      if (loop % 1'000 == 0) absl::SleepFor(absl::Milliseconds(5));
      executor.parallel_for(64, 8, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++seen[i];
      });
    }
    EXPECT_EQ(seen, std::vector<int>(64, 4'000)) << threads << " threads";
  }
}

TEST(Executor, ATaskAsideIsDoneOnceByAThreadOrByWhoeverWantsIt) {
  for (int threads : {1, 2, 4}) {
    Executor executor(threads);
    for (int repeat = 0; repeat < 200; ++repeat) {
      int done[3] = {0, 0, 0};
      std::vector<std::unique_ptr<Aside>> tasks;
      for (int& d : done) tasks.push_back(executor.aside([&d] { ++d; }));
      std::vector<int> seen(64, 0);
      executor.parallel_for(64, 8, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++seen[i];
      });
      EXPECT_EQ(seen, std::vector<int>(64, 1));
      for (auto& task : tasks) task->finish();
      for (const int d : done) EXPECT_EQ(d, 1) << threads << " threads";
    }
  }
}

TEST(Executor, ALoopDoesNotWaitForAThreadThatDoesSomethingAside) {
  Executor executor(2);
  std::atomic<bool> begun{false}, go_on{false};
  const auto task = executor.aside([&] {
    begun = true;
    while (!go_on) absl::SleepFor(absl::Milliseconds(1));
  });
  while (!begun) absl::SleepFor(absl::Milliseconds(1));
  std::atomic<int> count{0};
  executor.parallel_for(20, 1, [&](int64_t, int64_t) { ++count; });  // would never end if it did
  EXPECT_EQ(count.load(), 20);
  go_on = true;
  task->finish();
}

TEST(Executor, NothingOfATaskAsideRunsOnceItsHandleIsGone) {
  Executor executor(2);
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::atomic<int> inside{0};
    {
      const auto task = executor.aside([&inside] {
        ++inside;
        --inside;
      });
      if (repeat % 2 == 0) absl::SleepFor(absl::Microseconds(20));
    }
    EXPECT_EQ(inside.load(), 0);
  }
  const auto alone = Executor(1).aside([] {});
  alone->finish();
}

TEST(RunContext, CancelAndDeadlineAreNoticed) {
  RunContext run;
  EXPECT_TRUE(run.check().ok());
  run.deadline = absl::Now() - absl::Seconds(1);
  EXPECT_EQ(run.check().code(), absl::StatusCode::kDeadlineExceeded);
  run.cancel.cancel();
  EXPECT_EQ(run.check().code(), absl::StatusCode::kCancelled);
}

TEST(RunContext, TheReserveIsAShareOfTheTimeAndNoneWithoutADeadline) {
  RunContext run;
  EXPECT_FALSE(with_reserve(run).winding_up());
  run.deadline = absl::Now() + absl::Hours(1);
  EXPECT_FALSE(run.winding_up());
  EXPECT_EQ(with_reserve(run).reserve, absl::Seconds(15));
  EXPECT_FALSE(with_reserve(run).winding_up());
  run.deadline = absl::Now() + absl::Seconds(2);
  EXPECT_EQ(with_reserve(run).reserve, absl::Seconds(3));
  EXPECT_TRUE(with_reserve(run).winding_up());
  EXPECT_TRUE(with_reserve(run).check().ok());
}

}  // namespace
}  // namespace tryon
