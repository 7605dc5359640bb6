#include "server/jobs/task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr int64_t kNow = 1'000'000;
constexpr int64_t kTtl = 15'000;

TaskRecord task_in(TaskState state) {
  TaskRecord task;
  task.id = "t1";
  task.kind = "drape";
  task.state = state;
  task.version = 10;
  task.lane = Lane::kBatch;
  if (state != TaskState::kQueued) task.attempt = task.tries = 1;
  if (state == TaskState::kRunning) {
    task.worker = "w1";
    task.lease_expires_us = kNow;
  }
  return task;
}

std::string reason_of(const absl::Status& status) { return error_detail(status).value_or(ErrorDetail{}).reason; }

std::string some_failure() { return encode_status(invalid_input("SEAM_EDGE_MISSING", "pattern", "no edge", "add it")); }

// The whole diagram: every event against every state. An empty outcome is a refusal.
struct Row {
  const char* event_name;
  TaskEvent event;
  const char* from_queued;
  const char* from_running;
  const char* from_succeeded;
  const char* from_failed;
  const char* from_cancelled;
};

std::vector<Row> diagram() {
  return {
      {"leased", Leased{"w2", kTtl}, "RUNNING", "", "", "", ""},
      {"heartbeat", Heartbeat{1, "drape", 0.5, kTtl}, "", "RUNNING", "", "", ""},
      {"showed", Showed{1, {{"preview.glb", {"p", 1, "x"}}}}, "", "RUNNING", "", "", ""},
      {"completed", Completed{1, true, "{}", {}}, "", "SUCCEEDED", "", "", ""},
      {"failed", Failed{1, some_failure(), false}, "", "FAILED", "", "", ""},
      {"failed, retryable", Failed{1, some_failure(), true}, "", "QUEUED", "", "", ""},
      {"released", Released{1}, "", "QUEUED", "", "", ""},
      {"cancel requested", CancelRequested{}, "CANCELLED", "RUNNING", "", "", ""},
      {"cancel acknowledged", CancelAcknowledged{1}, "", "", "", "", ""},
      {"lease expired", LeaseExpired{}, "", "QUEUED", "", "", ""},
      {"resubmitted", Resubmitted{0}, "", "", "", "QUEUED", "QUEUED"},
      {"hastened", Hastened{}, "QUEUED", "RUNNING", "", "", ""},
  };
}

TEST(Transition, TheDiagramIsExactlyTheTable) {
  const TaskState states[] = {TaskState::kQueued, TaskState::kRunning, TaskState::kSucceeded, TaskState::kFailed,
                              TaskState::kCancelled};
  const std::vector<Row> rows = diagram();
  std::vector<bool> seen(std::variant_size_v<TaskEvent>, false);
  for (const Row& row : rows) {
    seen[row.event.index()] = true;
    const char* expected[] = {row.from_queued, row.from_running, row.from_succeeded, row.from_failed,
                              row.from_cancelled};
    for (int s = 0; s < 5; ++s) {
      SCOPED_TRACE(cat(task_state_name(states[s]), " + ", row.event_name));
      TaskRecord before = task_in(states[s]);
      before.attempt = 1;  // so that the fencing token never hides the state
      const auto after = transition(before, row.event, kNow);
      if (*expected[s] == '\0') {
        ASSERT_FALSE(after.ok());
        EXPECT_EQ(after.status().code(), absl::StatusCode::kFailedPrecondition);
        EXPECT_EQ(reason_of(after.status()), is_final(states[s]) ? "TASK_FINISHED" : "TASK_STATE");
      } else {
        ASSERT_TRUE(after.ok()) << after.status();
        EXPECT_EQ(task_state_name(after->state), expected[s]);
        EXPECT_EQ(after->version, before.version + 1);
        EXPECT_EQ(is_final(after->state), after->finished_us == kNow);
        EXPECT_EQ(after->state == TaskState::kRunning, !after->worker.empty());
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0) << "an event has no row";
}

TEST(Transition, ACancelledRunningTaskNeverGoesBackToTheQueue) {
  struct {
    const char* name;
    TaskEvent event;
    TaskState to;
  } const rows[] = {
      {"cancel acknowledged", CancelAcknowledged{1}, TaskState::kCancelled},
      {"released", Released{1}, TaskState::kCancelled},
      {"failed, retryable", Failed{1, some_failure(), true}, TaskState::kCancelled},
      {"lease expired", LeaseExpired{}, TaskState::kCancelled},
      {"failed", Failed{1, some_failure(), false}, TaskState::kFailed},
      {"completed", Completed{1, true, "{}", {}}, TaskState::kSucceeded},  // it was done before the worker heard
      {"heartbeat", Heartbeat{1, "drape", 0.5, kTtl}, TaskState::kRunning},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto asked = transition(task_in(TaskState::kRunning), CancelRequested{}, kNow);
    ASSERT_TRUE(asked.ok() && asked->cancel_requested);
    const auto after = transition(*asked, row.event, kNow);
    ASSERT_TRUE(after.ok()) << after.status();
    EXPECT_EQ(task_state_name(after->state), task_state_name(row.to));
  }
}

TEST(Transition, EveryWordOfAnOlderAttemptIsRefused) {
  const TaskEvent words[] = {Heartbeat{1, "drape", 0.5, kTtl},
                             Completed{1, true, "{}", {}},
                             Failed{1, some_failure(), false},
                             Failed{1, some_failure(), true},
                             Released{1},
                             CancelAcknowledged{1}};
  for (TaskState state :
       {TaskState::kQueued, TaskState::kRunning, TaskState::kSucceeded, TaskState::kFailed, TaskState::kCancelled}) {
    for (const TaskEvent& word : words) {
      TaskRecord task = task_in(state);
      task.attempt = 2;
      task.cancel_requested = true;
      const auto after = transition(task, word, kNow);
      ASSERT_FALSE(after.ok());
      EXPECT_EQ(after.status().code(), absl::StatusCode::kAborted);
      EXPECT_EQ(reason_of(after.status()), "STALE_ATTEMPT");
    }
  }
}

TEST(Transition, ShownFilesAreThereUntilTheTaskEndsOrWaitsAgain) {
  TaskRecord task = task_in(TaskState::kRunning);
  task = transition(task, Showed{1, {{"preview.glb", {"first", 1, "x"}}, {"a", {"kept", 1, "x"}}}}, kNow).value();
  EXPECT_EQ(task.version, 11);
  task = transition(task, Showed{1, {{"preview.glb", {"second", 1, "x"}}}}, kNow).value();
  EXPECT_EQ(task.outputs.at("preview.glb").digest, "second");
  EXPECT_EQ(task.outputs.size(), 2u);
  const BlobRef made{"made", 2, "x"};
  EXPECT_EQ(transition(task, Completed{1, true, "{}", {{"garment.glb", made}}}, kNow)->outputs,
            (std::map<std::string, BlobRef>{{"garment.glb", made}}));
  EXPECT_TRUE(transition(task, Released{1}, kNow)->outputs.empty());
  EXPECT_TRUE(transition(task, LeaseExpired{}, kNow)->outputs.empty());
  EXPECT_TRUE(transition(task, Failed{1, some_failure(), true}, kNow)->outputs.empty());
  EXPECT_EQ(transition(task, Failed{1, some_failure(), false, {{"replay.tryon", made}}}, kNow)->outputs,
            (std::map<std::string, BlobRef>{{"replay.tryon", made}}));
}

TEST(Transition, ALeaseCarriesWorkerTimesAndTheNextFencingToken) {
  const auto task = transition(task_in(TaskState::kQueued), Leased{"w2", kTtl}, kNow);
  ASSERT_TRUE(task.ok());
  EXPECT_EQ(task->attempt, 1);
  EXPECT_EQ(task->tries, 1);
  EXPECT_EQ(task->worker, "w2");
  EXPECT_EQ(task->started_us, kNow);
  EXPECT_EQ(task->lease_expires_us, kNow + kTtl);
}

TEST(Transition, AHeartbeatRenewsTheLeaseAndWakesWatchersOnlyForNews) {
  const auto news = transition(task_in(TaskState::kRunning), Heartbeat{1, "drape", 0.5, kTtl}, kNow);
  ASSERT_TRUE(news.ok());
  EXPECT_EQ(news->version, 11);
  EXPECT_EQ(news->stage, "drape");
  EXPECT_EQ(news->fraction, 0.5);
  const auto same = transition(*news, Heartbeat{1, "drape", 0.5, kTtl}, kNow + 7);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->version, 11);
  EXPECT_EQ(same->lease_expires_us, kNow + 7 + kTtl);
}

TEST(Transition, TriesEndInFailureThatKeepsTheLastStatus) {
  for (const bool crash : {false, true}) {
    TaskRecord task = task_in(TaskState::kQueued);
    task.max_attempts = 2;
    for (int attempt = 1; attempt <= 2; ++attempt) {
      task = transition(task, Leased{"w", kTtl}, kNow).value();
      const TaskEvent end = crash ? TaskEvent(LeaseExpired{}) : TaskEvent(Failed{attempt, some_failure(), true});
      task = transition(task, end, kNow).value();
      EXPECT_EQ(task.state, attempt == 2 ? TaskState::kFailed : TaskState::kQueued);
    }
    EXPECT_EQ(reason_of(decode_status(task.status)), crash ? "WORKER_LOST" : "SEAM_EDGE_MISSING");
  }
}

TEST(Transition, AReleasedAttemptIsNotATryButItsTokenIsSpent) {
  TaskRecord task = task_in(TaskState::kQueued);
  task.max_attempts = 1;
  for (int attempt = 1; attempt <= 5; ++attempt) {
    task = transition(task, Leased{"w", kTtl}, kNow).value();
    EXPECT_EQ(task.attempt, attempt);
    task = transition(task, Released{attempt}, kNow).value();
    ASSERT_EQ(task.state, TaskState::kQueued);
    EXPECT_EQ(task.tries, 0);
  }
}

TEST(Transition, SuccessForgetsEarlierFailuresAndKeepsTheResult) {
  TaskRecord task = task_in(TaskState::kRunning);
  task.status = some_failure();
  const BlobRef blob{std::string(64, 'a'), 3, "model/gltf-binary"};
  const auto done = transition(task, Completed{1, false, "{\"a\":1}", {{"garment.glb", blob}}, {{"sew", 0.5}}}, kNow);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->status, "");
  EXPECT_FALSE(done->settled);
  EXPECT_EQ(done->summary, "{\"a\":1}");
  EXPECT_EQ(done->outputs.at("garment.glb"), blob);
  EXPECT_EQ(done->stage_seconds.at("sew"), 0.5);
}

TEST(Transition, AResubmittedTaskStartsAfreshWithAHigherTokenThanAnyOld) {
  TaskRecord task = task_in(TaskState::kFailed);
  task.attempt = 7;
  task.tries = 3;
  task.status = some_failure();
  task.cancel_requested = true;
  const auto again = transition(task, Resubmitted{99}, kNow);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->tries, 0);
  EXPECT_EQ(again->status, "");
  EXPECT_EQ(again->deadline_us, 99);
  EXPECT_EQ(again->created_us, kNow);
  EXPECT_FALSE(again->cancel_requested);
  EXPECT_EQ(transition(*again, Leased{"w", kTtl}, kNow)->attempt, 8);
}

TEST(Transition, RetriesWaitLongerEachTimeAndNeverTogether) {
  int64_t before = 0;
  for (int tries = 1; tries <= 12; ++tries) {
    const int64_t longest = std::min<int64_t>(60'000'000, 250'000ll << (tries - 1));
    const int64_t delay = retry_delay_us("t1", tries, false);
    EXPECT_GE(delay, longest / 2);
    EXPECT_LE(delay, longest);
    EXPECT_EQ(delay, retry_delay_us("t1", tries, false)) << "the same every time";
    EXPECT_NE(delay, retry_delay_us("t2", tries, false));
    if (longest < 60'000'000) {
      EXPECT_GE(delay, before);
    }
    before = delay;
  }
}

TEST(Transition, AFailedTryWaitsAndALostWorkersFirstDoesNot) {
  TaskRecord task = task_in(TaskState::kRunning);
  task.due_us = 7;
  const TaskRecord failed = transition(task, Failed{1, some_failure(), true}, kNow).value();
  EXPECT_EQ(failed.due_us, kNow + retry_delay_us("t1", 1, false));
  EXPECT_EQ(transition(task, LeaseExpired{}, kNow)->due_us, 7) << "its old place in the queue";
  task.tries = 2;
  EXPECT_GT(transition(task, LeaseExpired{}, kNow)->due_us, kNow) << "the second time it may be the task's doing";
  EXPECT_EQ(transition(task, Released{1}, kNow)->due_us, 7);
}

TEST(Transition, OnlyATaskWhoseTriesAreUsedUpIsADeadLetter) {
  TaskRecord last = task_in(TaskState::kRunning);
  last.max_attempts = 1;
  EXPECT_TRUE(transition(last, LeaseExpired{}, kNow)->dead);
  EXPECT_TRUE(transition(last, Failed{1, some_failure(), true}, kNow)->dead);
  EXPECT_FALSE(transition(last, Failed{1, some_failure(), false}, kNow)->dead) << "the input is bad: no retry mends it";
  const TaskRecord dead = transition(last, LeaseExpired{}, kNow).value();
  EXPECT_FALSE(transition(dead, Resubmitted{0}, kNow)->dead);
}

TEST(Transition, AHastenedTaskLeavesTheBatchLaneOnce) {
  const TaskRecord once = transition(task_in(TaskState::kQueued), Hastened{}, kNow).value();
  EXPECT_EQ(once.lane, Lane::kInteractive);
  EXPECT_EQ(transition(once, Hastened{}, kNow).value(), once);
}

TEST(Transition, AskingTwiceForCancellationIsOneAsking) {
  const TaskRecord once = transition(task_in(TaskState::kRunning), CancelRequested{}, kNow).value();
  const TaskRecord twice = transition(once, CancelRequested{}, kNow + 1).value();
  EXPECT_EQ(once, twice);
}

}  // namespace
}  // namespace tryon
