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

}  // namespace

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : db_(other.db_),
      statement_(std::exchange(other.statement_, nullptr)),
      next_parameter_(other.next_parameter_),
      bind_result_(other.bind_result_) {}

SqliteStatement::~SqliteStatement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

SqliteStatement& SqliteStatement::bind(int64_t value) {
  bind_result_ |= sqlite3_bind_int64(statement_, next_parameter_++, value);
  return *this;
}

SqliteStatement& SqliteStatement::bind(double value) {
  bind_result_ |= sqlite3_bind_double(statement_, next_parameter_++, value);
  return *this;
}

SqliteStatement& SqliteStatement::bind(std::string_view value) {
  bind_result_ |= sqlite3_bind_text64(statement_, next_parameter_++, value.empty() ? "" : value.data(), value.size(),
                                      SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

absl::StatusOr<bool> SqliteStatement::step() {
  if (bind_result_ != SQLITE_OK) return internal_fault("a value could not be bound to a statement");
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return sqlite_error(db_, result);
}

absl::Status SqliteStatement::finish() {
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, step());
    if (!row) return absl::OkStatus();
  }
}

int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double SqliteStatement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string SqliteStatement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

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

absl::StatusOr<SqliteStatement> SqliteDb::prepare(std::string_view sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return SqliteStatement(db_, found->second);
  sqlite3_stmt* statement = nullptr;
  const int result =
      sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) return sqlite_error(db_, result);
  statements_.emplace(std::string(sql), statement);
  return SqliteStatement(db_, statement);
}

absl::StatusOr<int64_t> SqliteDb::data_version() {
  ASSIGN_OR_RETURN(SqliteStatement query, prepare("PRAGMA data_version"));
  RETURN_IF_ERROR(query.step().status());
  return query.integer(0);
}

absl::StatusOr<SqliteTransaction> SqliteTransaction::begin(SqliteDb* db) {
  RETURN_IF_ERROR(db->run("BEGIN IMMEDIATE"));
  return SqliteTransaction(db);
}

SqliteTransaction::SqliteTransaction(SqliteTransaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}

SqliteTransaction::~SqliteTransaction() {
  if (db_ != nullptr) db_->run("ROLLBACK").IgnoreError();
}

absl::Status SqliteTransaction::commit() {
  RETURN_IF_ERROR(db_->run("COMMIT"));  // on failure the destructor rolls back
  db_ = nullptr;
  return absl::OkStatus();
}

}  // namespace tryon
