// What it is: the task store over any SqlDb. Three connections: `writer` waits for the disk at every commit; `progress`
// does not (a heartbeat lost with the power is a heartbeat of a dead worker); `reader` only reads, so that watchers
// never wait behind a commit. Private to the store. Times: microseconds since the epoch. How it fails: as job_store.h.
// Thread rules: all methods from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "server/jobs/fair_share.h"
#include "server/store/job_store.h"
#include "server/store/sql_db.h"
#include "server/store/sql_rows.h"
#include "server/store/task_news.h"

namespace tryon {

struct SqlConnections {
  std::unique_ptr<SqlDb> writer, progress, reader;
  std::unique_ptr<TaskNews> news;
  int64_t shard = 0;  // of task_count
  MasterKey master;
};

class SqlJobStore : public JobStore {
 public:
  SqlJobStore(SqlConnections connections, Clock clock);

  absl::StatusOr<TaskRecord> submit(const TaskRecord& record) override;
  absl::StatusOr<std::optional<TaskRecord>> lease(const std::string& worker, absl::Duration ttl) override;
  absl::StatusOr<Directive> heartbeat(const std::string& id, int attempt, const std::string& stage, double fraction,
                                      absl::Duration ttl) override;
  absl::StatusOr<TaskRecord> apply(const std::string& id, const TaskEvent& event) override;
  absl::StatusOr<int> expire_worker(const std::string& worker) override;
  absl::StatusOr<TaskRecord> get(const std::string& id) override;
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

  // sql_batches.cc
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

  // sql_seals.cc
  absl::StatusOr<Seal> keep_seal(const Seal& seal) override;
  absl::StatusOr<std::optional<Seal>> find_seal(const std::string& name) override;
  absl::Status forget_seal(const std::string& name) override;
  absl::StatusOr<std::vector<std::string>> unneeded_seals(int64_t before_us, int limit) override;

 private:
  absl::StatusOr<SqlWork> begin_work() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mutex_);
  absl::StatusOr<bool> work_waits();
  absl::Status expire_old_leases(SqlWork* work);
  absl::StatusOr<std::optional<TaskRecord>> next_task(SqlWork* work, Lane lane);
  absl::StatusOr<std::vector<TaskRecord>> load_listed(const std::vector<std::string>& ids)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(reader_mutex_);

  const Clock clock_;
  const int64_t shard_;
  std::mutex writer_mutex_, progress_mutex_, reader_mutex_;
  const std::unique_ptr<SqlDb> writer_ ABSL_PT_GUARDED_BY(writer_mutex_);
  const std::unique_ptr<SqlDb> progress_ ABSL_PT_GUARDED_BY(progress_mutex_);
  const std::unique_ptr<SqlDb> reader_ ABSL_PT_GUARDED_BY(reader_mutex_);
  const std::unique_ptr<TaskNews> news_;
};

}  // namespace tryon
