// One suite for every JobStore. The clock is the test's, so leases expire when the test says so.
#include "server/store/job_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

using std::filesystem::path;

constexpr absl::Duration kTtl = absl::Seconds(15);
constexpr int64_t kSecond = 1'000'000;

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / cat("tryon-test-", random_hex(8))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return path_ / name; }

 private:
  path path_;
};

TaskRecord request(const std::string& id, int64_t created_us = 0) {
  TaskRecord task;
  task.id = id;
  task.kind = "drape";
  task.spec = "{\"fabric\":\"denim\"}";
  task.created_us = created_us;
  return task;
}

std::string reason_of(const absl::Status& status) { return error_detail(status).value_or(ErrorDetail{}).reason; }

class JobStoreTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const Clock clock = [now = now_] { return now->load(); };
    if (GetParam()) {
      store_ = open_sqlite_job_store(folder_.file("tasks.sqlite"), clock).value();
    } else {
      store_ = make_memory_job_store(clock);
    }
  }

  void advance(int64_t us) { *now_ += us; }
  TaskRecord leased(const std::string& worker = "w") { return store_->lease(worker, kTtl).value().value(); }
  std::string state(const std::string& id) { return std::string(task_state_name(store_->get(id)->state)); }

  Folder folder_;
  std::shared_ptr<std::atomic<int64_t>> now_ = std::make_shared<std::atomic<int64_t>>(1000 * kSecond);
  std::unique_ptr<JobStore> store_;
};

TEST_P(JobStoreTest, ATaskComesBackAsItWasSubmitted) {
  TaskRecord asked = request("a");
  asked.max_attempts = 2;
  asked.deadline_us = 77;
  asked.attempt = 5;  // not the caller's to say
  const TaskRecord submitted = store_->submit(asked).value();
  EXPECT_EQ(submitted, store_->get("a").value());
  EXPECT_EQ(submitted.kind, "drape");
  EXPECT_EQ(submitted.spec, asked.spec);
  EXPECT_EQ(submitted.max_attempts, 2);
  EXPECT_EQ(submitted.deadline_us, 77);
  EXPECT_EQ(submitted.attempt, 0);
  EXPECT_EQ(submitted.created_us, now_->load());
  EXPECT_EQ(submitted.state, TaskState::kQueued);
}

TEST_P(JobStoreTest, AMissingTaskIsNotFoundEverywhere) {
  EXPECT_EQ(reason_of(store_->get("x").status()), "TASK_NOT_FOUND");
  EXPECT_EQ(reason_of(store_->apply("x", CancelRequested{}).status()), "TASK_NOT_FOUND");
  EXPECT_EQ(reason_of(store_->heartbeat("x", 1, "", 0, kTtl).status()), "TASK_NOT_FOUND");
  EXPECT_EQ(reason_of(store_->wait("x", 0, absl::ZeroDuration()).status()), "TASK_NOT_FOUND");
}

TEST_P(JobStoreTest, TheOldestTaskIsLeasedFirstAndEachOnce) {
  store_->submit(request("late", 3)).value();
  store_->submit(request("early", 1)).value();
  store_->submit(request("middle", 2)).value();
  for (const char* id : {"early", "middle", "late"}) EXPECT_EQ(leased().id, id);
  EXPECT_FALSE(store_->lease("w", kTtl).value().has_value());
}

TEST_P(JobStoreTest, ALiveOrSucceededTaskIsNotSubmittedTwice) {
  const TaskRecord queued = store_->submit(request("a")).value();
  EXPECT_EQ(store_->submit(request("a")).value(), queued);
  const TaskRecord running = leased();
  EXPECT_EQ(store_->submit(request("a")).value(), running);
  const TaskRecord done = store_->apply("a", Completed{1, true, "{}", {}}).value();
  EXPECT_EQ(store_->submit(request("a")).value(), done);
}

TEST_P(JobStoreTest, AFailedOrCancelledTaskAskedForAgainIsQueuedAgain) {
  store_->submit(request("failed", 1)).value();
  store_->apply("failed", Failed{leased().attempt, encode_status(internal_fault("x")), false}).value();
  store_->submit(request("cancelled", 2)).value();
  store_->apply("cancelled", CancelRequested{}).value();
  for (const char* id : {"failed", "cancelled"}) {
    advance(1);
    EXPECT_EQ(store_->submit(request(id))->state, TaskState::kQueued);
    EXPECT_EQ(leased().id, id);
  }
}

TEST_P(JobStoreTest, AResultIsKeptWhole) {
  store_->submit(request("a")).value();
  const Completed result{leased().attempt,
                         false,
                         "{\"ease_mm\":{}}",
                         {{"garment.glb", {std::string(64, 'a'), 12, "model/gltf-binary"}},
                          {"metrics.json", {std::string(64, 'b'), 0, "application/json"}}},
                         {{"sew", 0.25}, {"drape", 1.5}}};
  store_->apply("a", result).value();
  const TaskRecord task = store_->get("a").value();
  EXPECT_EQ(task.state, TaskState::kSucceeded);
  EXPECT_FALSE(task.settled);
  EXPECT_EQ(task.summary, result.summary);
  EXPECT_EQ(task.outputs, result.outputs);
  EXPECT_EQ(task.stage_seconds, result.stage_seconds);
}

TEST_P(JobStoreTest, AFinalFailureKeepsWhatShowsItAgainUntilItIsAskedForAgain) {
  const BlobRef replay{std::string(64, 'c'), 5, "application/octet-stream"};
  store_->submit(request("a")).value();
  const Failed failure{leased().attempt, encode_status(internal_fault("x")), false, {{"replay.tryon", replay}}};
  store_->apply("a", failure).value();
  EXPECT_EQ(store_->get("a")->outputs, failure.outputs);
  EXPECT_TRUE(store_->needs_blob(replay.digest).value());
  EXPECT_TRUE(store_->spent_blobs(10)->empty());
  EXPECT_TRUE(store_->submit(request("a"))->outputs.empty());
  EXPECT_TRUE(store_->get("a")->outputs.empty());
  EXPECT_FALSE(store_->needs_blob(replay.digest).value());
  EXPECT_EQ(store_->spent_blobs(10).value(), std::vector<std::string>{replay.digest});
  store_->apply("a", Failed{leased().attempt, failure.status, false, failure.outputs}).value();  // it fails again
  EXPECT_EQ(store_->get("a")->outputs, failure.outputs);
  EXPECT_TRUE(store_->needs_blob(replay.digest).value());
}

TEST_P(JobStoreTest, AFailureWorthAnotherTryKeepsNothing) {
  store_->submit(request("a")).value();
  const BlobRef some{std::string(64, 'c'), 5, "application/octet-stream"};
  store_->apply("a", Failed{leased().attempt, encode_status(internal_fault("x")), true, {{"f", some}}}).value();
  EXPECT_TRUE(store_->get("a")->outputs.empty());
}

TEST_P(JobStoreTest, AnExpiredLeaseGoesToTheNextWorkerAndTheOldOneIsFencedOff) {
  store_->submit(request("a")).value();
  const TaskRecord first = leased("w1");
  advance(kTtl / absl::Microseconds(1));
  EXPECT_FALSE(store_->lease("w2", kTtl).value().has_value()) << "the last microsecond of a lease counts";
  advance(1);
  const TaskRecord second = leased("w2");
  EXPECT_EQ(second.attempt, first.attempt + 1);
  EXPECT_EQ(store_->heartbeat("a", first.attempt, "drape", 0.5, kTtl).value(), Directive::kLost);
  EXPECT_EQ(reason_of(store_->apply("a", Completed{first.attempt, true, "old", {}}).status()), "STALE_ATTEMPT");
  EXPECT_TRUE(store_->apply("a", Completed{second.attempt, true, "new", {}}).ok());
  EXPECT_EQ(store_->get("a")->summary, "new");
}

TEST_P(JobStoreTest, HeartbeatsKeepALeaseAndCarryProgress) {
  store_->submit(request("a")).value();
  const int attempt = leased().attempt;
  for (int i = 0; i < 5; ++i) {
    advance(10 * kSecond);
    EXPECT_EQ(store_->heartbeat("a", attempt, "drape", 0.1 * i, kTtl).value(), Directive::kContinue);
    EXPECT_FALSE(store_->lease("thief", kTtl).value().has_value());
  }
  EXPECT_EQ(store_->get("a")->stage, "drape");
  EXPECT_DOUBLE_EQ(store_->get("a")->fraction, 0.4);
}

TEST_P(JobStoreTest, AHeartbeatWithoutNewsRenewsTheLeaseOnlyOnceHalfOfItIsGone) {
  store_->submit(request("a")).value();
  const TaskRecord task = leased();
  advance(kSecond);
  store_->heartbeat("a", task.attempt, "", 0.0, kTtl).value();
  EXPECT_EQ(store_->get("a").value(), task);
  advance(7 * kSecond);
  store_->heartbeat("a", task.attempt, "", 0.0, kTtl).value();
  EXPECT_EQ(store_->get("a")->lease_expires_us, now_->load() + 15 * kSecond);
  EXPECT_EQ(store_->get("a")->version, task.version) << "nothing that a watcher wants to know";
}

TEST_P(JobStoreTest, AQueuedTaskIsCancelledAtOnce) {
  store_->submit(request("a")).value();
  EXPECT_EQ(store_->apply("a", CancelRequested{})->state, TaskState::kCancelled);
  EXPECT_FALSE(store_->lease("w", kTtl).value().has_value());
}

TEST_P(JobStoreTest, ARunningTaskHearsOfItsCancellationByHeartbeat) {
  store_->submit(request("a")).value();
  const int attempt = leased().attempt;
  store_->apply("a", CancelRequested{}).value();
  EXPECT_EQ(state("a"), "RUNNING");
  EXPECT_EQ(store_->heartbeat("a", attempt, "", 0, kTtl).value(), Directive::kCancel);
  EXPECT_EQ(store_->heartbeat("a", attempt, "sew", 0.2, kTtl).value(), Directive::kCancel);
  store_->apply("a", CancelAcknowledged{attempt}).value();
  EXPECT_EQ(state("a"), "CANCELLED");
  EXPECT_EQ(store_->heartbeat("a", attempt, "", 0, kTtl).value(), Directive::kLost);
}

TEST_P(JobStoreTest, TriesEndInFailure) {
  store_->submit(request("a")).value();
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(leased().attempt, attempt);
    advance(16 * kSecond);
  }
  EXPECT_FALSE(store_->lease("w", kTtl).value().has_value());
  EXPECT_EQ(state("a"), "FAILED");
  EXPECT_EQ(reason_of(decode_status(store_->get("a")->status)), "WORKER_LOST");
}

TEST_P(JobStoreTest, ADeadWorkersLeasesEndAtOnceAndNobodyElses) {
  for (const char* id : {"a", "b", "c"}) store_->submit(request(id)).value();
  const std::string first = leased("dead").id, second = leased("alive").id, third = leased("dead").id;
  EXPECT_EQ(store_->expire_worker("dead").value(), 2);
  EXPECT_EQ(state(first), "QUEUED");
  EXPECT_EQ(state(second), "RUNNING");
  EXPECT_EQ(state(third), "QUEUED");
  EXPECT_EQ(store_->expire_worker("dead").value(), 0);
}

TEST_P(JobStoreTest, AReleasedTaskIsLeasedAgain) {
  store_->submit(request("a")).value();
  store_->apply("a", Released{leased().attempt}).value();
  EXPECT_EQ(leased().attempt, 2);
}

TEST_P(JobStoreTest, ARefusedEventChangesNothing) {
  store_->submit(request("a")).value();
  leased();
  const TaskRecord before = store_->get("a").value();
  EXPECT_FALSE(store_->apply("a", Completed{9, true, "{}", {{"x", {}}}}).ok());
  EXPECT_FALSE(store_->apply("a", Resubmitted{0}).ok());
  EXPECT_FALSE(store_->apply("a", CancelAcknowledged{1}).ok());
  EXPECT_EQ(store_->get("a").value(), before);
  EXPECT_EQ(store_->finished_cursor().value(), 0);
}

TEST_P(JobStoreTest, StatsCountEveryState) {
  for (int i = 0; i < 6; ++i) store_->submit(request(cat("t", i), i + 1)).value();
  store_->apply("t0", Completed{leased().attempt, true, "{}", {}}).value();
  store_->apply("t1", Failed{leased().attempt, encode_status(internal_fault("x")), false}).value();
  store_->apply("t2", CancelRequested{}).value();
  leased();
  const JobStats stats = store_->stats().value();
  EXPECT_EQ(stats.succeeded, 1);
  EXPECT_EQ(stats.failed, 1);
  EXPECT_EQ(stats.cancelled, 1);
  EXPECT_EQ(stats.running, 1);
  EXPECT_EQ(stats.queued, 2);
}

TEST_P(JobStoreTest, TheFeedTellsEveryFinishOnceAndInOrder) {
  for (const char* id : {"a", "b", "c", "d"}) store_->submit(request(id)).value();
  const int64_t start = store_->finished_cursor().value();
  advance(2 * kSecond);
  for (const char* id : {"a", "b", "c"}) EXPECT_EQ(leased().id, id);
  advance(3 * kSecond);
  store_->apply("a", Completed{1, true, "{}", {}, {{"sew", 0.5}}}).value();
  store_->apply("b", Completed{1, false, "{}", {}}).value();
  store_->apply("c", Failed{1, encode_status(invalid_input("SEAM_EDGE_MISSING", "", "", "")), false}).value();
  store_->apply("d", CancelRequested{}).value();
  const std::vector<FinishedTask> all = store_->finished_since(start, 100).value();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].outcome, "succeeded");
  EXPECT_EQ(all[0].stage_seconds, (StageSeconds{{"sew", 0.5}}));
  EXPECT_DOUBLE_EQ(all[0].queue_seconds, 2.0);
  EXPECT_DOUBLE_EQ(all[0].run_seconds, 3.0);
  EXPECT_EQ(all[1].outcome, "unsettled");
  EXPECT_EQ(all[2].outcome, "failed");
  EXPECT_EQ(all[2].reason, "SEAM_EDGE_MISSING");
  EXPECT_EQ(all[3].outcome, "cancelled");
  EXPECT_DOUBLE_EQ(all[3].queue_seconds, 5.0);

  std::vector<std::string> ids;  // page by page
  for (int64_t cursor = start;;) {
    const auto page = store_->finished_since(cursor, 1).value();
    if (page.empty()) break;
    ASSERT_EQ(page.size(), 1u);
    cursor = page[0].cursor;
    ids.push_back(page[0].id);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(store_->finished_cursor().value(), all.back().cursor);
}

TEST_P(JobStoreTest, AWatcherWakesOnAChangeAndReturnsTheRecordOnTimeout) {
  const TaskRecord queued = store_->submit(request("a")).value();
  EXPECT_EQ(store_->wait("a", queued.version, absl::Milliseconds(30)).value(), queued);
  EXPECT_EQ(store_->wait("a", queued.version - 1, absl::InfiniteDuration()).value(), queued);
  std::thread canceller([&] { EXPECT_TRUE(store_->apply("a", CancelRequested{}).ok()); });
  EXPECT_EQ(store_->wait("a", queued.version, absl::InfiniteDuration())->state, TaskState::kCancelled);
  canceller.join();
}

TEST_P(JobStoreTest, AWorkerWaitingForWorkWakesOnASubmission) {
  std::thread submitter([&] { EXPECT_TRUE(store_->submit(request("a")).ok()); });
  store_->wait_for_work(absl::InfiniteDuration());
  EXPECT_EQ(leased().id, "a");
  submitter.join();
}

TEST_P(JobStoreTest, NoTaskIsLeasedTwiceByManyThreads) {
  constexpr int kTasks = 60;
  for (int i = 0; i < kTasks; ++i) store_->submit(request(cat("t", i))).value();
  std::vector<std::vector<std::string>> taken(4);
  std::vector<std::thread> threads;
  for (auto& mine : taken) {
    threads.emplace_back([&, this] {
      while (auto task = store_->lease("w", kTtl).value()) {
        mine.push_back(task->id);
        EXPECT_TRUE(store_->apply(task->id, Completed{task->attempt, true, "{}", {}}).ok());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::string> unique;
  size_t count = 0;
  for (const auto& mine : taken) {
    unique.insert(mine.begin(), mine.end());
    count += mine.size();
  }
  EXPECT_EQ(count, size_t{kTasks});
  EXPECT_EQ(unique.size(), size_t{kTasks});
  EXPECT_EQ(store_->stats()->succeeded, kTasks);
}

TaskRecord body_of(const std::string& id, const std::string& scan, bool keep, int64_t created_us = 0) {
  TaskRecord task = request(id, created_us);
  task.kind = "body";
  task.inputs = {scan};
  task.keep_inputs = keep;
  return task;
}

TEST_P(JobStoreTest, SubjectAndInputsComeBack) {
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

TEST_P(JobStoreTest, AListOfAKindRunsFromTheNewestAndGoesOnWhereItStopped) {
  for (int i = 0; i < 7; ++i) store_->submit(body_of(cat("b", i), "s", false, 100 + i / 2)).value();
  store_->submit(request("drape", 103)).value();
  std::vector<std::string> seen;
  std::optional<TaskCursor> after;
  for (int page = 0; page < 4; ++page) {
    const auto tasks = store_->list("body", after, 2).value();
    EXPECT_EQ(tasks.size(), page < 3 ? 2u : 1u);
    for (const TaskRecord& task : tasks) seen.push_back(task.id);
    after = TaskCursor{tasks.back().created_us, tasks.back().id};
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"b6", "b5", "b4", "b3", "b2", "b1", "b0"}));
  EXPECT_TRUE(store_->list("body", after, 2)->empty());
  EXPECT_TRUE(store_->list("garment", std::nullopt, 2)->empty());
}

TEST_P(JobStoreTest, ABlobIsNeededWhileSomebodyReadsKeepsOrMadeIt) {
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

TEST_P(JobStoreTest, ATaskAskedForAgainReadsItsBlobAgain) {
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

TEST_P(JobStoreTest, WhatWasMadeFromASubjectIsFound) {
  for (const char* id : {"d2", "d1", "other"}) {
    TaskRecord drape = request(id);
    drape.subject = std::string(id) == "other" ? "berta" : "anna";
    store_->submit(drape).value();
  }
  store_->submit(request("alone")).value();
  EXPECT_EQ(store_->made_from("anna").value(), (std::vector<std::string>{"d1", "d2"}));
  EXPECT_TRUE(store_->made_from("nobody")->empty());
}

TEST_P(JobStoreTest, ErasingLeavesNothingButTheBlobsThatMayGo) {
  store_->submit(body_of("a", "scan", true)).value();
  EXPECT_EQ(reason_of(store_->erase("a")), "TASK_STATE") << "not while it may run";
  const TaskRecord task = leased();
  store_->apply("a", Completed{task.attempt, true, "{}", {{"body.glb", {"made", 3, "x"}}}, {{"fit", 0.5}}}).value();
  ASSERT_TRUE(store_->erase("a").ok());
  EXPECT_EQ(reason_of(store_->get("a").status()), "TASK_NOT_FOUND");
  EXPECT_EQ(reason_of(store_->erase("a")), "TASK_NOT_FOUND");
  EXPECT_TRUE(store_->list("body", std::nullopt, 10)->empty());
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
TEST_P(JobStoreTest, AWaitEndsWithTheTask) {
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

// A canary in what a body is described by: after erase it is in no file of the store, its log included.
TEST(SqliteJobStore, WhatIsErasedIsNotInTheFilesAnyMore) {
  Folder folder;
  const auto store = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
  TaskRecord asked = body_of("a", "scan", false);
  asked.spec = "{\"file_name\":\"canary-of-anna.obj\"}";
  store->submit(asked).value();
  store->submit(request("b")).value();
  const TaskRecord task = store->lease("w", kTtl)->value();
  store->apply("a", Completed{task.attempt, true, "{\"waist\":\"canary-702.5\"}", {}}).value();
  const auto holds = [&](const char* canary) {
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path(folder.file("x")).parent_path())) {
      std::ifstream in(entry.path(), std::ios::binary);
      std::stringstream bytes;
      bytes << in.rdbuf();
      found += bytes.str().find(canary) != std::string::npos ? 1 : 0;
    }
    return found;
  };
  EXPECT_GT(holds("canary-of-anna"), 0) << "the test looks where the store writes";
  ASSERT_TRUE(store->erase("a").ok());
  EXPECT_EQ(holds("canary-of-anna"), 0);
  EXPECT_EQ(holds("canary-702.5"), 0);
  EXPECT_TRUE(store->get("b").ok());
}

INSTANTIATE_TEST_SUITE_P(Every, JobStoreTest, testing::Values(false, true),
                         [](const auto& which) { return which.param ? "Sqlite" : "Memory"; });

// ---- What only a file can do.

TEST(SqliteJobStore, EverythingIsThereAfterReopening) {
  const Folder folder;
  std::vector<TaskRecord> before;
  {
    auto store = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
    for (int i = 0; i < 4; ++i) store->submit(request(cat("t", i), i + 1)).value();
    const BlobRef blob{std::string(64, 'c'), 5, "image/png"};
    store
        ->apply("t0", Completed{store->lease("w", kTtl).value()->attempt, false, "{}", {{"a.png", blob}}, {{"sew", 1}}})
        .value();
    store->apply("t1", Failed{store->lease("w", kTtl).value()->attempt, "why", false}).value();
    store->lease("w", kTtl).value();
    store->heartbeat("t2", 1, "drape", 0.5, kTtl).value();
    for (int i = 0; i < 4; ++i) before.push_back(store->get(cat("t", i)).value());
  }
  auto store = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(store->get(cat("t", i)).value(), before[i]);
  EXPECT_EQ(store->stats()->running, 1);
  EXPECT_EQ(store->finished_since(0, 10)->size(), 2u);
}

// Leases and completes until all tasks are done; exits with the number that this process did, or 255.
int drain_in_child(const std::string& path, int total) {
  const pid_t child = fork();
  if (child != 0) return child;
  auto store = open_sqlite_job_store(path);
  int done = 0;
  while (store.ok() && (*store)->stats().value_or(JobStats{}).succeeded < total) {
    const auto task = (*store)->lease(cat("child-", getpid()), kTtl);
    if (!task.ok()) _exit(255);
    if (!task->has_value()) continue;
    if (!(*store)->apply((*task)->id, Completed{(*task)->attempt, true, "{}", {}}).ok()) _exit(255);
    ++done;
  }
  _exit(store.ok() ? done : 255);
}

TEST(SqliteJobStore, TwoProcessesShareAQueueWithoutADoubleLease) {
  const Folder folder;
  constexpr int kTasks = 24;
  const std::string file = folder.file("tasks.sqlite");
  {
    auto store = open_sqlite_job_store(file).value();
    for (int i = 0; i < kTasks; ++i) store->submit(request(cat("t", i))).value();
  }  // no connection is carried over fork()
  const pid_t children[] = {drain_in_child(file, kTasks), drain_in_child(file, kTasks)};
  int done = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 255);
    done += WEXITSTATUS(status);
  }
  EXPECT_EQ(done, kTasks);
  auto store = open_sqlite_job_store(file).value();
  EXPECT_EQ(store->stats()->succeeded, kTasks);
  for (int i = 0; i < kTasks; ++i) EXPECT_EQ(store->get(cat("t", i))->attempt, 1);
}

TEST(SqliteJobStore, AWatcherHearsOfChangesMadeThroughAnotherStore) {
  const Folder folder;
  auto server = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
  auto worker = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
  std::thread elsewhere([&] {
    worker->wait_for_work(absl::InfiniteDuration());
    const auto task = worker->lease("w", kTtl).value();
    EXPECT_TRUE(worker->heartbeat(task->id, task->attempt, "drape", 0.5, kTtl).ok());
    EXPECT_TRUE(worker->apply(task->id, Completed{task->attempt, true, "{}", {}}).ok());
  });
  TaskRecord task = server->submit(request("a")).value();
  while (!is_final(task.state)) {
    task = server->wait("a", task.version, absl::InfiniteDuration()).value();
  }
  EXPECT_EQ(task.state, TaskState::kSucceeded);
  elsewhere.join();
}

TEST(SqliteJobStore, ManyMayOpenANewFileAtOnce) {
  const Folder folder;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      auto store = open_sqlite_job_store(folder.file("tasks.sqlite"));
      ASSERT_TRUE(store.ok()) << store.status();
      EXPECT_TRUE((*store)->submit(request(cat("t", i))).ok());
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(open_sqlite_job_store(folder.file("tasks.sqlite")).value()->stats()->queued, 6);
}

TEST(SqliteJobStore, AFolderThatIsNotThereOrAFileThatIsNoStoreIsUnavailable) {
  const Folder folder;
  EXPECT_EQ(open_sqlite_job_store(folder.file("nowhere/tasks.sqlite")).status().code(), absl::StatusCode::kUnavailable);
  FILE* file = fopen(folder.file("noise").c_str(), "w");
  fputs(std::string(4096, 'x').c_str(), file);
  fclose(file);
  EXPECT_EQ(open_sqlite_job_store(folder.file("noise")).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tryon
