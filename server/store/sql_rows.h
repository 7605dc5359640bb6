// What it is: task records to rows and back, and one piece of work on them: a transaction that counts and announces
// what it moved when it commits. Private to the SQL store. Times: microseconds since the epoch. How it fails: as
// sql_db.h; TASK_NOT_FOUND. Thread rules: as the connection.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/jobs/task.h"
#include "server/store/job_store.h"
#include "server/store/sql_db.h"

namespace tryon {

// Roles of task_link.
inline constexpr int64_t kGarmentLink = -1, kSubjectLink = 0, kKeptInputLink = 1,
                         kSpentInputLink = 2;  // the last: goes when it finished

absl::StatusOr<std::vector<std::string>> first_column(SqlStatement query);
// `lock`: SqlDb::row_lock where the record will be moved.
absl::StatusOr<std::optional<TaskRecord>> find_task(SqlDb* db, const std::string& id, std::string_view lock = {});
absl::StatusOr<TaskRecord> load_task(SqlDb* db, const std::string& id, std::string_view lock = {});
absl::StatusOr<StageSeconds> load_stages(SqlDb* db, const std::string& id);

class SqlWork {
 public:
  // `shard`: which of the count's rows this store adds to.
  static absl::StatusOr<SqlWork> begin(SqlDb* db, int64_t shard, int64_t now_us);

  SqlDb* db() { return db_; }
  int64_t now_us() const { return now_us_; }
  absl::StatusOr<TaskRecord> submit(const TaskRecord& asked);
  absl::StatusOr<TaskRecord> move(const TaskRecord& task, const TaskEvent& event);
  absl::StatusOr<TaskRecord> load_locked(const std::string& id) { return load_task(db_, id, db_->row_lock()); }
  absl::Status erase(const std::string& id);
  // All of them, first locked together, so that two of these never wait for each other.
  absl::Status expire(const std::vector<std::string>& ids);
  absl::Status commit();

 private:
  SqlWork(SqlTransaction transaction, SqlDb* db, int64_t shard, int64_t now_us)
      : transaction_(std::move(transaction)), db_(db), shard_(shard), now_us_(now_us) {}
  absl::StatusOr<bool> insert(const TaskRecord& task);
  absl::Status ask_again(const TaskRecord& asked, TaskRecord* task);
  absl::Status write_counts();
  absl::Status write_finished();

  SqlTransaction transaction_;
  SqlDb* db_;
  int64_t shard_, now_us_;
  std::map<int64_t, int64_t> counted_;  // state -> how many more
  std::vector<FinishedTask> finished_;
  std::set<std::string> changed_;  // ids, and "" for new work
};

}  // namespace tryon
