// What it is: where the queue meets the physics: leases a task, fetches its blobs, runs the pipeline, stores the
// results, and keeps the lease alive (and learns of cancellation) from a heartbeat thread. Files that the work shows
// before it is done are stored at once. No gRPC here.
// How it fails: a task's failure is written to the store; run() itself ends only when told to stop or the store is
// gone. Thread rules: one TaskRunner, one thread calling run(); finish() and stop() from any thread.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "server/base/run_context.h"
#include "server/drape/pipeline.h"
#include "server/store/blob_store.h"
#include "server/store/job_store.h"

namespace tryon {

struct RunnerOptions {
  std::string worker = "worker";
  std::string meshparse_path;  // empty: beside the running binary
  absl::Duration lease = absl::Seconds(15);
  absl::Duration heartbeat = absl::Milliseconds(100);  // also how soon a cancellation is noticed
  absl::Duration progress = absl::Milliseconds(500);   // news within a stage is told no more often than this
  absl::Duration task_limit = absl::Seconds(300);      // wall clock a task
  absl::Duration store_patience = absl::Seconds(30);   // how long the store may be out of reach before run() gives up
};

// What happened to a task, for metrics and logs: ids and durations, never the content.
struct TaskEventLog {
  std::string id, kind, outcome;  // "succeeded", "unsettled", "failed", "cancelled", "retried"
  std::string reason;             // ErrorDetail::reason, if any
  double seconds = 0.0;
  StageSeconds stage_seconds;
};

// What a task may read, verified.
struct BlobReader {
  // The bytes of a blob, by digest.
  std::function<absl::StatusOr<std::string>(const std::string& digest)> blob;
  // A file that another task made. NOT_FOUND while that task is not done; where it failed, its failure.
  std::function<absl::StatusOr<std::string>(const std::string& task, const std::string& file)> output;
  // The id of the task of the same tenant for a request with that digest.
  std::function<std::string(const std::string& digest)> id_of = [](const std::string& digest) { return digest; };
  absl::StatusOr<std::string> operator()(const std::string& digest) const { return blob(digest); }
};
// The work itself: what a task of this kind and spec yields. The runner stores it.
using TaskExecutor = std::function<absl::StatusOr<PipelineResult>(const RunContext& run, const std::string& kind,
                                                                  const std::string& spec, const BlobReader& read)>;
// The pipeline of drape/, by kind: "body", "garment", "drape". Threads as the drape's settings say.
TaskExecutor pipeline_executor(const std::string& meshparse_path);
// The same over what all its inputs begin with.
TaskExecutor pipeline_executor(PipelineInput input);

class TaskRunner {
 public:
  TaskRunner(JobStore* jobs, BlobStore* blobs, RunnerOptions options,
             std::function<void(const TaskEventLog&)> on_task = {});
  TaskRunner(JobStore* jobs, BlobStore* blobs, RunnerOptions options, TaskExecutor executor,
             std::function<void(const TaskEventLog&)> on_task);
  absl::Status run();  // until finish() or stop()
  void finish();       // leases nothing more; the running task goes on to its end
  void stop();         // finishes by releasing the running task: it goes back to the queue
  bool run_one();      // leases and runs at most one task; false if there was none

 private:
  absl::StatusOr<bool> lease_and_run();
  void run_task(const TaskRecord& task);

  JobStore* jobs_;
  BlobStore* blobs_;
  RunnerOptions options_;
  TaskExecutor executor_;
  std::function<void(const TaskEventLog&)> on_task_;
  CancelFlag finish_, stop_;
};

}  // namespace tryon
