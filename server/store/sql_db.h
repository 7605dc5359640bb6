// What it is: what the SQL task store needs of a database: one connection, statements prepared once with ? for their
// parameters, transactions that roll back unless committed; and the few words in which SQLite and PostgreSQL differ.
// Private to the store.
// How it fails: UNAVAILABLE (STORE_BUSY when another holds a lock too long, else STORE_UNAVAILABLE).
// Thread rules: one connection, one thread at a time: its owner guards it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/store/crypto.h"

namespace tryon {

// A prepared statement in use; ready for the next use once this value is gone.
class SqlStatement {
 public:
  class Cursor {
   public:
    virtual ~Cursor() = default;
    virtual void bind(int parameter, int64_t value) = 0;  // parameters count from 1
    virtual void bind(int parameter, double value) = 0;
    virtual void bind(int parameter, std::string_view value) = 0;
    virtual absl::StatusOr<bool> step() = 0;
    virtual int64_t integer(int column) const = 0;
    virtual double real(int column) const = 0;
    virtual std::string text(int column) const = 0;
  };
  explicit SqlStatement(std::unique_ptr<Cursor> cursor) : cursor_(std::move(cursor)) {}

  template <typename Value>
  SqlStatement& bind(const Value& value) {  // the next parameter
    cursor_->bind(next_parameter_++, value);
    return *this;
  }
  absl::StatusOr<bool> step() { return cursor_->step(); }  // true: there is a row
  absl::Status finish();                                   // runs to the end

  int64_t integer(int column) const { return cursor_->integer(column); }
  double real(int column) const { return cursor_->real(column); }
  std::string text(int column) const { return cursor_->text(column); }

 private:
  std::unique_ptr<Cursor> cursor_;
  int next_parameter_ = 1;
};

class SqlDb {
 public:
  virtual ~SqlDb() = default;
  MasterKey master;                               // of the texts in the rows that tell of a body
  virtual absl::Status run(const char* sql) = 0;  // any number of statements, no parameters, no rows
  virtual absl::StatusOr<SqlStatement> prepare(std::string_view sql) = 0;
  virtual absl::Status begin() = 0;

  // ---- Where the two differ.
  virtual std::string_view row_lock() const { return {}; }     // after a SELECT whose row will change
  virtual std::string_view skip_locked() const { return {}; }  // the same, leaving out what others hold
  // Makes this transaction's commit come after all that have asked before: for numbers that readers follow.
  virtual absl::Status order_commits() { return absl::OkStatus(); }
  // Tells the watchers of this task (or, "", who waits for work) once the transaction is committed.
  virtual absl::Status announce(std::string_view) { return absl::OkStatus(); }
  // What was deleted leaves the files as far as this database can.
  virtual void forget_deleted() {}
};

// Begins at once with the right to write; rolls back what was not committed.
class SqlTransaction {
 public:
  static absl::StatusOr<SqlTransaction> begin(SqlDb* db);
  SqlTransaction(SqlTransaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  SqlTransaction& operator=(SqlTransaction&&) = delete;
  ~SqlTransaction();
  absl::Status commit();

 private:
  explicit SqlTransaction(SqlDb* db) : db_(db) {}
  SqlDb* db_;
};

}  // namespace tryon
