// What it is: the thin layer over SQLite that the store needs: one connection, statements prepared once, transactions
// that roll back unless committed. Private to the store.
// How it fails: UNAVAILABLE (STORE_BUSY when another process holds the lock too long, else STORE_UNAVAILABLE).
// Thread rules: one connection, one thread at a time: its owner guards it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tryon {

// A prepared statement in use; ready for the next use once this value is gone.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}
  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement& operator=(SqliteStatement&&) = delete;
  ~SqliteStatement();

  SqliteStatement& bind(int64_t value);  // the next parameter
  SqliteStatement& bind(double value);
  SqliteStatement& bind(std::string_view value);
  absl::StatusOr<bool> step();  // true: there is a row
  absl::Status finish();        // runs to the end

  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_;
  int next_parameter_ = 1;
  int bind_result_ = 0;
};

enum class SqliteSync { kFull, kNormal };  // whether a commit waits for the disk

class SqliteDb {
 public:
  static absl::StatusOr<std::unique_ptr<SqliteDb>> open(const std::string& path, SqliteSync sync);
  ~SqliteDb();
  SqliteDb(const SqliteDb&) = delete;
  SqliteDb& operator=(const SqliteDb&) = delete;

  absl::Status run(const char* sql);  // any number of statements, no parameters, no rows
  absl::StatusOr<SqliteStatement> prepare(std::string_view sql);
  absl::StatusOr<int64_t> data_version();  // differs once another connection has committed

 private:
  explicit SqliteDb(sqlite3* db) : db_(db) {}
  sqlite3* db_;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

// BEGIN IMMEDIATE at once: a transaction that will write never has to start again half way.
class SqliteTransaction {
 public:
  static absl::StatusOr<SqliteTransaction> begin(SqliteDb* db);
  SqliteTransaction(SqliteTransaction&& other) noexcept;
  SqliteTransaction& operator=(SqliteTransaction&&) = delete;
  ~SqliteTransaction();  // rolls back what was not committed
  absl::Status commit();

 private:
  explicit SqliteTransaction(SqliteDb* db) : db_(db) {}
  SqliteDb* db_;
};

}  // namespace tryon
