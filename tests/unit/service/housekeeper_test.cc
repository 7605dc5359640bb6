// What may not stay goes by itself, with all that shows it, whoever's it is; and what may stays.
#include "server/service/housekeeper.h"

#include <gtest/gtest.h>

#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/store/sealed_blob_store.h"
#include "tests/support/memory_object_store.h"

namespace tryon {
namespace {

constexpr absl::Duration kDay = absl::Hours(24);

class HousekeeperTest : public ::testing::Test {
 protected:
  // The task that waits is done, with a file of that content.
  void do_next(const std::string& content) {
    const TaskRecord task = jobs_->lease("w", absl::Seconds(9))->value();
    TenantBlobStore blobs(blobs_.get(), task.tenant);
    const std::string digest = blobs.put(content).value();
    TenantJobStore jobs(jobs_.get(), task.tenant);
    const auto size = static_cast<int64_t>(content.size());
    ASSERT_TRUE(jobs.apply(task.id, Completed{task.attempt, true, "{}", {{"file", {digest, size, "x"}}}}).ok());
  }
  struct Made {
    std::string body, garment, drape;
  };
  Made make(const std::string& tenant) {
    ServiceCore& core = tenants_.of(tenant);
    BodyRequest body;
    body.sample = true;
    GarmentRequest garment;
    garment.draft.emplace().name = "tshirt";
    Made made;
    made.body = core.create_body(body)->id;
    do_next(cat("body of ", tenant));
    made.garment = core.create_garment(garment)->id;
    do_next(cat("garment of ", tenant));
    DrapeOrder order;
    order.body = made.body;
    order.garment = made.garment;
    const auto drape = core.create_drape(order);
    EXPECT_TRUE(drape.ok()) << drape.status();
    made.drape = drape->id;
    do_next(cat("drape of ", tenant));
    return made;
  }
  bool is_there(const std::string& id) { return jobs_->get(id).ok(); }

  absl::Time now_ = absl::FromUnixSeconds(1'000'000'000);
  const std::unique_ptr<JobStore> jobs_ = make_memory_job_store([this] { return absl::ToUnixMicros(now_); });
  const std::unique_ptr<BlobStore> blobs_ =
      make_sealed_blob_store(jobs_.get(), std::make_unique<testing::MemoryObjectStore>());
  Tenants tenants_{jobs_.get(), blobs_.get()};
  Housekeeper housekeeper_{&tenants_};
};

TEST_F(HousekeeperTest, ABodyGoesAfterItsTimeWithItsDrapesAndItsGarmentStays) {
  const Made shop = make("shop"), nobodys = make("");
  now_ += 29 * kDay;
  EXPECT_EQ(housekeeper_.round(now_, 30 * kDay), 0);
  EXPECT_TRUE(is_there(shop.drape));
  now_ += 2 * kDay;
  EXPECT_EQ(housekeeper_.round(now_, 30 * kDay), 2);
  for (const std::string& gone : {shop.body, shop.drape, nobodys.body, nobodys.drape}) EXPECT_FALSE(is_there(gone));
  for (const std::string& kept : {shop.garment, nobodys.garment}) EXPECT_TRUE(is_there(kept));
  EXPECT_TRUE(jobs_->find_seal(owned_name("shop", sha256_hex("garment of shop")))->has_value());
  EXPECT_FALSE(jobs_->find_seal(owned_name("shop", sha256_hex("body of shop")))->has_value()) << "its key is destroyed";
  EXPECT_FALSE(jobs_->find_seal(owned_name("shop", sha256_hex("drape of shop")))->has_value());
}

TEST_F(HousekeeperTest, WithoutARetentionBodiesStay) {
  const Made shop = make("shop");
  now_ += 40'000 * kDay;
  EXPECT_EQ(housekeeper_.round(now_, absl::InfiniteDuration()), 0);
  EXPECT_TRUE(is_there(shop.body));
}

TEST_F(HousekeeperTest, ADeletedGarmentTakesItsDrapesAlongAndLeavesTheBody) {
  const Made shop = make("shop");
  EXPECT_EQ(tenants_.of("other").delete_garment(shop.garment).code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(tenants_.of("shop").delete_garment(shop.garment).ok());
  EXPECT_FALSE(is_there(shop.drape));
  EXPECT_TRUE(is_there(shop.body));
}

TEST_F(HousekeeperTest, EqualRequestsOfTwoTenantsAreTwoTasksAndOnesResultIsNoHintForTheOther) {
  const Made shop = make("shop");
  BodyRequest body;
  body.sample = true;
  const TaskRecord other = tenants_.of("other").create_body(body).value();
  EXPECT_NE(other.id, shop.body);
  EXPECT_EQ(other.state, TaskState::kQueued);
  EXPECT_EQ(tenants_.of("other").find(shop.body, "body", "BODY_NOT_FOUND").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(tenants_.of("shop").create_body(body)->state, TaskState::kSucceeded);
}

TEST_F(HousekeeperTest, UploadsThatNobodyUsedGoAfterADay) {
  const std::string digest = tenants_.of("shop").blobs().put("unused").value();
  (void)housekeeper_.round(now_ + absl::Hours(23), 30 * kDay);
  EXPECT_TRUE(tenants_.of("shop").blobs().blob_size(digest).ok());
  (void)housekeeper_.round(now_ + absl::Hours(25), 30 * kDay);
  EXPECT_FALSE(tenants_.of("shop").blobs().blob_size(digest).ok());
}

}  // namespace
}  // namespace tryon
