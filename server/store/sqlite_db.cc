#include "server/store/sqlite_db.h"

#include <sqlite3.h>

#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr int kBusyMs = 5000;

absl::Status sqlite_error(sqlite3* db, int result) {
  const int kind = result & 0xff;
  const char* text = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(result);
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED) {
    return make_error(absl::StatusCode::kUnavailable, "STORE_BUSY", "", cat("the task store is busy: ", text),
                      "Try again in a moment.");
  }
  return make_error(absl::StatusCode::kUnavailable, "STORE_UNAVAILABLE", "", cat("the task store failed: ", text),
                    "Check the disk of the server's data folder.");
}

// Two processes that open a new file at once may refuse each other the change to WAL without waiting: ask again.
absl::Status set_journal(SqliteDb* db) {
  absl::Status status;
  for (int waited_ms = 0; waited_ms < kBusyMs; waited_ms += 10) {
    status = db->run("PRAGMA journal_mode = WAL");
    if (status.ok()) return status;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return status;
}

class SqliteCursor : public SqlStatement::Cursor {
 public:
  SqliteCursor(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}
  ~SqliteCursor() override {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  void bind(int parameter, int64_t value) override { bound_ |= sqlite3_bind_int64(statement_, parameter, value); }
  void bind(int parameter, double value) override { bound_ |= sqlite3_bind_double(statement_, parameter, value); }
  void bind(int parameter, std::string_view value) override {
    bound_ |= sqlite3_bind_text64(statement_, parameter, value.empty() ? "" : value.data(), value.size(),
                                  SQLITE_TRANSIENT, SQLITE_UTF8);
  }

  absl::StatusOr<bool> step() override {
    if (bound_ != SQLITE_OK) return internal_fault("a value could not be bound to a statement");
    const int result = sqlite3_step(statement_);
    if (result == SQLITE_ROW) return true;
    if (result == SQLITE_DONE) return false;
    return sqlite_error(db_, result);
  }

  int64_t integer(int column) const override { return sqlite3_column_int64(statement_, column); }
  double real(int column) const override { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const override {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_;
  int bound_ = SQLITE_OK;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SqliteDb>> SqliteDb::open(const std::string& path, SqliteSync sync) {
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int result = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  std::unique_ptr<SqliteDb> db(new SqliteDb(raw));
  if (result != SQLITE_OK) return prefix_field(sqlite_error(raw, result), path);
  sqlite3_busy_timeout(raw, kBusyMs);
  if (auto status = set_journal(db.get()); !status.ok()) return prefix_field(status, path);
  RETURN_IF_ERROR(db->run(sync == SqliteSync::kFull ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"));
  RETURN_IF_ERROR(db->run("PRAGMA foreign_keys = ON"));
  return db;
}

SqliteDb::~SqliteDb() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

absl::Status SqliteDb::run(const char* sql) {
  const int result = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  return result == SQLITE_OK ? absl::OkStatus() : sqlite_error(db_, result);
}

absl::StatusOr<SqlStatement> SqliteDb::prepare(std::string_view sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return SqlStatement(std::make_unique<SqliteCursor>(db_, found->second));
  sqlite3_stmt* statement = nullptr;
  const int result =
      sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) return sqlite_error(db_, result);
  statements_.emplace(std::string(sql), statement);
  return SqlStatement(std::make_unique<SqliteCursor>(db_, statement));
}

absl::StatusOr<int64_t> SqliteDb::data_version() {
  ASSIGN_OR_RETURN(SqlStatement query, prepare("PRAGMA data_version"));
  RETURN_IF_ERROR(query.step().status());
  return query.integer(0);
}

}  // namespace tryon
