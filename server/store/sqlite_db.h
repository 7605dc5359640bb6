// What it is: SQLite as a SqlDb: WAL, every commit on the disk where asked. Private to the store.
// How it fails: as sql_db.h; the field is the file's path.
// Thread rules: one connection, one thread at a time: its owner guards it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "server/store/sql_db.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tryon {

enum class SqliteSync { kFull, kNormal };  // whether a commit waits for the disk

class SqliteDb : public SqlDb {
 public:
  static absl::StatusOr<std::unique_ptr<SqliteDb>> open(const std::string& path, SqliteSync sync);
  ~SqliteDb() override;
  SqliteDb(const SqliteDb&) = delete;
  SqliteDb& operator=(const SqliteDb&) = delete;

  absl::Status run(const char* sql) override;
  absl::StatusOr<SqlStatement> prepare(std::string_view sql) override;
  // BEGIN IMMEDIATE: a transaction that will write never has to start again half way.
  absl::Status begin() override { return run("BEGIN IMMEDIATE"); }
  // What is deleted is overwritten (secure_delete), and the log that still tells of it is cut; where a reader holds
  // that back, the next one does it.
  void forget_deleted() override { run("PRAGMA wal_checkpoint(TRUNCATE)").IgnoreError(); }
  absl::StatusOr<int64_t> data_version();  // differs once another connection has committed

 private:
  explicit SqliteDb(sqlite3* db) : db_(db) {}
  sqlite3* db_;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

}  // namespace tryon
