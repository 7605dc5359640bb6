#include <algorithm>
#include <condition_variable>
#include <map>
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
// Which tasks it was is found by reading the versions of those that are waited for. One thread looks for all who wait,
// while anybody does.
class PollingNews : public TaskNews {
 public:
  explicit PollingNews(std::unique_ptr<SqliteDb> db)
      : db_(std::move(db)), looker_([this] { look_again_and_again(); }) {}
  ~PollingNews() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    needed_.notify_all();
    looker_.join();
  }

  bool wait(const std::string& id, int64_t mark, absl::Time end, const Patience& patience) override {
    {
      std::lock_guard lock(mutex_);
      if (++waiting_ == 1) needed_.notify_all();
    }
    const bool news = TaskNews::wait(id, mark, end, patience);
    std::lock_guard lock(mutex_);
    --waiting_;
    return news;
  }

 private:
  // Looking takes a tenth of a core at most, however many wait.
  void look_again_and_again() {
    constexpr absl::Duration kPoll = absl::Milliseconds(20);
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      needed_.wait(lock, [this] { return waiting_ > 0 || stopping_; });
      lock.unlock();
      const absl::Time begun = absl::Now();
      if (!look().ok()) heard_of_all();  // whoever waits then hears of the fault from the store
      const absl::Duration pause = std::max(kPoll, 9 * (absl::Now() - begun));
      lock.lock();
      needed_.wait_for(lock, absl::ToChronoMilliseconds(pause), [this] { return stopping_; });
    }
  }

  absl::Status look() {
    ASSIGN_OR_RETURN(const int64_t now, db_->data_version());
    const bool committed = std::exchange(seen_, now) != now;
    const std::vector<std::string> ids = waited_for(committed);
    if (committed) heard("");
    if (versions_.size() > kRemembered) versions_.clear();
    for (const std::string& id : ids) {
      ASSIGN_OR_RETURN(const int64_t version, version_of(id));
      const auto [known, is_new] = versions_.try_emplace(id, version);
      if (is_new || std::exchange(known->second, version) != version) heard(id);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> version_of(const std::string& id) {
    ASSIGN_OR_RETURN(SqlStatement query, db_->prepare("SELECT version FROM task WHERE id = ?"));
    ASSIGN_OR_RETURN(const bool found, query.bind(std::string_view(id)).step());
    return found ? query.integer(0) : -1;
  }

  // The looker's own.
  const std::unique_ptr<SqliteDb> db_;
  int64_t seen_ = -1;
  std::map<std::string, int64_t> versions_;

  std::mutex mutex_;
  std::condition_variable needed_;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread looker_;
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
      std::move(writer), std::move(progress), std::move(reader), std::make_unique<PollingNews>(std::move(watcher)), 0,
      std::move(master)};
  return std::make_unique<SqlJobStore>(std::move(connections), clock_or_system(std::move(clock)));
}

}  // namespace tryon
