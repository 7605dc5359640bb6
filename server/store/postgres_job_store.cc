#include "server/store/postgres_job_store.h"

#include <poll.h>
#include <postgresql/libpq-fe.h>

#include <atomic>
#include <random>
#include <thread>
#include <utility>

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
class ListeningNews : public TaskNews {
 public:
  explicit ListeningNews(std::unique_ptr<PostgresDb> db) : db_(std::move(db)), thread_([this] { listen(); }) {}
  ~ListeningNews() override {
    stopping_ = true;
    thread_.join();
  }

 private:
  static constexpr int kLookMs = 100;  // how soon the end of this object is noticed

  void listen() {
    bool listening = false;
    while (!stopping_) {
      if (!listening) {
        listening = db_->reconnect().ok() && db_->run(cat("LISTEN ", kPostgresChannel).c_str()).ok();
        heard_of_all();
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
    while (PGnotify* notice = PQnotifies(db_->connection())) {
      heard(notice->extra);
      PQfreemem(notice);
    }
    return true;
  }

  const std::unique_ptr<PostgresDb> db_;  // the thread's own
  std::atomic<bool> stopping_ = false;
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
                             std::make_unique<ListeningNews>(std::move(listener)),
                             static_cast<int64_t>(std::random_device()() % kShards),
                             std::move(master)};
  return std::make_unique<SqlJobStore>(std::move(connections), clock_or_system(std::move(clock)));
}

}  // namespace tryon
