#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/store/job_rules.h"
#include "server/store/job_store.h"
#include "server/store/sql_job_store.h"
#include "server/store/sql_schema.h"
#include "server/store/sqlite_db.h"

namespace tryon {
namespace {

// Asks the file whether anybody committed, every few milliseconds: SQLite tells nobody, and the question is cheap.
class PollingSignal : public SqlSignal {
 public:
  explicit PollingSignal(std::unique_ptr<SqliteDb> db) : db_(std::move(db)) {}

  absl::StatusOr<int64_t> mark(const std::string&) override {
    std::lock_guard lock(mutex_);
    return db_->data_version();
  }

  bool wait(const std::string& id, int64_t seen, absl::Time end) override {
    constexpr absl::Duration kPoll = absl::Milliseconds(20);
    for (;;) {
      const absl::Duration left = end - absl::Now();
      if (left <= absl::ZeroDuration()) return false;
      absl::SleepFor(std::min(left, kPoll));
      const auto now = mark(id);
      if (!now.ok() || *now != seen) return true;
    }
  }

 private:
  std::mutex mutex_;
  const std::unique_ptr<SqliteDb> db_ ABSL_PT_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<JobStore>> open_sqlite_job_store(const std::string& path, Clock clock) {
  ASSIGN_OR_RETURN(auto writer, SqliteDb::open(path, SqliteSync::kFull));
  RETURN_IF_ERROR(writer->run("PRAGMA secure_delete = ON"));
  RETURN_IF_ERROR(prepare_sqlite_schema(writer.get()));
  ASSIGN_OR_RETURN(auto progress, SqliteDb::open(path, SqliteSync::kNormal));
  ASSIGN_OR_RETURN(auto reader, SqliteDb::open(path, SqliteSync::kNormal));
  ASSIGN_OR_RETURN(auto watcher, SqliteDb::open(path, SqliteSync::kNormal));
  SqlConnections connections{std::move(writer), std::move(progress), std::move(reader),
                             std::make_unique<PollingSignal>(std::move(watcher)), 0};
  return std::make_unique<SqlJobStore>(std::move(connections), clock_or_system(std::move(clock)));
}

}  // namespace tryon
