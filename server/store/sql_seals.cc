// The seals of the SQL task store.
#include <utility>

#include "server/base/status.h"
#include "server/store/sql_job_store.h"

namespace tryon {
namespace {

absl::StatusOr<std::optional<Seal>> seal_of(SqlDb* db, const std::string& name) {
  ASSIGN_OR_RETURN(SqlStatement query, db->prepare("SELECT key, sealed, size, made_us FROM seal WHERE name = ?"));
  ASSIGN_OR_RETURN(const bool row, query.bind(name).step());
  if (!row) return std::nullopt;
  return std::optional<Seal>(Seal{name, query.text(0), query.text(1), query.integer(2), query.integer(3)});
}

}  // namespace

absl::StatusOr<Seal> SqlJobStore::keep_seal(const Seal& seal) {
  std::lock_guard lock(writer_mutex_);
  ASSIGN_OR_RETURN(SqlTransaction transaction, SqlTransaction::begin(writer_.get()));
  {
    ASSIGN_OR_RETURN(SqlStatement insert,
                     writer_->prepare("INSERT INTO seal VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"));
    insert.bind(seal.name).bind(seal.key).bind(seal.sealed).bind(seal.size).bind(clock_());
    RETURN_IF_ERROR(insert.finish());
  }
  ASSIGN_OR_RETURN(const std::optional<Seal> kept, seal_of(writer_.get(), seal.name));
  RETURN_IF_ERROR(transaction.commit());
  if (kept) return *kept;
  return make_error(absl::StatusCode::kUnavailable, "STORE_BUSY", "", "the key was forgotten while it was kept",
                    "Send the request again.");
}

absl::StatusOr<std::optional<Seal>> SqlJobStore::find_seal(const std::string& name) {
  std::lock_guard lock(reader_mutex_);
  return seal_of(reader_.get(), name);
}

absl::Status SqlJobStore::forget_seal(const std::string& name) {
  std::lock_guard lock(writer_mutex_);
  {
    ASSIGN_OR_RETURN(SqlTransaction transaction, SqlTransaction::begin(writer_.get()));
    {
      ASSIGN_OR_RETURN(SqlStatement remove, writer_->prepare("DELETE FROM seal WHERE name = ?"));
      RETURN_IF_ERROR(remove.bind(name).finish());
    }
    RETURN_IF_ERROR(transaction.commit());
  }
  writer_->forget_deleted();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> SqlJobStore::unneeded_seals(int64_t before_us, int limit) {
  std::lock_guard lock(reader_mutex_);
  ASSIGN_OR_RETURN(SqlStatement query,
                   reader_->prepare("SELECT name FROM seal WHERE made_us < ? AND "
                                    "NOT EXISTS (SELECT 1 FROM task_output WHERE digest = seal.name) AND "
                                    "NOT EXISTS (SELECT 1 FROM batch_blob WHERE digest = seal.name) AND "
                                    "NOT EXISTS (SELECT 1 FROM task_link JOIN task ON task.id = task_link.task "
                                    "WHERE target = seal.name AND (role = 1 OR (role = 2 AND state < 2))) "
                                    "ORDER BY name LIMIT ?"));
  return first_column(std::move(query.bind(before_us).bind(int64_t{limit})));
}

}  // namespace tryon
