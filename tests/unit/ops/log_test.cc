#include "server/ops/log.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace tryon {
namespace {

std::string logged(const std::function<void()>& action) {
  testing::internal::CaptureStderr();
  action();
  return testing::internal::GetCapturedStderr();
}

TEST(Log, ALineIsOneJsonObjectWithTimeLevelEventAndFields) {
  const std::string line = logged([] { log_warning("lease_lost", {{"task", "t1"}, {"why", "a \"b\"\nc"}}); });
  ASSERT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["level"], "warning");
  EXPECT_EQ(json["event"], "lease_lost");
  EXPECT_EQ(json["task"], "t1");
  EXPECT_EQ(json["why"], "a \"b\"\nc");
  const std::string time = json["time"];
  EXPECT_EQ(time.size(), std::string("2026-01-01T00:00:00.000000Z").size());
  EXPECT_EQ(time.back(), 'Z');
}

TEST(Log, BytesThatAreNotTextDoNotBreakALine) {
  const std::string line = logged([] { log_error("odd", {{"bytes", "\xff\xfe"}}); });
  EXPECT_EQ(nlohmann::json::parse(line)["event"], "odd");
}

TEST(Log, QuietLeavesWarningsAndErrors) {
  set_log_quiet(true);
  EXPECT_EQ(logged([] { log_info("chatter"); }), "");
  EXPECT_NE(logged([] { log_warning("trouble"); }), "");
  EXPECT_NE(logged([] { log_error("fault"); }), "");
  set_log_quiet(false);
  EXPECT_NE(logged([] { log_info("chatter"); }), "");
}

}  // namespace
}  // namespace tryon
