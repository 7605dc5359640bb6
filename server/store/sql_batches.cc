// The batches of the SQL task store. A batch's row is locked first, then its tasks: so two servers at one batch take
// turns.
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/job_rules.h"
#include "server/store/sql_job_store.h"

namespace tryon {
namespace {

constexpr char kSelect[] =
    "SELECT id, tenant, spec, state, version, total, expanded, cursor, open, held, succeeded, unsettled, failed, "
    "cancelled, created_us, finished_us, resumed_us, done_at_resume FROM batch ";

absl::StatusOr<std::vector<std::string>> batch_blobs(SqlDb* db, const std::string& id) {
  ASSIGN_OR_RETURN(SqlStatement query, db->prepare("SELECT digest FROM batch_blob WHERE batch = ? ORDER BY part"));
  return first_column(std::move(query.bind(id)));
}

std::string about_spec(const std::string& id) { return cat("spec of batch ", id); }

// In the order of kSelect.
absl::StatusOr<BatchRecord> record_of(const SqlDb& db, const SqlStatement& row) {
  BatchRecord batch;
  batch.id = row.text(0);
  batch.tenant = row.text(1);
  ASSIGN_OR_RETURN(batch.spec, db.master.open_text(row.text(2), about_spec(batch.id)));
  batch.state = static_cast<BatchState>(row.integer(3));
  batch.version = row.integer(4);
  batch.total = row.integer(5);
  batch.expanded = row.integer(6);
  batch.cursor = row.text(7);
  batch.counts = {row.integer(8), row.integer(9), row.integer(10), row.integer(11), row.integer(12), row.integer(13)};
  batch.created_us = row.integer(14);
  batch.finished_us = row.integer(15);
  batch.resumed_us = row.integer(16);
  batch.done_at_resume = row.integer(17);
  return batch;
}

absl::StatusOr<std::optional<BatchRecord>> find_batch(SqlDb* db, const std::string& id, std::string_view lock = {}) {
  BatchRecord batch;
  {
    ASSIGN_OR_RETURN(SqlStatement query, db->prepare(cat(kSelect, "WHERE id = ?", lock)));
    ASSIGN_OR_RETURN(const bool row, query.bind(id).step());
    if (!row) return std::nullopt;
    ASSIGN_OR_RETURN(batch, record_of(*db, query));
  }
  ASSIGN_OR_RETURN(batch.blobs, batch_blobs(db, id));
  return std::optional<BatchRecord>(std::move(batch));
}

absl::StatusOr<BatchRecord> load_batch(SqlDb* db, const std::string& id, std::string_view lock = {}) {
  ASSIGN_OR_RETURN(std::optional<BatchRecord> batch, find_batch(db, id, lock));
  if (!batch) return batch_not_found(id);
  return *std::move(batch);
}

void bind_numbers(SqlStatement& statement, const BatchRecord& batch) {
  const BatchCounts& n = batch.counts;
  statement.bind(static_cast<int64_t>(batch.state)).bind(batch.version).bind(batch.expanded).bind(batch.cursor);
  statement.bind(n.open).bind(n.held).bind(n.succeeded).bind(n.unsettled).bind(n.failed).bind(n.cancelled);
  statement.bind(batch.finished_us).bind(batch.resumed_us).bind(batch.done_at_resume).bind(batch.id);
}

absl::Status update_batch(SqlDb* db, const BatchRecord& batch) {
  ASSIGN_OR_RETURN(SqlStatement update,
                   db->prepare("UPDATE batch SET state = ?, version = ?, expanded = ?, cursor = ?, open = ?, held = ?, "
                               "succeeded = ?, unsettled = ?, failed = ?, cancelled = ?, finished_us = ?, "
                               "resumed_us = ?, done_at_resume = ? WHERE id = ?"));
  bind_numbers(update, batch);
  return update.finish();
}

absl::StatusOr<bool> insert_batch(SqlDb* db, const BatchRecord& batch) {
  {
    ASSIGN_OR_RETURN(SqlStatement insert,
                     db->prepare("INSERT INTO batch (state, version, expanded, cursor, open, held, succeeded, "
                                 "unsettled, failed, cancelled, finished_us, resumed_us, done_at_resume, id, tenant, "
                                 "spec, total, created_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                 "?) ON CONFLICT DO NOTHING RETURNING id"));
    bind_numbers(insert, batch);
    insert.bind(batch.tenant)
        .bind(db->master.seal_text(batch.spec, about_spec(batch.id)))
        .bind(batch.total)
        .bind(batch.created_us);
    ASSIGN_OR_RETURN(const bool inserted, insert.step());
    if (!inserted) return false;
  }
  for (size_t part = 0; part < batch.blobs.size(); ++part) {
    ASSIGN_OR_RETURN(SqlStatement insert, db->prepare("INSERT INTO batch_blob VALUES (?, ?, ?)"));
    RETURN_IF_ERROR(insert.bind(batch.id).bind(static_cast<int64_t>(part)).bind(batch.blobs[part]).finish());
  }
  return true;
}

absl::StatusOr<std::vector<BatchItem>> load_items(SqlStatement query) {
  std::vector<BatchItem> out;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return out;
    out.push_back({query.integer(0), query.text(1), static_cast<ItemOutcome>(query.integer(2)), query.text(3)});
  }
}

absl::StatusOr<std::vector<BatchItem>> open_items(SqlDb* db, const std::string& id) {
  ASSIGN_OR_RETURN(SqlStatement query, db->prepare("SELECT idx, task, outcome, status FROM batch_item "
                                                   "WHERE batch = ? AND outcome = 0 ORDER BY idx"));
  return load_items(std::move(query.bind(id)));
}

absl::Status set_outcome(SqlDb* db, BatchRecord* batch, const BatchItem& item, ItemOutcome outcome) {
  --batch->counts.of(item.outcome);
  ++batch->counts.of(outcome);
  ASSIGN_OR_RETURN(SqlStatement update, db->prepare("UPDATE batch_item SET outcome = ? WHERE batch = ? AND idx = ?"));
  return update.bind(static_cast<int64_t>(outcome)).bind(batch->id).bind(item.index).finish();
}

// All items of one outcome to another, in one statement.
absl::Status set_all(SqlDb* db, BatchRecord* batch, ItemOutcome from, ItemOutcome to) {
  batch->counts.of(to) += std::exchange(batch->counts.of(from), 0);
  ASSIGN_OR_RETURN(SqlStatement update,
                   db->prepare("UPDATE batch_item SET outcome = ? WHERE batch = ? AND outcome = ?"));
  return update.bind(static_cast<int64_t>(to)).bind(batch->id).bind(static_cast<int64_t>(from)).finish();
}

absl::StatusOr<bool> wanted_elsewhere(SqlDb* db, const std::string& batch, const std::string& task) {
  ASSIGN_OR_RETURN(
      SqlStatement query,
      db->prepare("SELECT EXISTS (SELECT 1 FROM batch_item WHERE task = ? AND outcome = 0 AND batch <> ?)"));
  RETURN_IF_ERROR(query.bind(task).bind(batch).step().status());
  return query.integer(0) != 0;
}

// What a pause or a cancellation does to one open item.
absl::Status withdraw(SqlWork* work, BatchRecord* batch, const BatchItem& item, bool cancel) {
  ASSIGN_OR_RETURN(std::optional<TaskRecord> task, find_task(work->db(), item.task, work->db()->row_lock()));
  if (!task || is_final(task->state)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const bool elsewhere, wanted_elsewhere(work->db(), batch->id, item.task));
  const bool ours = task->lane == Lane::kBatch && !elsewhere;
  if (!cancel && task->state != TaskState::kQueued) return absl::OkStatus();  // a pause lets it run to its end
  if (ours) {
    ASSIGN_OR_RETURN(task, work->move(*task, CancelRequested{}));
    if (cancel) return absl::OkStatus();  // settled once its worker has heard
  }
  return set_outcome(work->db(), batch, item, cancel ? ItemOutcome::kCancelled : ItemOutcome::kHeld);
}

absl::Status move_items(SqlWork* work, BatchRecord* batch, BatchEvent event) {
  if (event == BatchEvent::kResume) return absl::OkStatus();
  if (event == BatchEvent::kRetry) {
    RETURN_IF_ERROR(set_all(work->db(), batch, ItemOutcome::kFailed, ItemOutcome::kHeld));
    RETURN_IF_ERROR(set_all(work->db(), batch, ItemOutcome::kCancelled, ItemOutcome::kHeld));
    batch->done_at_resume = batch->counts.done();
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<BatchItem> items, open_items(work->db(), batch->id));
  for (const BatchItem& item : items) RETURN_IF_ERROR(withdraw(work, batch, item, event == BatchEvent::kCancel));
  if (event == BatchEvent::kCancel) {
    RETURN_IF_ERROR(set_all(work->db(), batch, ItemOutcome::kHeld, ItemOutcome::kCancelled));
  }
  return absl::OkStatus();
}

absl::Status put_item(SqlWork* work, BatchRecord* batch, const BatchStep& step, const BatchStep::Item& from) {
  BatchItem item{from.index, from.task ? from.task->id : "", ItemOutcome::kFailed, from.status};
  if (from.task) {
    ASSIGN_OR_RETURN(const TaskRecord task, work->submit(*from.task));
    item.outcome = outcome_of(task);
  }
  SqlDb* const db = work->db();
  if (from.index < step.from) {  // held so far
    ASSIGN_OR_RETURN(SqlStatement update, db->prepare("UPDATE batch_item SET task = ?, status = ?, outcome = ? "
                                                      "WHERE batch = ? AND idx = ? AND outcome = 1 RETURNING idx"));
    update.bind(item.task).bind(item.status).bind(static_cast<int64_t>(item.outcome)).bind(batch->id).bind(item.index);
    ASSIGN_OR_RETURN(const bool was_held, update.step());
    if (!was_held) return absl::OkStatus();
    --batch->counts.held;
  } else {
    ASSIGN_OR_RETURN(SqlStatement insert, db->prepare("INSERT INTO batch_item VALUES (?, ?, ?, ?, ?)"));
    insert.bind(batch->id).bind(item.index).bind(item.task).bind(static_cast<int64_t>(item.outcome)).bind(item.status);
    RETURN_IF_ERROR(insert.finish());
  }
  ++batch->counts.of(item.outcome);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BatchRecord> SqlJobStore::submit_batch(const BatchRecord& record) {
  std::lock_guard lock(writer_mutex_);
  ASSIGN_OR_RETURN(SqlWork work, begin_work());
  ASSIGN_OR_RETURN(std::optional<BatchRecord> there, find_batch(work.db(), record.id));
  if (there) return *std::move(there);
  const BatchRecord fresh = fresh_batch(record, work.now_us());
  ASSIGN_OR_RETURN(const bool inserted, insert_batch(work.db(), fresh));
  if (!inserted) return load_batch(work.db(), record.id);
  RETURN_IF_ERROR(work.commit());
  return fresh;
}

absl::StatusOr<BatchRecord> SqlJobStore::get_batch(const std::string& id) {
  std::lock_guard lock(reader_mutex_);
  return load_batch(reader_.get(), id);
}

absl::StatusOr<std::vector<BatchRecord>> SqlJobStore::list_batches(const std::string& tenant,
                                                                   const std::optional<TaskCursor>& after, int limit) {
  std::lock_guard lock(reader_mutex_);
  std::vector<BatchRecord> out;
  {
    ASSIGN_OR_RETURN(SqlStatement query, reader_->prepare(cat(kSelect,
                                                              "WHERE tenant = ? AND (created_us, id) < (?, ?) "
                                                              "ORDER BY created_us DESC, id DESC LIMIT ?")));
    query.bind(tenant).bind(after ? after->created_us : INT64_MAX).bind(after ? after->id : std::string());
    query.bind(int64_t{limit});
    for (;;) {
      ASSIGN_OR_RETURN(const bool row, query.step());
      if (!row) break;
      ASSIGN_OR_RETURN(BatchRecord batch, record_of(*reader_, query));
      out.push_back(std::move(batch));
    }
  }
  for (BatchRecord& batch : out) {
    ASSIGN_OR_RETURN(batch.blobs, batch_blobs(reader_.get(), batch.id));
  }
  return out;
}

absl::StatusOr<std::vector<std::string>> SqlJobStore::live_batches() {
  std::lock_guard lock(reader_mutex_);
  ASSIGN_OR_RETURN(SqlStatement query,
                   reader_->prepare("SELECT id FROM batch WHERE state < 3 ORDER BY created_us, id"));
  return first_column(std::move(query));
}

absl::StatusOr<BatchRecord> SqlJobStore::move_batch(const std::string& id, BatchEvent event) {
  std::lock_guard lock(writer_mutex_);
  ASSIGN_OR_RETURN(SqlWork work, begin_work());
  ASSIGN_OR_RETURN(const BatchRecord before, load_batch(work.db(), id, work.db()->row_lock()));
  ASSIGN_OR_RETURN(BatchRecord batch, transition(before, event, work.now_us()));
  if (batch == before) return batch;
  RETURN_IF_ERROR(move_items(&work, &batch, event));
  batch = settled(std::move(batch), work.now_us());
  RETURN_IF_ERROR(update_batch(work.db(), batch));
  RETURN_IF_ERROR(work.commit());
  return batch;
}

absl::StatusOr<BatchRecord> SqlJobStore::advance_batch(const std::string& id, const BatchStep& step) {
  std::lock_guard lock(writer_mutex_);
  ASSIGN_OR_RETURN(SqlWork work, begin_work());
  ASSIGN_OR_RETURN(BatchRecord batch, load_batch(work.db(), id, work.db()->row_lock()));
  RETURN_IF_ERROR(check_step(batch, step));
  for (const BatchStep::Item& item : step.items) RETURN_IF_ERROR(put_item(&work, &batch, step, item));
  batch.expanded = step.to;
  batch.cursor = step.cursor;
  ++batch.version;
  batch = settled(std::move(batch), work.now_us());
  RETURN_IF_ERROR(update_batch(work.db(), batch));
  RETURN_IF_ERROR(work.commit());
  return batch;
}

absl::StatusOr<BatchRecord> SqlJobStore::settle_batch(const std::string& id) {
  std::lock_guard lock(writer_mutex_);
  std::vector<BatchItem> ended;
  {
    ASSIGN_OR_RETURN(SqlStatement query,
                     writer_->prepare("SELECT idx, task, CASE WHEN task.id IS NULL OR task.state = 4 THEN 5 "
                                      "WHEN task.state = 3 THEN 4 WHEN task.settled = 1 THEN 2 ELSE 3 END, '' "
                                      "FROM batch_item LEFT JOIN task ON task.id = batch_item.task "
                                      "WHERE batch = ? AND outcome = 0 AND (task.id IS NULL OR task.state > 1)"));
    ASSIGN_OR_RETURN(ended, load_items(std::move(query.bind(id))));
  }
  if (ended.empty()) return load_batch(writer_.get(), id);
  ASSIGN_OR_RETURN(SqlWork work, begin_work());
  ASSIGN_OR_RETURN(BatchRecord batch, load_batch(work.db(), id, work.db()->row_lock()));
  for (const BatchItem& item : ended) {
    ASSIGN_OR_RETURN(SqlStatement update,
                     work.db()->prepare("UPDATE batch_item SET outcome = ? WHERE batch = ? AND idx = ? AND "
                                        "outcome = 0 RETURNING idx"));
    ASSIGN_OR_RETURN(const bool was_open,
                     update.bind(static_cast<int64_t>(item.outcome)).bind(id).bind(item.index).step());
    if (!was_open) continue;  // another server was first
    --batch.counts.open;
    ++batch.counts.of(item.outcome);
  }
  ++batch.version;
  batch = settled(std::move(batch), work.now_us());
  RETURN_IF_ERROR(update_batch(work.db(), batch));
  RETURN_IF_ERROR(work.commit());
  return batch;
}

absl::StatusOr<std::vector<BatchItem>> SqlJobStore::batch_items(const std::string& id, int64_t from, int limit,
                                                                std::optional<ItemOutcome> outcome) {
  std::lock_guard lock(reader_mutex_);
  ASSIGN_OR_RETURN(
      SqlStatement query,
      reader_->prepare(cat("SELECT idx, task, outcome, status FROM batch_item WHERE batch = ? AND idx >= ? ",
                           outcome ? "AND outcome = ? " : "", "ORDER BY idx LIMIT ?")));
  query.bind(id).bind(from);
  if (outcome) query.bind(static_cast<int64_t>(*outcome));
  return load_items(std::move(query.bind(int64_t{limit})));
}

absl::Status SqlJobStore::erase_batch(const std::string& id) {
  std::lock_guard lock(writer_mutex_);
  {
    ASSIGN_OR_RETURN(SqlWork work, begin_work());
    ASSIGN_OR_RETURN(const BatchRecord batch, load_batch(work.db(), id, work.db()->row_lock()));
    RETURN_IF_ERROR(check_erase(batch));
    for (const char* sql :
         {"INSERT INTO blob_orphan SELECT DISTINCT digest FROM batch_blob WHERE batch = ? ON CONFLICT DO NOTHING",
          "DELETE FROM batch_blob WHERE batch = ?", "DELETE FROM batch_item WHERE batch = ?",
          "DELETE FROM batch WHERE id = ?"}) {
      ASSIGN_OR_RETURN(SqlStatement remove, work.db()->prepare(sql));
      RETURN_IF_ERROR(remove.bind(id).finish());
    }
    RETURN_IF_ERROR(work.commit());
  }
  writer_->forget_deleted();
  return absl::OkStatus();
}

}  // namespace tryon
