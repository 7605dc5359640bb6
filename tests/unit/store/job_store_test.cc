// The queue of every JobStore.
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"
#include "tests/unit/store/store_suite.h"

namespace tryon {
namespace {

using testing::JobStoreTest;
using testing::kSecond;
using testing::kTtl;
using testing::reason_of;
using testing::request;

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
    if (attempt == 3) {  // the second loss waits before its retry
      EXPECT_FALSE(store_->lease("w", kTtl).value().has_value());
      advance(kSecond);
    }
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

TEST_P(JobStoreTest, AWatcherWhoLeavesIsLetGo) {
  const TaskRecord queued = store_->submit(request("a")).value();
  int asked = 0;
  const Patience until_asked_thrice(absl::Milliseconds(5), [&asked] { return ++asked == 3; });
  EXPECT_EQ(store_->wait("a", queued.version, until_asked_thrice).value(), queued);
  EXPECT_EQ(asked, 3);
}

TEST_P(JobStoreTest, AChangeOfAnotherTaskMovesNoWatcher) {
  const TaskRecord mine = store_->submit(request("a")).value();
  store_->submit(request("b")).value();
  std::atomic<bool> done = false;
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(store_->apply("b", CancelRequested{}).ok());
      EXPECT_TRUE(store_->submit(request("b")).ok());
      absl::SleepFor(absl::Milliseconds(5));
    }
    done = true;
  });
  EXPECT_EQ(store_->wait("a", mine.version, {absl::Milliseconds(5), [&done] { return done.load(); }}).value(), mine);
  other.join();
  EXPECT_TRUE(store_->apply("a", CancelRequested{}).ok());
  EXPECT_EQ(store_->wait("a", mine.version, absl::InfiniteDuration())->state, TaskState::kCancelled);
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

EVERY_JOB_STORE(JobStoreTest);

}  // namespace
}  // namespace tryon
