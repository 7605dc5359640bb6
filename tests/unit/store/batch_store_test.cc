// The batches of every JobStore.
#include <gtest/gtest.h>

#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"
#include "tests/unit/store/store_suite.h"

namespace tryon {
namespace {

using testing::kSecond;
using testing::kTtl;
using testing::reason_of;
using testing::request;

class BatchStoreTest : public testing::JobStoreTest {
 protected:
  static BatchRecord batch(const std::string& id, int64_t total) {
    BatchRecord record;
    record.id = id;
    record.spec = "{}";
    record.total = total;
    record.cursor = "start";
    record.blobs = {"manifest"};
    return record;
  }
  static TaskRecord drape(const std::string& id) {
    TaskRecord task = request(id);
    task.lane = Lane::kBatch;
    return task;
  }
  // Items [from, from + ids) as drapes of these ids; an empty id is an item that cannot become a task.
  static BatchStep step(int64_t from, const std::vector<std::string>& ids) {
    BatchStep out{from, from + static_cast<int64_t>(ids.size()), cat("at ", from + ids.size()), {}};
    for (size_t i = 0; i < ids.size(); ++i) {
      const int64_t index = from + static_cast<int64_t>(i);
      if (ids[i].empty()) out.items.push_back({index, std::nullopt, "why"});
      if (!ids[i].empty()) out.items.push_back({index, drape(ids[i]), ""});
    }
    return out;
  }
  void finish(const TaskRecord& task, bool settled = true) {
    ASSERT_TRUE(store_->apply(task.id, Completed{task.attempt, settled, "{}", {}}).ok());
  }
  void fail(const TaskRecord& task) {
    ASSERT_TRUE(store_->apply(task.id, Failed{task.attempt, encode_status(internal_fault("x")), false}).ok());
  }
  BatchCounts counts(const std::string& id) { return store_->get_batch(id)->counts; }
};

TEST_P(BatchStoreTest, ABatchComesBackAsItWasSubmittedAndIsSubmittedOnce) {
  const BatchRecord first = store_->submit_batch(batch("b", 3)).value();
  EXPECT_EQ(first.state, BatchState::kRunning);
  EXPECT_EQ(first.created_us, now_->load());
  EXPECT_EQ(store_->get_batch("b").value(), first);
  advance(5);
  EXPECT_EQ(store_->submit_batch(batch("b", 3)).value(), first);
  EXPECT_TRUE(store_->needs_blob("manifest").value());
  EXPECT_EQ(reason_of(store_->get_batch("x").status()), "BATCH_NOT_FOUND");
}

TEST_P(BatchStoreTest, AStepSubmitsItsTasksAndTheirEndsAreCounted) {
  store_->submit_batch(batch("b", 5)).value();
  store_->submit(drape("done")).value();
  finish(leased());
  const BatchRecord after = store_->advance_batch("b", step(0, {"done", "t1", "t2", "", "t4"})).value();
  EXPECT_EQ(after.expanded, 5);
  EXPECT_EQ(after.cursor, "at 5");
  EXPECT_EQ(after.counts, (BatchCounts{3, 0, 1, 0, 1, 0})) << "one was done before, one cannot be done";
  for (const char* id : {"t1", "t2", "t4"}) EXPECT_EQ(state(id), "QUEUED");
  finish(leased());
  finish(leased(), false);
  EXPECT_EQ(store_->settle_batch("b")->counts, (BatchCounts{1, 0, 2, 1, 1, 0}));
  fail(leased());
  const BatchRecord end = store_->settle_batch("b").value();
  EXPECT_EQ(end.counts, (BatchCounts{0, 0, 2, 1, 2, 0}));
  EXPECT_EQ(end.state, BatchState::kCompleted);
  EXPECT_EQ(store_->settle_batch("b").value(), end);
  const std::vector<BatchItem> items = store_->batch_items("b", 1, 3, std::nullopt).value();
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].task, "t1");
  EXPECT_EQ(items[2], (BatchItem{3, "", ItemOutcome::kFailed, "why"}));
  EXPECT_EQ(store_->batch_items("b", 0, 9, ItemOutcome::kFailed)->size(), 2u);
  EXPECT_TRUE(store_->live_batches()->empty());
}

TEST_P(BatchStoreTest, AStepThatAnotherServerTookIsRefusedWhole) {
  store_->submit_batch(batch("b", 4)).value();
  ASSERT_TRUE(store_->advance_batch("b", step(0, {"t0", "t1"})).ok());
  EXPECT_EQ(reason_of(store_->advance_batch("b", step(0, {"t0", "x"})).status()), "STALE_STEP");
  EXPECT_EQ(reason_of(store_->get("x").status()), "TASK_NOT_FOUND");
  EXPECT_EQ(store_->batch_items("b", 0, 9, std::nullopt)->size(), 2u);
}

TEST_P(BatchStoreTest, APauseTakesBackWhatWaitsAndAResumeGivesItAgain) {
  store_->submit_batch(batch("b", 3)).value();
  ASSERT_TRUE(store_->advance_batch("b", step(0, {"t0", "t1"})).ok());
  const TaskRecord running = leased();
  const BatchRecord paused = store_->move_batch("b", BatchEvent::kPause).value();
  EXPECT_EQ(paused.state, BatchState::kPaused);
  EXPECT_EQ(paused.counts, (BatchCounts{1, 1, 0, 0, 0, 0}));
  EXPECT_FALSE(store_->lease("w", kTtl).value().has_value());
  EXPECT_EQ(reason_of(store_->advance_batch("b", step(2, {"t2"})).status()), "STALE_STEP");
  finish(running);
  EXPECT_EQ(store_->settle_batch("b")->counts, (BatchCounts{0, 1, 1, 0, 0, 0}));
  ASSERT_TRUE(store_->move_batch("b", BatchEvent::kResume).ok());
  BatchStep again = step(2, {"t2"});
  again.items.insert(again.items.begin(), {1, drape("t1"), ""});
  EXPECT_EQ(store_->advance_batch("b", again)->counts, (BatchCounts{2, 0, 1, 0, 0, 0}));
  finish(leased());
  finish(leased());
  EXPECT_EQ(store_->settle_batch("b")->state, BatchState::kCompleted);
}

TEST_P(BatchStoreTest, ACancelledBatchEndsOnlyWhatNobodyElseWaitsFor) {
  for (const char* id : {"b", "other"}) store_->submit_batch(batch(id, 9)).value();
  ASSERT_TRUE(store_->advance_batch("b", step(0, {"mine", "shared", "asked", "runs"})).ok());
  ASSERT_TRUE(store_->advance_batch("other", step(0, {"shared"})).ok());
  store_->submit(request("asked")).value();  // somebody interactive
  EXPECT_EQ(store_->get("asked")->lane, Lane::kInteractive);
  const TaskRecord asked = leased(), running = leased();
  EXPECT_EQ(asked.id, "asked") << "it left the batch lane";
  const BatchRecord cancelling = store_->move_batch("b", BatchEvent::kCancel).value();
  EXPECT_EQ(cancelling.state, BatchState::kCancelling);
  EXPECT_EQ(store_->get(running.id)->cancel_requested, true);
  EXPECT_FALSE(store_->get("asked")->cancel_requested);
  EXPECT_EQ(state("shared"), "QUEUED");
  store_->apply(running.id, CancelAcknowledged{running.attempt}).value();
  const BatchRecord end = store_->settle_batch("b").value();
  EXPECT_EQ(end.state, BatchState::kCancelled);
  EXPECT_EQ(end.counts, (BatchCounts{0, 0, 0, 0, 0, 4}));
}

TEST_P(BatchStoreTest, ARetryHoldsWhatFailedAndWasCancelled) {
  store_->submit_batch(batch("b", 3)).value();
  ASSERT_TRUE(store_->advance_batch("b", step(0, {"t0", "", "t2"})).ok());
  finish(leased());
  ASSERT_TRUE(store_->move_batch("b", BatchEvent::kCancel).ok());
  EXPECT_EQ(store_->settle_batch("b")->state, BatchState::kCancelled);
  const BatchRecord again = store_->move_batch("b", BatchEvent::kRetry).value();
  EXPECT_EQ(again.state, BatchState::kRunning);
  EXPECT_EQ(again.counts, (BatchCounts{0, 2, 1, 0, 0, 0}));
  const auto held = store_->batch_items("b", 0, 9, ItemOutcome::kHeld).value();
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(held[0].index, 1);
  EXPECT_EQ(store_->live_batches().value(), std::vector<std::string>{"b"});
}

TEST_P(BatchStoreTest, AnErasedTaskIsSettledAsCancelled) {
  store_->submit_batch(batch("b", 1)).value();
  ASSERT_TRUE(store_->advance_batch("b", step(0, {"t0"})).ok());
  finish(leased());
  ASSERT_TRUE(store_->erase("t0").ok());
  EXPECT_EQ(store_->settle_batch("b")->counts, (BatchCounts{0, 0, 0, 0, 0, 1}));
}

TEST_P(BatchStoreTest, ErasingABatchLeavesItsTasksAndLetsItsManifestGo) {
  store_->submit_batch(batch("b", 1)).value();
  ASSERT_TRUE(store_->advance_batch("b", step(0, {"t0"})).ok());
  EXPECT_EQ(reason_of(store_->erase_batch("b")), "BATCH_STATE");
  finish(leased());
  store_->settle_batch("b").value();
  ASSERT_TRUE(store_->erase_batch("b").ok());
  EXPECT_EQ(reason_of(store_->get_batch("b").status()), "BATCH_NOT_FOUND");
  EXPECT_EQ(state("t0"), "SUCCEEDED");
  EXPECT_FALSE(store_->needs_blob("manifest").value());
  EXPECT_EQ(store_->spent_blobs(9).value(), std::vector<std::string>{"manifest"});
}

TEST_P(BatchStoreTest, BatchesAreListedFromTheNewest) {
  for (int i = 0; i < 5; ++i) {
    store_->submit_batch(batch(cat("b", i), 1)).value();
    advance(i % 2);
  }
  std::vector<std::string> seen;
  std::optional<TaskCursor> after;
  for (auto page = store_->list_batches("", after, 2).value(); !page.empty();
       page = store_->list_batches("", after, 2).value()) {
    for (const BatchRecord& one : page) seen.push_back(one.id);
    after = TaskCursor{page.back().created_us, page.back().id};
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"b4", "b3", "b2", "b1", "b0"}));
}

TEST_P(BatchStoreTest, InteractiveTasksComeBeforeBatches) {
  store_->submit(drape("batch")).value();
  advance(kSecond);
  store_->submit(request("person")).value();
  EXPECT_EQ(leased().id, "person");
  EXPECT_EQ(leased().id, "batch");
}

TEST_P(BatchStoreTest, TenantsTakeTurnsHoweverMuchEachAsksFor) {
  for (int i = 0; i < 9; ++i) {
    TaskRecord task = request(cat("greedy", i));
    task.tenant = "greedy";
    store_->submit(task).value();
  }
  advance(kSecond);
  for (int i = 0; i < 3; ++i) {
    TaskRecord task = request(cat("small", i));
    task.tenant = "small";
    store_->submit(task).value();
  }
  std::string turns;
  for (int i = 0; i < 8; ++i) turns += leased().tenant[0];
  EXPECT_EQ(turns, "gsgsgsgg");
}

TEST_P(BatchStoreTest, ARetryIsNotLeasedBeforeItIsDue) {
  store_->submit(request("a")).value();
  const int attempt = leased().attempt;
  store_->apply("a", Failed{attempt, encode_status(absl::UnavailableError("x")), true}).value();
  EXPECT_FALSE(store_->lease("w", kTtl).value().has_value());
  advance(retry_delay_us("a", 1, false) - 1);
  EXPECT_FALSE(store_->lease("w", kTtl).value().has_value());
  advance(1);
  EXPECT_EQ(leased().attempt, attempt + 1);
}

TEST_P(BatchStoreTest, DeadLettersAreListedUntilTheyAreAskedForAgain) {
  for (const char* id : {"first", "second"}) {
    TaskRecord task = request(id);
    task.max_attempts = 1;
    store_->submit(task).value();
    leased("dies");
    advance(kSecond);
    EXPECT_EQ(store_->expire_worker("dies").value(), 1);
  }
  fail([&] {
    store_->submit(request("bad input")).value();
    return leased();
  }());
  const auto dead = store_->dead_letters("", std::nullopt, 9).value();
  ASSERT_EQ(dead.size(), 2u);
  EXPECT_EQ(dead[0].id, "second");
  EXPECT_EQ(store_->dead_letters("", TaskCursor{dead[0].finished_us, dead[0].id}, 9)->at(0).id, "first");
  store_->apply("second", Resubmitted{0}).value();
  EXPECT_EQ(store_->dead_letters("", std::nullopt, 9)->size(), 1u);
}

EVERY_JOB_STORE(BatchStoreTest);

}  // namespace
}  // namespace tryon
