#include "client/lib/load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>

#include "absl/time/clock.h"
#include "server/base/status.h"

namespace tryon::client {
namespace {

TEST(Load, QuantilesAreTheNearestRanksOfWhatSucceeded) {
  std::vector<double> seconds(200);
  std::iota(seconds.rbegin(), seconds.rend(), 1.0);  // 200 .. 1
  const LoadWindow w = window_of(seconds, {{"BUSY", 3}}, 50.0);
  EXPECT_EQ(w.calls, 203);
  EXPECT_EQ(w.failed(), 3);
  EXPECT_DOUBLE_EQ(w.per_second, 4.0) << "failures are no throughput";
  EXPECT_DOUBLE_EQ(w.mean_s, 100.5);
  EXPECT_EQ(w.p50_s, 100.0);
  EXPECT_EQ(w.p95_s, 190.0);
  EXPECT_EQ(w.p99_s, 198.0);
  EXPECT_EQ(w.max_s, 200.0);
  EXPECT_EQ(window_of({}, {}, 1.0).p99_s, 0.0);
  EXPECT_EQ(window_of({7.0}, {}, 1.0).p50_s, 7.0);
}

TEST(Load, CallsAreDueAtARateOrAfterGapsThatComeAgain) {
  LoadPlan plan;
  plan.per_second = 4.0;
  EXPECT_EQ(due_s(plan, 0), 0.0);
  EXPECT_EQ(due_s(plan, 10), 2.5);
  plan.gaps = {0.5, 0.25};
  const double due[] = {0.0, 0.5, 0.75, 1.25, 1.5};
  for (int i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(due_s(plan, i), due[i]);
}

TEST(Load, ThreeWindowsAgreeInBothCallsASecondAndP95) {
  const auto window = [](double rate, double p95) {
    LoadWindow w;
    w.per_second = rate, w.p95_s = p95;
    return w;
  };
  EXPECT_FALSE(agree({window(10, 1), window(10, 1)}, 0.1)) << "two are too few";
  EXPECT_TRUE(agree({window(99, 9), window(10, 1), window(10.5, 1), window(9.5, 1.05)}, 0.1)) << "the first is past";
  EXPECT_FALSE(agree({window(10, 1), window(13, 1), window(10, 1)}, 0.1));
  EXPECT_FALSE(agree({window(10, 1), window(10, 1), window(10, 1.5)}, 0.1));
  EXPECT_FALSE(agree({window(0, 0), window(0, 0), window(0, 0)}, 0.1)) << "nothing is no agreement";
}

TEST(Load, EveryCallHasItsNumberAndNoMoreRunAtOnceThanAllowed) {
  LoadPlan plan;
  plan.callers = 3, plan.window_calls = 50, plan.most_windows = 2, plan.agree = -1.0;
  std::mutex mutex;
  std::multiset<int64_t> numbers;
  std::atomic<int> now = 0, most = 0;
  int windows = 0;
  const LoadReport report = run_load(
      plan,
      [&](int64_t number) {
        int others = ++now;
        for (int before = most; before < others && !most.compare_exchange_weak(before, others);) {
        }
        {
          std::lock_guard lock(mutex);
          numbers.insert(number);
        }
        --now;
        return number % 10 == 0 ? invalid_input("BUSY", "", "busy", "") : absl::OkStatus();
      },
      [&](const LoadWindow&) { ++windows; }, {});
  EXPECT_LE(most, 3);
  EXPECT_EQ(windows, 2);
  EXPECT_FALSE(report.stable);
  ASSERT_EQ(report.windows.size(), 2u);
  EXPECT_GE(report.all.calls, 100);
  EXPECT_EQ(report.all.calls, report.windows[0].calls + report.windows[1].calls);
  EXPECT_EQ(report.all.failures.size(), 1u);
  EXPECT_GE(report.all.failures.at("BUSY"), report.all.calls / 10 - 1);
  int64_t expected = 0;
  for (const int64_t number : numbers) EXPECT_EQ(number, expected++);
}

// A caller that is late because those before took long has waited: lower bounds, which a slow machine only raises.
TEST(Load, WithARateTimeCountsFromWhenACallWasDue) {
  constexpr int kCalls = 20;
  LoadPlan plan;
  plan.per_second = 1000.0, plan.callers = 1, plan.window_calls = kCalls, plan.most_windows = 1;
  const LoadReport report = run_load(plan,
                                     [](int64_t) {
                                       absl::SleepFor(absl::Milliseconds(5));
                                       return absl::OkStatus();
                                     },
                                     {}, {});
  EXPECT_GE(report.all.max_s, kCalls * 0.005 - (kCalls - 1) * 0.001);
  EXPECT_GE(report.all.p50_s, 0.04);
}

TEST(Load, ItEndsWhenItIsTold) {
  CancelFlag stop;
  LoadPlan plan;
  plan.per_second = 0.001, plan.window_s = 3600.0;  // the second call would be due after a quarter of an hour
  const LoadReport report = run_load(
      plan,
      [&](int64_t) {
        stop.cancel();
        return absl::OkStatus();
      },
      {}, stop);
  EXPECT_LE(report.all.calls, 1);
}

}  // namespace
}  // namespace tryon::client
