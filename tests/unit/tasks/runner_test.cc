// The queue's side of a worker, with an executor of the test's instead of the physics.
#include "server/service/tasks/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

std::string reason_of(const absl::Status& status) { return error_detail(status).value_or(ErrorDetail{}).reason; }

RunnerOptions quick() {
  RunnerOptions options;
  options.worker = "w";
  options.heartbeat = absl::Milliseconds(2);
  options.progress = absl::ZeroDuration();
  return options;
}

class RunnerTest : public testing::Test {
 protected:
  TaskRecord submit(const std::string& id = "t", int64_t deadline_us = 0) {
    TaskRecord task;
    task.id = id;
    task.kind = "drape";
    task.spec = "{}";
    task.deadline_us = deadline_us;
    return jobs_->submit(task).value();
  }

  TaskRunner runner(TaskExecutor executor, RunnerOptions options = quick()) {
    return TaskRunner(jobs_.get(), blobs_.get(), options, std::move(executor),
                      [this](const TaskEventLog& log) { logs_.push_back(log); });
  }

  // Runs one task with `executor`, once it is due, and returns the record afterwards.
  TaskRecord after(const TaskExecutor& executor, RunnerOptions options = quick()) {
    jobs_->wait_for_work(absl::Seconds(30));
    EXPECT_TRUE(runner(executor, options).run_one());
    return jobs_->get("t").value();
  }

  std::unique_ptr<JobStore> jobs_ = make_memory_job_store();
  std::unique_ptr<BlobStore> blobs_ = make_memory_blob_store();
  std::vector<TaskEventLog> logs_;
};

// Works until it is told to stop, as the pipeline does.
absl::StatusOr<PipelineResult> work_until_stopped(const RunContext& run) {
  for (;;) {
    RETURN_IF_ERROR(run.check());
    absl::SleepFor(absl::Milliseconds(1));
  }
}

TaskExecutor endless() {
  return [](const RunContext& run, const std::string&, const std::string&, const BlobReader&) {
    return work_until_stopped(run);
  };
}

TaskExecutor failing(const absl::Status& status) {
  return [status](const RunContext&, const std::string&, const std::string&,
                  const BlobReader&) -> absl::StatusOr<PipelineResult> { return status; };
}

PipelineResult some_result(bool settled = true) {
  PipelineResult result;
  result.artifacts["garment.glb"] = {"glTF bytes", "model/gltf-binary"};
  result.artifacts["metrics.json"] = {"{}", "application/json"};
  result.settled = settled;
  result.summary_json = "{\"seams\":4}";
  return result;
}

TaskExecutor yielding(const PipelineResult& result) {
  return [result](const RunContext&, const std::string&, const std::string&,
                  const BlobReader&) -> absl::StatusOr<PipelineResult> { return result; };
}

TEST_F(RunnerTest, AnEmptyQueueRunsNothing) {
  EXPECT_FALSE(runner(endless()).run_one());
  EXPECT_TRUE(logs_.empty());
}

TEST_F(RunnerTest, AResultIsStoredAsBlobsAndTheTaskSucceeds) {
  submit();
  const TaskRecord task = after(yielding(some_result()));
  EXPECT_EQ(task.state, TaskState::kSucceeded);
  EXPECT_EQ(task.summary, "{\"seams\":4}");
  ASSERT_EQ(task.outputs.size(), 2u);
  const BlobRef& glb = task.outputs.at("garment.glb");
  EXPECT_EQ(blobs_->read(glb.digest, 0, 0).value(), "glTF bytes");
  EXPECT_EQ(glb.size, 10);
  EXPECT_EQ(glb.media_type, "model/gltf-binary");
  ASSERT_EQ(logs_.size(), 1u);
  EXPECT_EQ(logs_[0].outcome, "succeeded");
  EXPECT_EQ(logs_[0].id, "t");
}

TEST_F(RunnerTest, ADrapeThatDidNotSettleIsASuccessThatSaysSo) {
  submit();
  EXPECT_FALSE(after(yielding(some_result(false))).settled);
  EXPECT_EQ(logs_[0].outcome, "unsettled");
}

TEST_F(RunnerTest, TheExecutorGetsKindSpecAndBlobsOfManyChunks) {
  std::string scan(3'500'000, 'v');
  scan += "end";
  const std::string digest = blobs_->put(scan).value();
  submit();
  const TaskRecord task = after([&](const RunContext&, const std::string& kind, const std::string& spec,
                                    const BlobReader& read) -> absl::StatusOr<PipelineResult> {
    EXPECT_EQ(kind, "drape");
    EXPECT_EQ(spec, "{}");
    EXPECT_EQ(read(digest).value(), scan);
    return some_result();
  });
  EXPECT_EQ(task.state, TaskState::kSucceeded);
  EXPECT_EQ(task.stage_seconds.count("fetch"), 1u);
  EXPECT_EQ(task.stage_seconds.count("upload"), 1u);
}

TEST_F(RunnerTest, TheCallersFaultIsFinalAndKeepsItsWords) {
  submit();
  const absl::Status fault = invalid_input("SEAM_EDGE_MISSING", "stitches[3]", "no edge 7", "Name another edge.");
  const TaskRecord task = after(failing(fault));
  EXPECT_EQ(task.state, TaskState::kFailed);
  EXPECT_EQ(decode_status(task.status), fault);
  EXPECT_EQ(logs_[0].outcome, "failed");
  EXPECT_EQ(logs_[0].reason, "SEAM_EDGE_MISSING");
}

TEST_F(RunnerTest, AMissingBlobIsFinalAndNamed) {
  submit();
  const TaskRecord task = after(
      [](const RunContext&, const std::string&, const std::string&,
         const BlobReader& read) -> absl::StatusOr<PipelineResult> { return read(std::string(64, '0')).status(); });
  EXPECT_EQ(task.state, TaskState::kFailed);
  EXPECT_EQ(reason_of(decode_status(task.status)), "BLOB_NOT_FOUND");
}

TEST_F(RunnerTest, TheWorldsFaultIsTriedAgainUntilTheTriesAreUsedUp) {
  submit();
  const absl::Status fault =
      make_error(absl::StatusCode::kUnavailable, "PARSER_NOT_STARTED", "", "cannot fork", "Try again.");
  const TaskExecutor executor = failing(fault);
  EXPECT_EQ(after(executor).state, TaskState::kQueued);
  EXPECT_EQ(logs_.back().outcome, "retried");
  EXPECT_EQ(after(executor).state, TaskState::kQueued);
  EXPECT_EQ(after(executor).state, TaskState::kFailed);
  EXPECT_EQ(logs_.back().outcome, "failed");
}

TEST_F(RunnerTest, AnExceptionFailsTheTaskAndNotTheWorker) {
  submit();
  const TaskRecord task =
      after([](const RunContext&, const std::string&, const std::string&,
               const BlobReader&) -> absl::StatusOr<PipelineResult> { throw std::runtime_error("bad mesh"); });
  EXPECT_EQ(task.state, TaskState::kFailed);
  EXPECT_EQ(reason_of(decode_status(task.status)), "INTERNAL");
}

TEST_F(RunnerTest, AFaultOfOursLeavesItsReplayAndIsToldAsItWas) {
  submit();
  const absl::Status fault = internal_fault("phase solve: particle 3 is not a finite number");
  const TaskRecord task = after(failing(with_replay(fault, "bundle")));
  EXPECT_EQ(task.state, TaskState::kFailed);
  EXPECT_EQ(decode_status(task.status), fault);
  ASSERT_EQ(task.outputs.count("replay.tryon"), 1u);
  EXPECT_EQ(blobs_->read(task.outputs.at("replay.tryon").digest, 0, 0).value(), "bundle");
  submit();
  EXPECT_TRUE(after(failing(fault)).outputs.empty());
}

TEST_F(RunnerTest, ProgressReachesTheStoreAndStagesAreTimed) {
  submit();
  const TaskRecord task = after([this](const RunContext& run, const std::string&, const std::string&,
                                       const BlobReader&) -> absl::StatusOr<PipelineResult> {
    TaskRecord seen = jobs_->get("t").value();
    for (const auto& [stage, fraction] : {std::pair{"parse", 0.0}, {"drape", 0.25}, {"drape", 0.75}}) {
      run.report(stage, fraction);
      while (seen.stage != stage || seen.fraction != fraction) {
        seen = jobs_->wait("t", seen.version, absl::InfiniteDuration()).value();
      }
    }
    return some_result();
  });
  EXPECT_EQ(task.state, TaskState::kSucceeded);
  EXPECT_GT(task.stage_seconds.at("parse"), 0.0);
  EXPECT_GT(task.stage_seconds.at("drape"), 0.0);
}

TEST_F(RunnerTest, NewsWithinAStageIsToldNoMoreOftenThanAsked) {
  std::atomic<int64_t> clock = 0;  // a heartbeat without news still looks at the store's clock
  jobs_ = make_memory_job_store([&clock] { return ++clock; });
  submit();
  RunnerOptions options = quick();
  options.progress = absl::InfiniteDuration();
  const auto await_heartbeats = [&clock] {
    for (const int64_t seen = clock; clock < seen + 3;) absl::SleepFor(absl::Milliseconds(1));
  };
  const TaskRecord task = after(
      [&](const RunContext& run, const std::string&, const std::string&,
          const BlobReader&) -> absl::StatusOr<PipelineResult> {
        run.report("sew", 0.25);
        await_heartbeats();
        EXPECT_EQ(jobs_->get("t")->fraction, 0.25);
        run.report("sew", 0.5);
        await_heartbeats();
        EXPECT_EQ(jobs_->get("t")->fraction, 0.25) << "the same stage: not yet";
        run.report("drape", 0.75);
        await_heartbeats();
        EXPECT_EQ(jobs_->get("t")->fraction, 0.75) << "a new stage: at once";
        return some_result();
      },
      options);
  EXPECT_EQ(task.state, TaskState::kSucceeded);
}

TEST_F(RunnerTest, ACancellationReachesTheWorkAndIsAcknowledged) {
  submit();
  const TaskRecord task = after([this](const RunContext& run, const std::string&, const std::string&,
                                       const BlobReader&) -> absl::StatusOr<PipelineResult> {
    EXPECT_TRUE(jobs_->apply("t", CancelRequested{}).ok());
    return work_until_stopped(run);
  });
  EXPECT_EQ(task.state, TaskState::kCancelled);
  EXPECT_EQ(logs_[0].outcome, "cancelled");
}

TEST_F(RunnerTest, WorkThatIsDoneBeforeItHearsOfACancellationCounts) {
  submit();
  RunnerOptions options = quick();
  options.heartbeat = absl::Hours(1);
  const TaskRecord task = after(
      [this](const RunContext&, const std::string&, const std::string&,
             const BlobReader&) -> absl::StatusOr<PipelineResult> {
        EXPECT_TRUE(jobs_->apply("t", CancelRequested{}).ok());
        return some_result();
      },
      options);
  EXPECT_EQ(task.state, TaskState::kSucceeded);
}

TEST_F(RunnerTest, ADeadlineThatPassesEndsTheWorkForGood) {
  submit("t", absl::ToUnixMicros(absl::Now() + absl::Milliseconds(5)));
  const TaskRecord task = after(endless());
  EXPECT_EQ(task.state, TaskState::kFailed);
  EXPECT_EQ(reason_of(decode_status(task.status)), "DEADLINE_EXCEEDED");
}

TEST_F(RunnerTest, TheWorkersOwnLimitEndsAnEndlessTask) {
  submit();
  RunnerOptions options = quick();
  options.task_limit = absl::Milliseconds(5);
  const TaskRecord task = after(endless(), options);
  EXPECT_EQ(reason_of(decode_status(task.status)), "DEADLINE_EXCEEDED");
}

TEST_F(RunnerTest, ADeadlineBeyondTheWorkersOwnLimitHolds) {
  submit("t", absl::ToUnixMicros(absl::Now() + absl::Hours(2)));
  RunnerOptions options = quick();
  options.task_limit = absl::Milliseconds(5);
  absl::Time deadline;
  after(
      [&](const RunContext& run, const std::string&, const std::string&,
          const BlobReader&) -> absl::StatusOr<PipelineResult> {
        deadline = run.deadline;
        return some_result();
      },
      options);
  EXPECT_GT(deadline, absl::Now() + absl::Hours(1));
}

TEST_F(RunnerTest, AWorkerThatLostItsLeaseStopsAndItsResultIsDiscarded) {
  submit();
  int second_attempt = 0;
  const TaskRecord task = after([&](const RunContext& run, const std::string&, const std::string&,
                                    const BlobReader&) -> absl::StatusOr<PipelineResult> {
    EXPECT_EQ(jobs_->expire_worker("w").value(), 1);
    second_attempt = jobs_->lease("other", absl::Hours(1)).value()->attempt;
    EXPECT_TRUE(absl::IsCancelled(work_until_stopped(run).status()));
    return some_result();
  });
  EXPECT_EQ(task.state, TaskState::kRunning);
  EXPECT_EQ(task.worker, "other");
  EXPECT_EQ(task.attempt, second_attempt);
  EXPECT_TRUE(task.outputs.empty());
  EXPECT_EQ(logs_[0].outcome, "retried");
  EXPECT_EQ(logs_[0].reason, "LEASE_LOST");
}

TEST_F(RunnerTest, AResultThatComesTooLateForAnyHeartbeatIsDiscardedToo) {
  submit();
  RunnerOptions options = quick();
  options.heartbeat = absl::Hours(1);
  const TaskRecord task = after(
      [this](const RunContext&, const std::string&, const std::string&,
             const BlobReader&) -> absl::StatusOr<PipelineResult> {
        EXPECT_EQ(jobs_->expire_worker("w").value(), 1);
        EXPECT_TRUE(jobs_->lease("other", absl::Hours(1)).ok());
        return some_result();
      },
      options);
  EXPECT_EQ(task.state, TaskState::kRunning);
  EXPECT_EQ(logs_[0].outcome, "retried");
  EXPECT_EQ(logs_[0].reason, "STALE_ATTEMPT");
}

TEST_F(RunnerTest, StopReleasesTheRunningTaskWithoutCostingItATry) {
  submit();
  absl::Notification working;
  TaskRunner worker = runner([&](const RunContext& run, const std::string&, const std::string&, const BlobReader&) {
    working.Notify();
    return work_until_stopped(run);
  });
  std::thread thread([&] { EXPECT_TRUE(worker.run().ok()); });
  working.WaitForNotification();
  worker.stop();
  thread.join();
  EXPECT_EQ(jobs_->get("t")->state, TaskState::kQueued);
  EXPECT_EQ(jobs_->get("t")->tries, 0);
  EXPECT_EQ(jobs_->get("t")->status, "");
}

TEST_F(RunnerTest, FinishLetsTheRunningTaskEndAndLeasesNoMore) {
  submit("t");
  submit("later");
  absl::Notification working, told;
  TaskRunner worker = runner([&](const RunContext& run, const std::string&, const std::string&, const BlobReader&) {
    working.Notify();
    told.WaitForNotification();
    EXPECT_FALSE(run.cancel.cancelled());
    return absl::StatusOr<PipelineResult>(some_result());
  });
  std::thread thread([&] { EXPECT_TRUE(worker.run().ok()); });
  working.WaitForNotification();
  worker.finish();
  told.Notify();
  thread.join();
  EXPECT_EQ(jobs_->get("t")->state, TaskState::kSucceeded);
  EXPECT_EQ(jobs_->get("later")->state, TaskState::kQueued);
}

TEST_F(RunnerTest, AnIdleRunnerStopsAndABusyQueueIsDrainedByTwo) {
  constexpr int kTasks = 20;
  TaskRunner first(jobs_.get(), blobs_.get(), quick(), yielding(some_result()), {});
  TaskRunner second(jobs_.get(), blobs_.get(), quick(), yielding(some_result()), {});
  std::thread one([&] { EXPECT_TRUE(first.run().ok()); });
  std::thread two([&] { EXPECT_TRUE(second.run().ok()); });
  for (int i = 0; i < kTasks; ++i) {
    TaskRecord task = submit(cat("t", i));
    while (!is_final(task.state)) task = jobs_->wait(task.id, task.version, absl::InfiniteDuration()).value();
    EXPECT_EQ(task.state, TaskState::kSucceeded);
    EXPECT_EQ(task.attempt, 1);
  }
  first.stop();
  second.stop();
  one.join();
  two.join();
}

TEST_F(RunnerTest, ARawScanGoesWithTheTaskThatReadItWhetherItSucceedsOrFails) {
  for (const bool succeeds : {true, false}) {
    const std::string scan = blobs_->put("a raw scan").value();
    TaskRecord task;
    task.id = succeeds ? "good" : "bad";
    task.kind = "body";
    task.inputs = {scan};
    task.keep_inputs = false;
    jobs_->submit(task).value();
    ASSERT_TRUE(runner(succeeds ? yielding(some_result()) : failing(invalid_input("BODY_NOT_HUMAN", "", "a chair", "")))
                    .run_one());
    EXPECT_FALSE(blobs_->blob_size(scan).ok()) << task.id;
    EXPECT_TRUE(jobs_->spent_blobs(1)->empty());
  }
}

TEST_F(RunnerTest, AScanStaysWhileItsTaskIsWorthAnotherTry) {
  const std::string scan = blobs_->put("a raw scan").value();
  TaskRecord task;
  task.id = "t";
  task.inputs = {scan};
  task.keep_inputs = false;
  jobs_->submit(task).value();
  after(failing(make_error(absl::StatusCode::kUnavailable, "STORE_BUSY", "", "busy", "Again.")));
  EXPECT_TRUE(blobs_->blob_size(scan).ok());
}

TEST_F(RunnerTest, ATaskReadsWhatAnotherMadeOrHearsWhyItDidNot) {
  submit("made");
  ASSERT_TRUE(runner(yielding(some_result())).run_one());
  submit("broken");
  const absl::Status fault = invalid_input("BODY_NOT_HUMAN", "x.obj", "a chair", "Send a person.");
  ASSERT_TRUE(runner(failing(fault)).run_one());
  submit("t");
  const TaskRecord task = after([&](const RunContext&, const std::string&, const std::string&,
                                    const BlobReader& read) -> absl::StatusOr<PipelineResult> {
    EXPECT_EQ(read.output("made", "garment.glb").value(), "glTF bytes");
    EXPECT_TRUE(absl::IsNotFound(read.output("made", "body.tryon").status()));
    EXPECT_TRUE(absl::IsNotFound(read.output("t", "garment.glb").status())) << "not made yet";
    EXPECT_TRUE(absl::IsNotFound(read.output("nobody", "garment.glb").status()));
    EXPECT_EQ(read.output("broken", "garment.glb").status(), fault);
    return some_result();
  });
  EXPECT_EQ(task.state, TaskState::kSucceeded);
}

// A store that is out of reach on demand.
class FlakyBlobStore : public BlobStore {
 public:
  explicit FlakyBlobStore(BlobStore* inner) : inner_(inner) {}
  bool full = false, corrupt = false;

  absl::StatusOr<int64_t> begin_upload(const std::string& upload, const std::string& digest, int64_t size) override {
    return inner_->begin_upload(upload, digest, size);
  }
  absl::StatusOr<int64_t> append_upload(const std::string& upload, int64_t offset, std::string_view bytes) override {
    return inner_->append_upload(upload, offset, bytes);
  }
  absl::StatusOr<int64_t> upload_size(const std::string& upload) override { return inner_->upload_size(upload); }
  absl::Status finish_upload(const std::string& upload) override { return inner_->finish_upload(upload); }
  absl::StatusOr<int64_t> blob_size(const std::string& digest) override { return inner_->blob_size(digest); }
  absl::StatusOr<std::string> read(const std::string& digest, int64_t offset, int64_t limit) override {
    auto bytes = inner_->read(digest, offset, limit);
    if (corrupt && bytes.ok() && !bytes->empty()) bytes->front() ^= 1;
    return bytes;
  }
  absl::Status erase(const std::string& digest) override { return inner_->erase(digest); }
  absl::Status put_named(const std::string& digest, std::string_view bytes) override {
    if (full) return make_error(absl::StatusCode::kResourceExhausted, "DISK_FULL", "", "no space", "Free some.");
    return inner_->put_named(digest, bytes);
  }

 private:
  BlobStore* inner_;
};

TEST_F(RunnerTest, AFullDiskIsWorthAnotherTry) {
  FlakyBlobStore flaky(blobs_.get());
  flaky.full = true;
  submit();
  TaskRunner worker(jobs_.get(), &flaky, quick(), yielding(some_result()), {});
  EXPECT_TRUE(worker.run_one());
  EXPECT_EQ(jobs_->get("t")->state, TaskState::kQueued);
  EXPECT_EQ(reason_of(decode_status(jobs_->get("t")->status)), "DISK_FULL");
  flaky.full = false;
  jobs_->wait_for_work(absl::Seconds(30));  // the pause between tries
  EXPECT_TRUE(worker.run_one());
  EXPECT_EQ(jobs_->get("t")->state, TaskState::kSucceeded);
}

TEST_F(RunnerTest, ABlobThatRottedOnDiskIsNeverDraped) {
  FlakyBlobStore flaky(blobs_.get());
  flaky.corrupt = true;
  const std::string digest = blobs_->put("a scan").value();
  submit();
  bool draped = false;
  TaskRunner worker(jobs_.get(), &flaky, quick(),
                    [&](const RunContext&, const std::string&, const std::string&,
                        const BlobReader& read) -> absl::StatusOr<PipelineResult> {
                      RETURN_IF_ERROR(read(digest).status());
                      draped = true;
                      return some_result();
                    },
                    {});
  EXPECT_TRUE(worker.run_one());
  EXPECT_FALSE(draped);
  EXPECT_EQ(reason_of(decode_status(jobs_->get("t")->status)), "BLOB_CORRUPT");
}

}  // namespace
}  // namespace tryon
