// What it is: the task store in memory: for tests, and the slow and plain judge of the SQL one. Private to the store.
// Times: microseconds since the epoch. How it fails: as job_store.h. Thread rules: all methods from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "server/store/job_store.h"

namespace tryon {

class MemoryJobStore : public JobStore {
 public:
  explicit MemoryJobStore(Clock clock) : clock_(std::move(clock)) {}

  absl::StatusOr<TaskRecord> submit(const TaskRecord& record) override;
  absl::StatusOr<std::optional<TaskRecord>> lease(const std::string& worker, absl::Duration ttl) override;
  absl::StatusOr<Directive> heartbeat(const std::string& id, int attempt, const std::string& stage, double fraction,
                                      absl::Duration ttl) override;
  absl::StatusOr<TaskRecord> apply(const std::string& id, const TaskEvent& event) override;
  absl::StatusOr<int> expire_worker(const std::string& worker) override;
  absl::StatusOr<TaskRecord> get(const std::string& id) override { return wait(id, -1, absl::ZeroDuration()); }
  absl::StatusOr<TaskRecord> wait(const std::string& id, int64_t seen_version, const Patience& patience) override;
  void wait_for_work(absl::Duration timeout) override;
  absl::StatusOr<JobStats> stats() override;
  absl::StatusOr<std::vector<FinishedTask>> finished_since(int64_t cursor, int limit) override;
  absl::StatusOr<int64_t> finished_cursor() override;
  absl::StatusOr<std::vector<TaskRecord>> list(const std::string& tenant, const std::string& kind,
                                               const std::optional<TaskCursor>& after, int limit) override;
  absl::StatusOr<std::vector<TaskRecord>> older(const std::string& kind, int64_t before_us, int limit) override;
  absl::StatusOr<std::vector<std::string>> made_from(const std::string& subject) override;
  absl::StatusOr<bool> needs_blob(const std::string& digest) override;
  absl::StatusOr<std::vector<std::string>> spent_blobs(int limit) override;
  absl::Status forget_blob(const std::string& digest) override;
  absl::StatusOr<std::vector<TaskRecord>> dead_letters(const std::string& tenant,
                                                       const std::optional<TaskCursor>& after, int limit) override;
  absl::Status erase(const std::string& id) override;

  // memory_batches.cc
  absl::StatusOr<BatchRecord> submit_batch(const BatchRecord& record) override;
  absl::StatusOr<BatchRecord> get_batch(const std::string& id) override;
  absl::StatusOr<std::vector<BatchRecord>> list_batches(const std::string& tenant,
                                                        const std::optional<TaskCursor>& after, int limit) override;
  absl::StatusOr<std::vector<std::string>> live_batches() override;
  absl::StatusOr<BatchRecord> move_batch(const std::string& id, BatchEvent event) override;
  absl::StatusOr<BatchRecord> advance_batch(const std::string& id, const BatchStep& step) override;
  absl::StatusOr<BatchRecord> settle_batch(const std::string& id) override;
  absl::StatusOr<std::vector<BatchItem>> batch_items(const std::string& id, int64_t from, int limit,
                                                     std::optional<ItemOutcome> outcome) override;
  absl::Status erase_batch(const std::string& id) override;

  // memory_seals.cc
  absl::StatusOr<Seal> keep_seal(const Seal& seal) override;
  absl::StatusOr<std::optional<Seal>> find_seal(const std::string& name) override;
  absl::Status forget_seal(const std::string& name) override;
  absl::StatusOr<std::vector<std::string>> unneeded_seals(int64_t before_us, int limit) override;

 private:
  struct Batch {
    BatchRecord record;
    std::map<int64_t, BatchItem> items;
    std::set<int64_t> open;  // of the items
  };

  absl::StatusOr<TaskRecord> submit_locked(const TaskRecord& record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<TaskRecord> move(const TaskRecord& task, const TaskEvent& event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The one place where a record changes, so that the queue, the leases and the counts follow it.
  TaskRecord save(TaskRecord task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<std::string> next_task(Lane lane, int64_t now_us) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool any_due(int64_t now_us) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void note_finish(const TaskRecord& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t& count(TaskState state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  template <typename Predicate>
  absl::StatusOr<int> expire(const Predicate& is_dead) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  bool needed(const std::string& blob) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Batch*> find_batch(const std::string& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void set_outcome(Batch* batch, BatchItem* item, ItemOutcome outcome) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void set_all(Batch* batch, ItemOutcome from, ItemOutcome to) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool wanted_elsewhere(const std::string& batch, const std::string& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status withdraw(Batch* batch, BatchItem* item, bool cancel) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status move_items(Batch* batch, BatchEvent event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status put_item(Batch* batch, const BatchStep::Item& from) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, TaskRecord> tasks_ ABSL_GUARDED_BY(mutex_);
  // (due_us, id) of the queued, by lane and tenant
  std::map<std::pair<Lane, std::string>, std::set<std::pair<int64_t, std::string>>> queue_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int64_t> fair_tags_ ABSL_GUARDED_BY(mutex_);
  int64_t fair_clock_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<std::string> leased_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> orphans_ ABSL_GUARDED_BY(mutex_);  // blobs of erased tasks, and of failures asked for again
  std::deque<FinishedTask> finished_ ABSL_GUARDED_BY(mutex_);
  int64_t last_cursor_ ABSL_GUARDED_BY(mutex_) = 0;
  JobStats stats_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Batch> batches_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Seal> seals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tryon
