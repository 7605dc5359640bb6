// What it is: the durable queue behind one interface; memory for tests and the in-process mode, SQLite (WAL,
// synchronous=FULL) for a machine. Every change goes through jobs/transition. Times: microseconds since the epoch.
// How it fails: NOT_FOUND (TASK_NOT_FOUND), ABORTED (STALE_ATTEMPT), UNAVAILABLE for the world's faults.
// Thread rules: all methods from any thread; the SQLite one also from any process on the same file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/jobs/task.h"

namespace tryon {

enum class Directive { kContinue, kCancel, kLost };

struct JobStats {
  int64_t queued = 0, running = 0, succeeded = 0, failed = 0, cancelled = 0;
};

// One finish of one task, for counters: ids, names and durations, never the content.
struct FinishedTask {
  int64_t cursor = 0;  // grows with every finish
  std::string id, kind;
  std::string outcome;  // "succeeded", "unsettled", "failed", "cancelled"
  std::string reason;   // ErrorDetail::reason of a failure
  double queue_seconds = 0.0, run_seconds = 0.0;
  StageSeconds stage_seconds;
};
inline constexpr int64_t kFinishedKept = 100'000;  // older finishes are forgotten

class JobStore {
 public:
  virtual ~JobStore() = default;
  // Idempotent by record.id: a live or succeeded task is returned as it is; a failed or cancelled one is queued again.
  // Of a new task id, kind, spec, max_attempts and deadline_us are taken, and created_us unless it is 0 (= now).
  virtual absl::StatusOr<TaskRecord> submit(const TaskRecord& record) = 0;
  // The oldest queued task (expired leases are returned to the queue first), or nothing.
  virtual absl::StatusOr<std::optional<TaskRecord>> lease(const std::string& worker, absl::Duration ttl) = 0;
  // Renews the lease and hears of cancellation. Cheap: nothing is written while there is no news and half of the
  // lease is left.
  virtual absl::StatusOr<Directive> heartbeat(const std::string& id, int attempt, const std::string& stage,
                                              double fraction, absl::Duration ttl) = 0;
  // Completed, Failed, Released, CancelAcknowledged from the worker; CancelRequested from the service.
  virtual absl::StatusOr<TaskRecord> apply(const std::string& id, const TaskEvent& event) = 0;
  // Ends the leases of a worker that is known to be dead, at once; returns how many.
  virtual absl::StatusOr<int> expire_worker(const std::string& worker) = 0;
  virtual absl::StatusOr<TaskRecord> get(const std::string& id) = 0;
  // Waits until the record's version differs from `seen_version`, at most `timeout`; returns the record either way.
  virtual absl::StatusOr<TaskRecord> wait(const std::string& id, int64_t seen_version, absl::Duration timeout) = 0;
  // Waits until something may be queued, at most `timeout`.
  virtual void wait_for_work(absl::Duration timeout) = 0;
  virtual absl::StatusOr<JobStats> stats() = 0;
  // What finished after `cursor`, oldest first, at most `limit`. finished_cursor() is the newest cursor so far.
  virtual absl::StatusOr<std::vector<FinishedTask>> finished_since(int64_t cursor, int limit) = 0;
  virtual absl::StatusOr<int64_t> finished_cursor() = 0;
};

using Clock = std::function<int64_t()>;  // microseconds since the epoch; an empty one is the system's
std::unique_ptr<JobStore> make_memory_job_store(Clock clock = {});
// Opens or creates the file; its folder must exist.
absl::StatusOr<std::unique_ptr<JobStore>> open_sqlite_job_store(const std::string& path, Clock clock = {});

}  // namespace tryon
