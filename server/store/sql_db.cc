#include "server/store/sql_db.h"

#include "server/base/status.h"

namespace tryon {

absl::Status SqlStatement::finish() {
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, step());
    if (!row) return absl::OkStatus();
  }
}

absl::StatusOr<SqlTransaction> SqlTransaction::begin(SqlDb* db) {
  RETURN_IF_ERROR(db->begin());
  return SqlTransaction(db);
}

SqlTransaction::~SqlTransaction() {
  if (db_ != nullptr) db_->run("ROLLBACK").IgnoreError();
}

absl::Status SqlTransaction::commit() {
  RETURN_IF_ERROR(db_->run("COMMIT"));  // on failure the destructor rolls back
  db_ = nullptr;
  return absl::OkStatus();
}

}  // namespace tryon
