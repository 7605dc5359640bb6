#include "server/store/sql_rows.h"

#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/job_rules.h"

namespace tryon {
namespace {

constexpr char kSelect[] =
    "SELECT id, kind, spec, state, attempt, tries, max_attempts, version, cancel_requested, worker, created_us, "
    "started_us, finished_us, lease_expires_us, deadline_us, stage, fraction, status, settled, summary, tenant, lane, "
    "due_us, dead FROM task WHERE id = ?";
constexpr char kInsert[] =
    "INSERT INTO task (state, attempt, tries, max_attempts, version, cancel_requested, worker, created_us, "
    "started_us, finished_us, lease_expires_us, deadline_us, stage, fraction, status, settled, summary, lane, due_us, "
    "dead, id, kind, spec, tenant) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO NOTHING RETURNING id";
constexpr char kUpdate[] =
    "UPDATE task SET state = ?, attempt = ?, tries = ?, max_attempts = ?, version = ?, cancel_requested = ?, "
    "worker = ?, created_us = ?, started_us = ?, finished_us = ?, lease_expires_us = ?, deadline_us = ?, stage = ?, "
    "fraction = ?, status = ?, settled = ?, summary = ?, lane = ?, due_us = ?, dead = ? WHERE id = ?";

// What tells of a body is sealed for its row and its column: neither stands for another.
std::string about(std::string_view column, const std::string& id) { return cat(column, " of ", id); }

// In the order of kSelect.
absl::StatusOr<TaskRecord> record_of(const SqlDb& db, const SqlStatement& row) {
  TaskRecord task;
  task.id = row.text(0);
  task.kind = row.text(1);
  ASSIGN_OR_RETURN(task.spec, db.master.open_text(row.text(2), about("spec", task.id)));
  task.state = static_cast<TaskState>(row.integer(3));
  task.attempt = static_cast<int>(row.integer(4));
  task.tries = static_cast<int>(row.integer(5));
  task.max_attempts = static_cast<int>(row.integer(6));
  task.version = row.integer(7);
  task.cancel_requested = row.integer(8) != 0;
  task.worker = row.text(9);
  task.created_us = row.integer(10);
  task.started_us = row.integer(11);
  task.finished_us = row.integer(12);
  task.lease_expires_us = row.integer(13);
  task.deadline_us = row.integer(14);
  task.stage = row.text(15);
  task.fraction = row.real(16);
  task.status = row.text(17);
  task.settled = row.integer(18) != 0;
  ASSIGN_OR_RETURN(task.summary, db.master.open_text(row.text(19), about("summary", task.id)));
  task.tenant = row.text(20);
  task.lane = static_cast<Lane>(row.integer(21));
  task.due_us = row.integer(22);
  task.dead = row.integer(23) != 0;
  return task;
}

// In the order of kInsert and kUpdate.
void bind_record(const SqlDb& db, SqlStatement& statement, const TaskRecord& task) {
  statement.bind(static_cast<int64_t>(task.state)).bind(int64_t{task.attempt}).bind(int64_t{task.tries});
  statement.bind(int64_t{task.max_attempts}).bind(task.version).bind(int64_t{task.cancel_requested});
  statement.bind(task.worker).bind(task.created_us).bind(task.started_us).bind(task.finished_us);
  statement.bind(task.lease_expires_us).bind(task.deadline_us).bind(task.stage).bind(task.fraction);
  statement.bind(task.status).bind(int64_t{task.settled});
  statement.bind(db.master.seal_text(task.summary, about("summary", task.id)));
  statement.bind(static_cast<int64_t>(task.lane)).bind(task.due_us).bind(int64_t{task.dead}).bind(task.id);
}

absl::StatusOr<std::map<std::string, BlobRef>> load_outputs(SqlDb* db, const std::string& id) {
  std::map<std::string, BlobRef> out;
  ASSIGN_OR_RETURN(SqlStatement query,
                   db->prepare("SELECT name, digest, size, media_type FROM task_output WHERE task = ?"));
  query.bind(id);
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return out;
    out[query.text(0)] = {query.text(1), query.integer(2), query.text(3)};
  }
}

absl::Status load_links(SqlDb* db, TaskRecord* task) {
  ASSIGN_OR_RETURN(SqlStatement query,
                   db->prepare("SELECT role, target FROM task_link WHERE task = ? ORDER BY role, target"));
  query.bind(task->id);
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return absl::OkStatus();
    const int64_t role = query.integer(0);
    if (role == kSubjectLink) {
      task->subject = query.text(1);
    } else if (role == kGarmentLink) {
      task->garment = query.text(1);
    } else {
      task->inputs.push_back(query.text(1));
      task->keep_inputs = role == kKeptInputLink;
    }
  }
}

absl::Status add_link(SqlDb* db, const std::string& task, int64_t role, const std::string& target) {
  ASSIGN_OR_RETURN(SqlStatement insert, db->prepare("INSERT INTO task_link VALUES (?, ?, ?) ON CONFLICT DO NOTHING"));
  return insert.bind(task).bind(role).bind(target).finish();
}

absl::Status save_inputs(SqlDb* db, const TaskRecord& task) {
  {
    ASSIGN_OR_RETURN(SqlStatement clear, db->prepare("DELETE FROM task_link WHERE task = ? AND role > 0"));
    RETURN_IF_ERROR(clear.bind(task.id).finish());
  }
  for (const std::string& digest : task.inputs) {
    RETURN_IF_ERROR(add_link(db, task.id, task.keep_inputs ? kKeptInputLink : kSpentInputLink, digest));
  }
  return absl::OkStatus();
}

absl::Status drop_output(SqlDb* db, const std::string& task, const std::string& name, const BlobRef& blob) {
  {
    ASSIGN_OR_RETURN(SqlStatement orphan, db->prepare("INSERT INTO blob_orphan VALUES (?) ON CONFLICT DO NOTHING"));
    RETURN_IF_ERROR(orphan.bind(blob.digest).finish());
  }
  ASSIGN_OR_RETURN(SqlStatement drop, db->prepare("DELETE FROM task_output WHERE task = ? AND name = ?"));
  return drop.bind(task).bind(name).finish();
}

// What is no longer among them may go.
absl::Status save_outputs(SqlDb* db, const TaskRecord& before, const TaskRecord& after) {
  for (const auto& [name, blob] : before.outputs) {
    const auto kept = after.outputs.find(name);
    if (kept == after.outputs.end() || kept->second != blob) {
      RETURN_IF_ERROR(drop_output(db, after.id, name, blob));
    }
  }
  for (const auto& [name, blob] : after.outputs) {
    const auto there = before.outputs.find(name);
    if (there != before.outputs.end() && there->second == blob) continue;
    ASSIGN_OR_RETURN(SqlStatement insert, db->prepare("INSERT INTO task_output VALUES (?, ?, ?, ?, ?)"));
    RETURN_IF_ERROR(insert.bind(after.id).bind(name).bind(blob.digest).bind(blob.size).bind(blob.media_type).finish());
  }
  return absl::OkStatus();
}

absl::Status save_stages(SqlDb* db, const TaskRecord& task) {
  for (const auto& [stage, seconds] : task.stage_seconds) {
    ASSIGN_OR_RETURN(SqlStatement insert, db->prepare("INSERT INTO task_stage VALUES (?, ?, ?)"));
    RETURN_IF_ERROR(insert.bind(task.id).bind(stage).bind(seconds).finish());
  }
  return absl::OkStatus();
}

// What a task has made so far may go.
absl::Status drop_outputs(SqlDb* db, const std::string& id) {
  for (const char* sql :
       {"INSERT INTO blob_orphan SELECT DISTINCT digest FROM task_output WHERE task = ? ON CONFLICT DO NOTHING",
        "DELETE FROM task_output WHERE task = ?"}) {
    ASSIGN_OR_RETURN(SqlStatement drop, db->prepare(sql));
    RETURN_IF_ERROR(drop.bind(id).finish());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> first_column(SqlStatement query) {
  std::vector<std::string> out;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return out;
    out.push_back(query.text(0));
  }
}

absl::StatusOr<StageSeconds> load_stages(SqlDb* db, const std::string& id) {
  StageSeconds out;
  ASSIGN_OR_RETURN(SqlStatement query, db->prepare("SELECT stage, seconds FROM task_stage WHERE task = ?"));
  query.bind(id);
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return out;
    out[query.text(0)] = query.real(1);
  }
}

absl::StatusOr<std::optional<TaskRecord>> find_task(SqlDb* db, const std::string& id, std::string_view lock) {
  TaskRecord task;
  {
    ASSIGN_OR_RETURN(SqlStatement query, db->prepare(cat(kSelect, lock)));
    ASSIGN_OR_RETURN(const bool row, query.bind(id).step());
    if (!row) return std::nullopt;
    ASSIGN_OR_RETURN(task, record_of(*db, query));
  }
  RETURN_IF_ERROR(load_links(db, &task));
  // A success never changes again, so the three reads agree; a failure asked for again has lost its files, nothing
  // more. One that runs may have files already that its next version tells of.
  if (task.state == TaskState::kQueued || task.state == TaskState::kCancelled) return std::optional(std::move(task));
  ASSIGN_OR_RETURN(task.outputs, load_outputs(db, id));
  if (is_final(task.state)) {
    ASSIGN_OR_RETURN(task.stage_seconds, load_stages(db, id));
  }
  return std::optional<TaskRecord>(std::move(task));
}

absl::StatusOr<TaskRecord> load_task(SqlDb* db, const std::string& id, std::string_view lock) {
  ASSIGN_OR_RETURN(std::optional<TaskRecord> task, find_task(db, id, lock));
  if (!task) return task_not_found(id);
  return *std::move(task);
}

absl::StatusOr<SqlWork> SqlWork::begin(SqlDb* db, int64_t shard, int64_t now_us) {
  ASSIGN_OR_RETURN(SqlTransaction transaction, SqlTransaction::begin(db));
  return SqlWork(std::move(transaction), db, shard, now_us);
}

absl::StatusOr<bool> SqlWork::insert(const TaskRecord& task) {
  {
    ASSIGN_OR_RETURN(SqlStatement insert, db_->prepare(kInsert));
    bind_record(*db_, insert, task);
    insert.bind(task.kind).bind(db_->master.seal_text(task.spec, about("spec", task.id))).bind(task.tenant);
    ASSIGN_OR_RETURN(const bool inserted, insert.step());
    if (!inserted) return false;
  }
  if (!task.subject.empty()) RETURN_IF_ERROR(add_link(db_, task.id, kSubjectLink, task.subject));
  if (!task.garment.empty()) RETURN_IF_ERROR(add_link(db_, task.id, kGarmentLink, task.garment));
  RETURN_IF_ERROR(save_inputs(db_, task));
  ++counted_[static_cast<int64_t>(task.state)];
  changed_.insert("");
  return true;
}

absl::StatusOr<TaskRecord> SqlWork::submit(const TaskRecord& asked) {
  ASSIGN_OR_RETURN(std::optional<TaskRecord> task, find_task(db_, asked.id, db_->row_lock()));
  if (!task) {
    TaskRecord fresh = fresh_task(asked, now_us_);
    ASSIGN_OR_RETURN(const bool inserted, insert(fresh));
    if (inserted) return fresh;
    ASSIGN_OR_RETURN(task, load_locked(asked.id));  // another process was first
  }
  RETURN_IF_ERROR(ask_again(asked, &*task));
  return *std::move(task);
}

absl::Status SqlWork::ask_again(const TaskRecord& asked, TaskRecord* task) {
  if (asks_again(*task)) {
    *task = asked_again(*std::move(task), asked);
    RETURN_IF_ERROR(save_inputs(db_, *task));
    ASSIGN_OR_RETURN(*task, move(*task, Resubmitted{asked.deadline_us}));
  } else if (asks_to_hasten(*task, asked)) {
    ASSIGN_OR_RETURN(*task, move(*task, Hastened{}));
  }
  return absl::OkStatus();
}

absl::StatusOr<TaskRecord> SqlWork::move(const TaskRecord& task, const TaskEvent& event) {
  ASSIGN_OR_RETURN(TaskRecord after, transition(task, event, now_us_));
  {
    ASSIGN_OR_RETURN(SqlStatement update, db_->prepare(kUpdate));
    bind_record(*db_, update, after);
    RETURN_IF_ERROR(update.finish());
  }
  if (after.state != task.state) {
    --counted_[static_cast<int64_t>(task.state)];
    ++counted_[static_cast<int64_t>(after.state)];
  }
  if (after.state == TaskState::kQueued) changed_.insert("");
  if (after.version != task.version) changed_.insert(task.id);
  if (is_final(after.state) && !is_final(task.state)) finished_.push_back(finished_task(after));
  RETURN_IF_ERROR(save_outputs(db_, task, after));
  if (is_final(after.state) && !is_final(task.state)) RETURN_IF_ERROR(save_stages(db_, after));
  return after;
}

absl::Status SqlWork::expire(const std::vector<std::string>& ids) {
  std::vector<TaskRecord> tasks;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(std::optional<TaskRecord> task, find_task(db_, id, db_->skip_locked()));
    if (task && task->state == TaskState::kRunning) tasks.push_back(*std::move(task));
  }
  for (const TaskRecord& task : tasks) RETURN_IF_ERROR(move(task, LeaseExpired{}).status());
  return absl::OkStatus();
}

absl::Status SqlWork::erase(const std::string& id) {
  ASSIGN_OR_RETURN(const TaskRecord task, load_locked(id));
  RETURN_IF_ERROR(check_erase(task));
  RETURN_IF_ERROR(drop_outputs(db_, id));
  for (const char* sql : {"INSERT INTO blob_orphan SELECT DISTINCT target FROM task_link WHERE task = ? AND role > 0 "
                          "ON CONFLICT DO NOTHING",
                          "DELETE FROM task_stage WHERE task = ?", "DELETE FROM task_link WHERE task = ?",
                          "DELETE FROM task WHERE id = ?"}) {
    ASSIGN_OR_RETURN(SqlStatement remove, db_->prepare(sql));
    RETURN_IF_ERROR(remove.bind(id).finish());
  }
  --counted_[static_cast<int64_t>(task.state)];
  changed_.insert(id);
  return absl::OkStatus();
}

absl::Status SqlWork::write_counts() {
  for (const auto& [state, more] : counted_) {
    if (more == 0) continue;
    ASSIGN_OR_RETURN(SqlStatement count,
                     db_->prepare("INSERT INTO task_count VALUES (?, ?, ?) ON CONFLICT (state, shard) DO UPDATE SET "
                                  "n = task_count.n + excluded.n"));
    RETURN_IF_ERROR(count.bind(state).bind(shard_).bind(more).finish());
  }
  return absl::OkStatus();
}

absl::Status SqlWork::write_finished() {
  if (finished_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(db_->order_commits());
  for (const FinishedTask& finish : finished_) {
    ASSIGN_OR_RETURN(SqlStatement insert,
                     db_->prepare("INSERT INTO finished (id, kind, outcome, reason, queue_seconds, run_seconds) "
                                  "VALUES (?, ?, ?, ?, ?, ?)"));
    insert.bind(finish.id).bind(finish.kind).bind(finish.outcome).bind(finish.reason);
    RETURN_IF_ERROR(insert.bind(finish.queue_seconds).bind(finish.run_seconds).finish());
  }
  ASSIGN_OR_RETURN(SqlStatement prune,
                   db_->prepare("DELETE FROM finished WHERE cursor <= (SELECT max(cursor) FROM finished) - ?"));
  return prune.bind(kFinishedKept).finish();
}

absl::Status SqlWork::commit() {
  RETURN_IF_ERROR(write_counts());
  for (const std::string& id : changed_) RETURN_IF_ERROR(db_->announce(id));
  RETURN_IF_ERROR(write_finished());
  return transaction_.commit();
}

}  // namespace tryon
