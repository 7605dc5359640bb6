#include "server/store/postgres_job_store.h"

#include <poll.h>
#include <postgresql/libpq-fe.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/job_rules.h"
#include "server/store/postgres_db.h"
#include "server/store/sql_job_store.h"
#include "server/store/sql_schema.h"

namespace tryon {
namespace {

constexpr int64_t kShards = 64;

// Hears of every commit by LISTEN, in a thread of its own. After a cut anything may have changed.
class ListeningSignal : public SqlSignal {
 public:
  explicit ListeningSignal(std::unique_ptr<PostgresDb> db) : db_(std::move(db)), thread_([this] { listen(); }) {}
  ~ListeningSignal() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    thread_.join();
  }

  absl::StatusOr<int64_t> mark(const std::string&) override {
    std::lock_guard lock(mutex_);
    return count_;
  }

  bool wait(const std::string& id, int64_t mark, absl::Time end) override {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, absl::ToChronoTime(end), [&] { return last_of(id) > mark; });
  }

 private:
  static constexpr size_t kRemembered = 10'000;
  static constexpr int kLookMs = 100;  // how soon the end of this object is noticed

  int64_t last_of(const std::string& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto found = last_.find(id);
    return found == last_.end() ? forgotten_ : found->second;
  }

  void forget() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    last_.clear();
    forgotten_ = ++count_;
  }

  bool stopping() {
    std::lock_guard lock(mutex_);
    return stopping_;
  }

  void listen() {
    bool listening = false;
    while (!stopping()) {
      if (!listening) {
        listening = db_->reconnect().ok() && db_->run(cat("LISTEN ", kPostgresChannel).c_str()).ok();
        std::lock_guard lock(mutex_);
        forget();
        changed_.notify_all();
      }
      if (!listening) {
        absl::SleepFor(absl::Milliseconds(kLookMs));
        continue;
      }
      pollfd socket{PQsocket(db_->connection()), POLLIN, 0};
      if (poll(&socket, 1, kLookMs) > 0) listening = take_in();
    }
  }

  bool take_in() {
    if (PQconsumeInput(db_->connection()) == 0) return false;
    std::lock_guard lock(mutex_);
    if (last_.size() > kRemembered) forget();
    while (PGnotify* heard = PQnotifies(db_->connection())) {
      last_[heard->extra] = ++count_;
      PQfreemem(heard);
    }
    changed_.notify_all();
    return true;
  }

  const std::unique_ptr<PostgresDb> db_;  // the thread's own
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t count_ ABSL_GUARDED_BY(mutex_) = 0, forgotten_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, int64_t> last_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

// One process at a time: the others wait at the lock, and find the tables made.
absl::Status prepare_postgres_schema(PostgresDb* db) {
  ASSIGN_OR_RETURN(SqlTransaction transaction, SqlTransaction::begin(db));
  RETURN_IF_ERROR(db->run("SELECT pg_advisory_xact_lock(7417)"));
  RETURN_IF_ERROR(db->run("CREATE TABLE IF NOT EXISTS store_schema (version BIGINT NOT NULL)"));
  {
    ASSIGN_OR_RETURN(SqlStatement query, db->prepare("SELECT version FROM store_schema"));
    ASSIGN_OR_RETURN(const bool made, query.step());
    if (made && query.integer(0) > kSchemaVersion) return schema_too_new(query.integer(0));
    if (made && query.integer(0) == kSchemaVersion) return transaction.commit();
  }
  RETURN_IF_ERROR(db->run(kSqlFrom3));
  RETURN_IF_ERROR(db->run(postgres_schema().c_str()));  // makes what is not there yet
  RETURN_IF_ERROR(db->run("DELETE FROM store_schema"));
  RETURN_IF_ERROR(db->run(cat("INSERT INTO store_schema VALUES (", kSchemaVersion, ")").c_str()));
  return transaction.commit();
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobStore>> open_postgres_job_store(const std::string& conninfo, Clock clock,
                                                                  MasterKey master) {
  ASSIGN_OR_RETURN(auto writer, PostgresDb::open(conninfo, true));
  RETURN_IF_ERROR(prepare_postgres_schema(writer.get()));
  ASSIGN_OR_RETURN(auto progress, PostgresDb::open(conninfo, false));
  ASSIGN_OR_RETURN(auto reader, PostgresDb::open(conninfo, false));
  ASSIGN_OR_RETURN(auto listener, PostgresDb::open(conninfo, false));
  SqlConnections connections{std::move(writer),
                             std::move(progress),
                             std::move(reader),
                             std::make_unique<ListeningSignal>(std::move(listener)),
                             static_cast<int64_t>(std::random_device()() % kShards),
                             std::move(master)};
  return std::make_unique<SqlJobStore>(std::move(connections), clock_or_system(std::move(clock)));
}

}  // namespace tryon
