#include "server/service/statistics.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/time/clock.h"

namespace tryon {
namespace {

FinishedTask finished(const std::string& kind, const std::string& outcome, double queue_s, double run_s) {
  FinishedTask task;
  task.kind = kind, task.outcome = outcome;
  task.queue_seconds = queue_s, task.run_seconds = run_s;
  task.stage_seconds = {{"sew", 0.25 * run_s}, {"drape", 0.75 * run_s}};
  return task;
}

TEST(Statistics, AreSumsByKindAndOutcome) {
  Statistics statistics(absl::FromUnixSeconds(1000));
  for (const char* outcome : {"succeeded", "succeeded", "unsettled", "failed", "cancelled"})
    statistics.count("", finished("drape", outcome, 0.5, 4.0));
  statistics.count("", finished("body", "succeeded", 1.0, 2.0));
  const v1::GetStatisticsResponse all = statistics.of("");
  EXPECT_EQ(all.start_time().seconds(), 1000);
  ASSERT_EQ(all.tasks_size(), 2);
  EXPECT_EQ(all.tasks(0).kind(), "body");
  const v1::TaskStatistics& drapes = all.tasks(1);
  EXPECT_EQ(drapes.succeeded_count(), 2);
  EXPECT_EQ(drapes.unsettled_count(), 1);
  EXPECT_EQ(drapes.failed_count(), 1);
  EXPECT_EQ(drapes.cancelled_count(), 1);
  EXPECT_DOUBLE_EQ(drapes.queue_seconds(), 2.5);
  EXPECT_DOUBLE_EQ(drapes.run_seconds(), 20.0);
  EXPECT_DOUBLE_EQ(drapes.stage_seconds().at("sew"), 5.0);
  EXPECT_DOUBLE_EQ(drapes.stage_seconds().at("drape"), 15.0);
}

TEST(Statistics, ATenantSeesItsOwnAlone) {
  Statistics statistics(absl::Now());
  statistics.count("shop", finished("drape", "succeeded", 0.0, 1.0));
  EXPECT_EQ(statistics.of("shop").tasks_size(), 1);
  EXPECT_EQ(statistics.of("other").tasks_size(), 0);
  EXPECT_EQ(statistics.of("").tasks_size(), 0);
}

}  // namespace
}  // namespace tryon
