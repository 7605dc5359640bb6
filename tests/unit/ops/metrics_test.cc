#include "server/ops/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/base/text.h"
#include "server/base/version.h"
#include "tests/support/http_get.h"

namespace tryon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tryon::testing::http_get;

TEST(Metrics, RequestsAreCountedByMethodAndCodeAndTimedByMethod) {
  Metrics metrics;
  metrics.count_rpc("CreateDrape", "OK", 0.004);
  metrics.count_rpc("CreateDrape", "OK", 200.0);
  metrics.count_rpc("CreateDrape", "INVALID_ARGUMENT", 0.02);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("tryon_rpc_requests_total{code=\"OK\",method=\"CreateDrape\"} 2"));
  EXPECT_THAT(text, HasSubstr("tryon_rpc_requests_total{code=\"INVALID_ARGUMENT\",method=\"CreateDrape\"} 1"));
  EXPECT_THAT(text, HasSubstr("tryon_rpc_duration_seconds_bucket{method=\"CreateDrape\",le=\"0.005\"} 1"));
  EXPECT_THAT(text, HasSubstr("tryon_rpc_duration_seconds_bucket{method=\"CreateDrape\",le=\"120\"} 2"));
  EXPECT_THAT(text, HasSubstr("tryon_rpc_duration_seconds_bucket{method=\"CreateDrape\",le=\"+Inf\"} 3"));
}

TEST(Metrics, ADrapeCountsAsADrapeAndAsATaskABodyAsATaskOnly) {
  Metrics metrics;
  metrics.count_task("drape", "failed", "SEAM_EDGE_MISSING", 3.0);
  metrics.count_task("body", "succeeded", "", 1.0);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("tryon_drapes_total{outcome=\"failed\",reason=\"SEAM_EDGE_MISSING\"} 1"));
  EXPECT_THAT(text, HasSubstr("tryon_tasks_total{kind=\"drape\",outcome=\"failed\",reason=\"SEAM_EDGE_MISSING\"} 1"));
  EXPECT_THAT(text, HasSubstr("tryon_tasks_total{kind=\"body\",outcome=\"succeeded\",reason=\"\"} 1"));
  EXPECT_THAT(text, Not(HasSubstr("tryon_drapes_total{outcome=\"succeeded\"")));
  EXPECT_THAT(text, HasSubstr("tryon_task_duration_seconds_sum{kind=\"drape\"} 3"));
}

TEST(Metrics, StagesQueueAndBuildAreShown) {
  Metrics metrics;
  metrics.observe_stage("sew", 0.5);
  metrics.set_queue(7, 2);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("tryon_task_stage_duration_seconds_sum{stage=\"sew\"} 0.5"));
  EXPECT_THAT(text, HasSubstr("tryon_queue_tasks{state=\"queued\"} 7"));
  EXPECT_THAT(text, HasSubstr("tryon_queue_tasks{state=\"running\"} 2"));
  EXPECT_THAT(text, HasSubstr(cat("tryon_build_info{version=\"", kEngineVersion, "\"} 1")));
}

TEST(Metrics, TheyAreServedAtAPortOfTheirOwn) {
  Metrics metrics;
  metrics.count_rpc("GetDrape", "OK", 0.01);
  const auto port = metrics.serve("127.0.0.1:0");
  ASSERT_TRUE(port.ok()) << port.status();
  ASSERT_GT(*port, 0);
  const std::string page = http_get(*port, "/metrics");
  EXPECT_THAT(page, HasSubstr("200 OK"));
  EXPECT_THAT(page, HasSubstr("tryon_rpc_requests_total{code=\"OK\",method=\"GetDrape\"} 1"));
}

TEST(Metrics, AnAddressInUseIsUnavailable) {
  Metrics first, second;
  const int port = first.serve("127.0.0.1:0").value();
  EXPECT_EQ(second.serve(cat("127.0.0.1:", port)).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(second.serve("not an address").status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tryon
