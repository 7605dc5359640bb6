#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
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
// One thread looks for all who wait, while anybody does.
class PollingSignal : public SqlSignal {
 public:
  explicit PollingSignal(std::unique_ptr<SqliteDb> db) : db_(std::move(db)) {}
  ~PollingSignal() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    needed_.notify_all();
    if (looker_.joinable()) looker_.join();
  }

  absl::StatusOr<int64_t> mark(const std::string&) override {
    std::lock_guard lock(mutex_);
    return look();
  }

  bool wait(const std::string&, int64_t seen, absl::Time end) override {
    std::unique_lock lock(mutex_);
    if (!looker_.joinable()) looker_ = std::thread([this] { look_again_and_again(); });
    if (++waiting_ == 1) needed_.notify_all();
    const bool heard = changed_.wait_until(lock, absl::ToChronoTime(end), [&] { return latest_ != seen; });
    --waiting_;
    return heard;
  }

 private:
  // A fault is a change: whoever waited then hears of it from the store.
  absl::StatusOr<int64_t> look() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto now = db_->data_version();
    const int64_t version = now.ok() ? *now : -1;
    if (version != std::exchange(latest_, version)) changed_.notify_all();
    return now;
  }

  void look_again_and_again() {
    constexpr auto kPoll = std::chrono::milliseconds(20);
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      needed_.wait(lock, [this] { return waiting_ > 0 || stopping_; });
      (void)look();
      needed_.wait_for(lock, kPoll, [this] { return stopping_; });
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_, needed_;
  const std::unique_ptr<SqliteDb> db_ ABSL_PT_GUARDED_BY(mutex_);
  int64_t latest_ ABSL_GUARDED_BY(mutex_) = -1;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread looker_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<JobStore>> open_sqlite_job_store(const std::string& path, Clock clock,
                                                                MasterKey master) {
  ASSIGN_OR_RETURN(auto writer, SqliteDb::open(path, SqliteSync::kFull));
  RETURN_IF_ERROR(writer->run("PRAGMA secure_delete = ON"));
  RETURN_IF_ERROR(prepare_sqlite_schema(writer.get()));
  ASSIGN_OR_RETURN(auto progress, SqliteDb::open(path, SqliteSync::kNormal));
  ASSIGN_OR_RETURN(auto reader, SqliteDb::open(path, SqliteSync::kNormal));
  ASSIGN_OR_RETURN(auto watcher, SqliteDb::open(path, SqliteSync::kNormal));
  SqlConnections connections{
      std::move(writer), std::move(progress), std::move(reader), std::make_unique<PollingSignal>(std::move(watcher)), 0,
      std::move(master)};
  return std::make_unique<SqlJobStore>(std::move(connections), clock_or_system(std::move(clock)));
}

}  // namespace tryon
