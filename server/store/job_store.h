// What it is: the durable queue behind one interface; memory for tests and the in-process mode, SQLite (WAL,
// synchronous=FULL) for a machine. Every change goes through jobs/transition. Times: microseconds since the epoch.
// How it fails: NOT_FOUND (TASK_NOT_FOUND, BATCH_NOT_FOUND), ABORTED (STALE_ATTEMPT, STALE_STEP), UNAVAILABLE for the
// world's faults.
// Thread rules: all methods from any thread; the SQLite one also from any process on the same file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/jobs/batch.h"
#include "server/jobs/task.h"
#include "server/store/crypto.h"

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

// A place in a list that runs from the newest submission to the oldest.
struct TaskCursor {
  int64_t created_us = 0;
  std::string id;
  bool operator==(const TaskCursor&) const = default;
};

// The key to one sealed blob (sealed_blob_store.h). Destroying it destroys the blob, wherever copies of it lie.
struct Seal {
  std::string name;    // of the blob, as tasks have it
  std::string key;     // hex, wrapped by the master key if there is one
  std::string sealed;  // digest of the sealed bytes
  int64_t size = 0;    // of the blob itself
  int64_t made_us = 0;
  bool operator==(const Seal&) const = default;
};

// A piece of a batch's expansion: items [from, to), and held items that are tried again.
struct BatchStep {
  struct Item {
    int64_t index = 0;
    std::optional<TaskRecord> task;  // none: it cannot become one, and `status` says why
    std::string status;
  };
  int64_t from = 0, to = 0;
  std::string cursor;       // after `to`
  std::vector<Item> items;  // those of [from, to) and, before `from`, held ones
};

// How long to wait: at most `timeout`; and, where `left` is given, it is asked every `look` whether nobody wants it
// now.
struct Patience {
  Patience(absl::Duration most) : timeout(most) {}  // NOLINT(google-explicit-constructor): a duration says it all
  Patience(absl::Duration look_every, std::function<bool()> nobody_waits)
      : look(look_every), left(std::move(nobody_waits)) {}
  absl::Duration timeout = absl::InfiniteDuration(), look = absl::InfiniteDuration();
  std::function<bool()> left;
};

class JobStore {
 public:
  virtual ~JobStore() = default;
  // Idempotent by record.id: a live or succeeded task is returned as it is; a failed or cancelled one is queued again.
  // Of a new task id, kind, spec, tenant, lane, subject, inputs, keep_inputs, max_attempts and deadline_us are taken,
  // and created_us unless it is 0 (= now); of one asked for again the inputs, the lane and the deadline. A live task of
  // the batch lane that is asked for in the interactive one moves there.
  virtual absl::StatusOr<TaskRecord> submit(const TaskRecord& record) = 0;
  // A queued task, or nothing: of the interactive lane before the batch lane, of the tenant whose turn it is
  // (fair_share.h), the oldest that is due. Expired leases are returned to the queue first.
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
  // Waits until the record's version differs from `seen_version`, as long as the patience; returns the record either
  // way.
  virtual absl::StatusOr<TaskRecord> wait(const std::string& id, int64_t seen_version, const Patience& patience) = 0;
  // Waits until something may be queued, at most `timeout`.
  virtual void wait_for_work(absl::Duration timeout) = 0;
  virtual absl::StatusOr<JobStats> stats() = 0;
  // What finished after `cursor`, oldest first, at most `limit`. finished_cursor() is the newest cursor so far.
  virtual absl::StatusOr<std::vector<FinishedTask>> finished_since(int64_t cursor, int limit) = 0;
  virtual absl::StatusOr<int64_t> finished_cursor() = 0;

  // A tenant's tasks of a kind, newest first, after a place in that list; at most `limit`.
  virtual absl::StatusOr<std::vector<TaskRecord>> list(const std::string& tenant, const std::string& kind,
                                                       const std::optional<TaskCursor>& after, int limit) = 0;
  // Everybody's tasks of a kind that were created before, oldest first; at most `limit`.
  virtual absl::StatusOr<std::vector<TaskRecord>> older(const std::string& kind, int64_t before_us, int limit) = 0;
  // Ids of the tasks with that subject or garment, in order.
  virtual absl::StatusOr<std::vector<std::string>> made_from(const std::string& subject) = 0;
  // Whether a task made this blob, or reads it still (it is not finished, or keeps its inputs).
  virtual absl::StatusOr<bool> needs_blob(const std::string& digest) = 0;
  // Blobs that may go: inputs of finished tasks that do not keep them, and what erased tasks made or read; in order, at
  // most `limit`. One that another task needs is among them too: see needs_blob.
  virtual absl::StatusOr<std::vector<std::string>> spent_blobs(int limit) = 0;
  // Takes a digest off that list.
  virtual absl::Status forget_blob(const std::string& digest) = 0;
  // A tenant's dead letters, the latest first, after a place in that list (its created_us is the time of death).
  virtual absl::StatusOr<std::vector<TaskRecord>> dead_letters(const std::string& tenant,
                                                               const std::optional<TaskCursor>& after, int limit) = 0;
  // Removes every trace of a finished task but its line in finished_since; FAILED_PRECONDITION (TASK_STATE) before.
  virtual absl::Status erase(const std::string& id) = 0;

  // Idempotent by record.id: one that is there is returned as it is. Taken are id, tenant, spec, blobs, total and
  // cursor.
  virtual absl::StatusOr<BatchRecord> submit_batch(const BatchRecord& record) = 0;
  virtual absl::StatusOr<BatchRecord> get_batch(const std::string& id) = 0;
  virtual absl::StatusOr<std::vector<BatchRecord>> list_batches(const std::string& tenant,
                                                                const std::optional<TaskCursor>& after, int limit) = 0;
  virtual absl::StatusOr<std::vector<std::string>> live_batches() = 0;  // ids of those that are not final, oldest first
  // Moves a batch, and its items with it: a pause takes back (holds) those whose tasks wait in the queue; a cancel ends
  // those that nobody else waits for and settles the rest as cancelled; a retry holds the failed and the cancelled
  // ones.
  virtual absl::StatusOr<BatchRecord> move_batch(const std::string& id, BatchEvent event) = 0;
  // Submits the tasks of a step and records its items, all or nothing. ABORTED (STALE_STEP) unless the batch is RUNNING
  // and expanded to step.from.
  virtual absl::StatusOr<BatchRecord> advance_batch(const std::string& id, const BatchStep& step) = 0;
  // Takes over how the tasks of open items ended; a task that was erased counts as cancelled.
  virtual absl::StatusOr<BatchRecord> settle_batch(const std::string& id) = 0;
  // Items in order, from an index on; with `outcome` only those.
  virtual absl::StatusOr<std::vector<BatchItem>> batch_items(const std::string& id, int64_t from, int limit,
                                                             std::optional<ItemOutcome> outcome) = 0;
  // A final batch and its items; the tasks stay. FAILED_PRECONDITION (BATCH_STATE) before.
  virtual absl::Status erase_batch(const std::string& id) = 0;

  // Keeps a seal, unless there is one of that name: returns the one that is kept. made_us is the store's to set.
  virtual absl::StatusOr<Seal> keep_seal(const Seal& seal) = 0;
  virtual absl::StatusOr<std::optional<Seal>> find_seal(const std::string& name) = 0;
  // Destroys the key; no error where there is none.
  virtual absl::Status forget_seal(const std::string& name) = 0;
  // Names of seals made before that no task and no batch needs: uploads that were never used; in order, at most
  // `limit`.
  virtual absl::StatusOr<std::vector<std::string>> unneeded_seals(int64_t before_us, int limit) = 0;
};

using Clock = std::function<int64_t()>;  // microseconds since the epoch; an empty one is the system's
std::unique_ptr<JobStore> make_memory_job_store(Clock clock = {});
// Opens or creates the file; its folder must exist.
absl::StatusOr<std::unique_ptr<JobStore>> open_sqlite_job_store(const std::string& path, Clock clock = {},
                                                                MasterKey master = {});

}  // namespace tryon
