// What every JobStore knows of blobs and subjects, and what is left of an erased task.
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/text.h"
#include "tests/unit/store/store_suite.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::kTtl;
using testing::reason_of;
using testing::request;

class JobStoreBlobsTest : public testing::JobStoreTest {};

TEST_P(JobStoreBlobsTest, SubjectAndInputsComeBack) {
  TaskRecord asked = body_of("a", "scan", false);
  asked.inputs = {"z", "b", "z"};
  asked.subject = "anna";
  const TaskRecord submitted = store_->submit(asked).value();
  EXPECT_EQ(submitted.inputs, (std::vector<std::string>{"b", "z"}));
  EXPECT_FALSE(submitted.keep_inputs);
  EXPECT_EQ(submitted.subject, "anna");
  EXPECT_EQ(store_->get("a").value(), submitted);
  EXPECT_EQ(leased().inputs, submitted.inputs);
}

TEST_P(JobStoreBlobsTest, AListOfAKindRunsFromTheNewestAndGoesOnWhereItStopped) {
  for (int i = 0; i < 7; ++i) store_->submit(body_of(cat("b", i), "s", false, 100 + i / 2)).value();
  store_->submit(request("drape", 103)).value();
  std::vector<std::string> seen;
  std::optional<TaskCursor> after;
  for (int page = 0; page < 4; ++page) {
    const auto tasks = store_->list("", "body", after, 2).value();
    EXPECT_EQ(tasks.size(), page < 3 ? 2u : 1u);
    for (const TaskRecord& task : tasks) seen.push_back(task.id);
    after = TaskCursor{tasks.back().created_us, tasks.back().id};
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"b6", "b5", "b4", "b3", "b2", "b1", "b0"}));
  EXPECT_TRUE(store_->list("", "body", after, 2)->empty());
  EXPECT_TRUE(store_->list("", "garment", std::nullopt, 2)->empty());
}

TEST_P(JobStoreBlobsTest, ABlobIsNeededWhileSomebodyReadsKeepsOrMadeIt) {
  store_->submit(body_of("once", "scan", false)).value();
  EXPECT_TRUE(store_->needs_blob("scan").value());
  EXPECT_FALSE(store_->needs_blob("else").value());
  const TaskRecord task = leased();
  EXPECT_TRUE(store_->spent_blobs(10)->empty());
  store_->apply("once", Completed{task.attempt, true, "{}", {{"body.glb", {"made", 3, "x"}}}}).value();
  EXPECT_FALSE(store_->needs_blob("scan").value());
  EXPECT_TRUE(store_->needs_blob("made").value());
  EXPECT_EQ(store_->spent_blobs(10).value(), std::vector<std::string>{"scan"});
  store_->submit(body_of("keeps", "scan", true)).value();
  EXPECT_TRUE(store_->needs_blob("scan").value());
  ASSERT_TRUE(store_->apply("keeps", CancelRequested{}).ok());
  EXPECT_TRUE(store_->needs_blob("scan").value());
  ASSERT_TRUE(store_->forget_blob("scan").ok());
  EXPECT_TRUE(store_->spent_blobs(10)->empty());
  EXPECT_TRUE(store_->get("once")->inputs.empty());
  EXPECT_EQ(store_->get("keeps")->inputs, std::vector<std::string>{"scan"});
}

TEST_P(JobStoreBlobsTest, WhatARunningTaskShowsIsSeenReplacedAndReleased) {
  store_->submit(request("d")).value();
  const TaskRecord task = leased();
  const int64_t before = store_->get("d")->version;
  store_->apply("d", Showed{task.attempt, {{"preview.glb", {"first", 3, "x"}}}}).value();
  EXPECT_GT(store_->get("d")->version, before);
  EXPECT_EQ(store_->get("d")->outputs.at("preview.glb"), (BlobRef{"first", 3, "x"}));
  EXPECT_TRUE(store_->needs_blob("first").value());
  EXPECT_EQ(reason_of(store_->apply("d", Showed{task.attempt - 1, {{"preview.glb", {"old", 3, "x"}}}}).status()),
            "STALE_ATTEMPT");
  store_->apply("d", Showed{task.attempt, {{"preview.glb", {"second", 4, "x"}}, {"frames", {"kept", 5, "x"}}}}).value();
  EXPECT_EQ(store_->spent_blobs(10).value(), std::vector<std::string>{"first"});
  EXPECT_FALSE(store_->needs_blob("first").value());
  ASSERT_EQ(store_->heartbeat("d", task.attempt, "drape", 0.5, kTtl).value(), Directive::kContinue);
  EXPECT_EQ(store_->get("d")->outputs.size(), 2u);
  const std::map<std::string, BlobRef> made = {{"frames", {"kept", 5, "x"}}, {"garment.glb", {"made", 6, "x"}}};
  store_->apply("d", Completed{task.attempt, true, "{}", made}).value();
  EXPECT_EQ(store_->get("d")->outputs, made);
  EXPECT_TRUE(store_->needs_blob("kept").value());
  EXPECT_FALSE(store_->needs_blob("second").value());
  EXPECT_EQ(store_->spent_blobs(10).value(), (std::vector<std::string>{"first", "second"}));
}

TEST_P(JobStoreBlobsTest, WhatALostWorkerShowedIsReleased) {
  store_->submit(request("d")).value();
  const TaskRecord task = leased();
  store_->apply("d", Showed{task.attempt, {{"preview.glb", {"first", 3, "x"}}}}).value();
  EXPECT_EQ(store_->expire_worker("w").value(), 1);
  EXPECT_TRUE(store_->get("d")->outputs.empty());
  EXPECT_EQ(store_->spent_blobs(10).value(), std::vector<std::string>{"first"});
}

TEST_P(JobStoreBlobsTest, ATaskAskedForAgainReadsItsBlobAgain) {
  store_->submit(body_of("a", "scan", false)).value();
  ASSERT_TRUE(store_->apply("a", CancelRequested{}).ok());
  ASSERT_TRUE(store_->forget_blob("scan").ok());
  EXPECT_FALSE(store_->needs_blob("scan").value());
  const TaskRecord again = store_->submit(body_of("a", "scan", false)).value();
  EXPECT_EQ(again.state, TaskState::kQueued);
  EXPECT_EQ(again.inputs, std::vector<std::string>{"scan"});
  EXPECT_TRUE(store_->needs_blob("scan").value());
  EXPECT_EQ(store_->get("a").value(), again);
}

TEST_P(JobStoreBlobsTest, WhatWasMadeFromASubjectIsFound) {
  for (const char* id : {"d2", "d1", "other"}) {
    TaskRecord drape = request(id);
    drape.subject = std::string(id) == "other" ? "berta" : "anna";
    store_->submit(drape).value();
  }
  store_->submit(request("alone")).value();
  EXPECT_EQ(store_->made_from("anna").value(), (std::vector<std::string>{"d1", "d2"}));
  EXPECT_TRUE(store_->made_from("nobody")->empty());
}

TEST_P(JobStoreBlobsTest, ErasingLeavesNothingButTheBlobsThatMayGo) {
  store_->submit(body_of("a", "scan", true)).value();
  EXPECT_EQ(reason_of(store_->erase("a")), "TASK_STATE") << "not while it may run";
  const TaskRecord task = leased();
  store_->apply("a", Completed{task.attempt, true, "{}", {{"body.glb", {"made", 3, "x"}}}, {{"fit", 0.5}}}).value();
  ASSERT_TRUE(store_->erase("a").ok());
  EXPECT_EQ(reason_of(store_->get("a").status()), "TASK_NOT_FOUND");
  EXPECT_EQ(reason_of(store_->erase("a")), "TASK_NOT_FOUND");
  EXPECT_TRUE(store_->list("", "body", std::nullopt, 10)->empty());
  EXPECT_FALSE(store_->needs_blob("made").value());
  EXPECT_EQ(store_->spent_blobs(10).value(), (std::vector<std::string>{"made", "scan"}));
  EXPECT_EQ(store_->spent_blobs(1)->size(), 1u);
  ASSERT_TRUE(store_->forget_blob("made").ok());
  ASSERT_TRUE(store_->forget_blob("scan").ok());
  EXPECT_TRUE(store_->spent_blobs(10)->empty());
  EXPECT_EQ(store_->stats()->succeeded, 0);
  EXPECT_EQ(store_->submit(body_of("a", "scan", true))->attempt, 0) << "as if it had never been";
}

// Whoever waits for a task that is erased hears of it.
TEST_P(JobStoreBlobsTest, AWaitEndsWithTheTask) {
  store_->submit(request("a")).value();
  const TaskRecord cancelled = store_->apply("a", CancelRequested{}).value();
  std::thread eraser([&] {
    absl::SleepFor(absl::Milliseconds(50));
    EXPECT_TRUE(store_->erase("a").ok());
  });
  absl::StatusOr<TaskRecord> seen = cancelled;
  for (int i = 0; i < 100 && seen.ok(); ++i) seen = store_->wait("a", cancelled.version, absl::Milliseconds(100));
  eraser.join();
  EXPECT_EQ(reason_of(seen.status()), "TASK_NOT_FOUND");
}

EVERY_JOB_STORE(JobStoreBlobsTest);

}  // namespace
}  // namespace tryon
