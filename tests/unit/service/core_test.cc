#include "server/service/core.h"

#include <gtest/gtest.h>

#include "server/base/status.h"

namespace tryon {
namespace {

BodyRequest person(double height_mm) {
  BodyRequest request;
  request.figure = BodyTable{height_mm, {}, FigureType::kNeutral, 45.0};
  return request;
}

TEST(ServiceCore, AFullQueueRefusesWhatIsNewAndAnswersForWhatIsThere) {
  const auto jobs = make_memory_job_store();
  const auto blobs = make_memory_blob_store();
  ServiceCore core(jobs.get(), blobs.get(), "shop", CancelFlag(), 3);
  for (const double height : {1600.0, 1650.0, 1700.0}) ASSERT_TRUE(core.create_body(person(height)).ok());
  for (int i = 0; i < 20; ++i) {
    const absl::Status refused = core.create_body(person(1750.0 + i)).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(error_detail(refused)->reason, "QUEUE_FULL");
    EXPECT_FALSE(error_detail(refused)->remedy.empty());
  }
  EXPECT_EQ(jobs->stats()->queued, 3) << "what was refused takes no room";
  EXPECT_TRUE(core.create_body(person(1650.0)).ok()) << "asking again is nothing new";
  ASSERT_TRUE(jobs->lease("w", absl::Seconds(9))->has_value());
  EXPECT_TRUE(core.create_body(person(1750.0)).ok()) << "there is room again";
  EXPECT_EQ(error_detail(core.create_body(person(1751.0)).status())->reason, "QUEUE_FULL");
}

}  // namespace
}  // namespace tryon
