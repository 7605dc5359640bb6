// Three connections to one file: `writer_` waits for the disk at every commit; `progress_` does not (a heartbeat lost
// with the power is a heartbeat of a dead worker); `reader_` only reads, so that watchers never wait behind a commit.
#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/job_rules.h"
#include "server/store/job_store.h"
#include "server/store/sqlite_db.h"

namespace tryon {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(20);

// The hot columns stand in partial indexes of the few live tasks; counts are kept by triggers, not by scans.
constexpr char kSchema[] = R"sql(
CREATE TABLE IF NOT EXISTS task (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, spec TEXT NOT NULL, state INTEGER NOT NULL, attempt INTEGER NOT NULL,
  tries INTEGER NOT NULL, max_attempts INTEGER NOT NULL, version INTEGER NOT NULL, cancel_requested INTEGER NOT NULL,
  worker TEXT NOT NULL, created_us INTEGER NOT NULL, started_us INTEGER NOT NULL, finished_us INTEGER NOT NULL,
  lease_expires_us INTEGER NOT NULL, deadline_us INTEGER NOT NULL, stage TEXT NOT NULL, fraction REAL NOT NULL,
  status TEXT NOT NULL, settled INTEGER NOT NULL, summary TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS task_queued ON task (created_us, id) WHERE state = 0;
CREATE INDEX IF NOT EXISTS task_running ON task (lease_expires_us) WHERE state = 1;
CREATE TABLE IF NOT EXISTS task_output (
  task TEXT NOT NULL REFERENCES task (id), name TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL,
  media_type TEXT NOT NULL, PRIMARY KEY (task, name)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS task_stage (
  task TEXT NOT NULL REFERENCES task (id), stage TEXT NOT NULL, seconds REAL NOT NULL,
  PRIMARY KEY (task, stage)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS task_link (
  task TEXT NOT NULL REFERENCES task (id), role INTEGER NOT NULL, target TEXT NOT NULL,
  PRIMARY KEY (task, role, target)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS task_link_target ON task_link (target, role);
CREATE INDEX IF NOT EXISTS task_link_spent ON task_link (target) WHERE role = 2;
CREATE TABLE IF NOT EXISTS blob_orphan (digest TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS task_output_digest ON task_output (digest);
CREATE INDEX IF NOT EXISTS task_listed ON task (kind, created_us, id);
CREATE TABLE IF NOT EXISTS finished (
  cursor INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, kind TEXT NOT NULL, outcome TEXT NOT NULL,
  reason TEXT NOT NULL, queue_seconds REAL NOT NULL, run_seconds REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS task_count (state INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT;
INSERT OR IGNORE INTO task_count VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0);
CREATE TRIGGER IF NOT EXISTS task_counted AFTER INSERT ON task BEGIN
  UPDATE task_count SET n = n + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER IF NOT EXISTS task_recounted AFTER UPDATE OF state ON task WHEN OLD.state <> NEW.state BEGIN
  UPDATE task_count SET n = n - 1 WHERE state = OLD.state;
  UPDATE task_count SET n = n + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER IF NOT EXISTS task_uncounted AFTER DELETE ON task BEGIN
  UPDATE task_count SET n = n - 1 WHERE state = OLD.state;
END;
)sql";
constexpr int64_t kSchemaVersion = 2;  // 2 added task_link and what lists and erases; a file of 1 grows them on opening
// Roles of task_link.
constexpr int64_t kSubject = 0, kKeptInput = 1, kSpentInput = 2;  // the last: not kept once the task has finished

constexpr char kSelect[] =
    "SELECT id, kind, spec, state, attempt, tries, max_attempts, version, cancel_requested, worker, created_us, "
    "started_us, finished_us, lease_expires_us, deadline_us, stage, fraction, status, settled, summary FROM task ";
constexpr char kInsert[] =
    "INSERT INTO task (state, attempt, tries, max_attempts, version, cancel_requested, worker, created_us, "
    "started_us, finished_us, lease_expires_us, deadline_us, stage, fraction, status, settled, summary, id, kind, "
    "spec) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr char kUpdate[] =
    "UPDATE task SET state = ?, attempt = ?, tries = ?, max_attempts = ?, version = ?, cancel_requested = ?, "
    "worker = ?, created_us = ?, started_us = ?, finished_us = ?, lease_expires_us = ?, deadline_us = ?, stage = ?, "
    "fraction = ?, status = ?, settled = ?, summary = ? WHERE id = ?";

// In the order of kSelect.
TaskRecord record_of(const SqliteStatement& row) {
  TaskRecord task;
  task.id = row.text(0);
  task.kind = row.text(1);
  task.spec = row.text(2);
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
  task.summary = row.text(19);
  return task;
}

// In the order of kInsert and kUpdate.
void bind_record(SqliteStatement& statement, const TaskRecord& task) {
  statement.bind(static_cast<int64_t>(task.state)).bind(int64_t{task.attempt}).bind(int64_t{task.tries});
  statement.bind(int64_t{task.max_attempts}).bind(task.version).bind(int64_t{task.cancel_requested});
  statement.bind(task.worker).bind(task.created_us).bind(task.started_us).bind(task.finished_us);
  statement.bind(task.lease_expires_us).bind(task.deadline_us).bind(task.stage).bind(task.fraction);
  statement.bind(task.status).bind(int64_t{task.settled}).bind(task.summary).bind(task.id);
}

absl::StatusOr<StageSeconds> load_stages(SqliteDb* db, const std::string& id) {
  StageSeconds out;
  ASSIGN_OR_RETURN(SqliteStatement query, db->prepare("SELECT stage, seconds FROM task_stage WHERE task = ?"));
  query.bind(id);
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return out;
    out[query.text(0)] = query.real(1);
  }
}

absl::StatusOr<std::map<std::string, BlobRef>> load_outputs(SqliteDb* db, const std::string& id) {
  std::map<std::string, BlobRef> out;
  ASSIGN_OR_RETURN(SqliteStatement query,
                   db->prepare("SELECT name, digest, size, media_type FROM task_output WHERE task = ?"));
  query.bind(id);
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return out;
    out[query.text(0)] = {query.text(1), query.integer(2), query.text(3)};
  }
}

absl::Status load_links(SqliteDb* db, TaskRecord* task) {
  ASSIGN_OR_RETURN(SqliteStatement query,
                   db->prepare("SELECT role, target FROM task_link WHERE task = ? ORDER BY role, target"));
  query.bind(task->id);
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return absl::OkStatus();
    const int64_t role = query.integer(0);
    if (role == kSubject) {
      task->subject = query.text(1);
    } else {
      task->inputs.push_back(query.text(1));
      task->keep_inputs = role == kKeptInput;
    }
  }
}

absl::Status add_link(SqliteDb* db, const std::string& task, int64_t role, const std::string& target) {
  ASSIGN_OR_RETURN(SqliteStatement insert, db->prepare("INSERT OR IGNORE INTO task_link VALUES (?, ?, ?)"));
  return insert.bind(task).bind(role).bind(target).finish();
}

absl::Status save_inputs(SqliteDb* db, const TaskRecord& task) {
  {
    ASSIGN_OR_RETURN(SqliteStatement clear, db->prepare("DELETE FROM task_link WHERE task = ? AND role > 0"));
    RETURN_IF_ERROR(clear.bind(task.id).finish());
  }
  for (const std::string& digest : task.inputs) {
    RETURN_IF_ERROR(add_link(db, task.id, task.keep_inputs ? kKeptInput : kSpentInput, digest));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<TaskRecord>> find(SqliteDb* db, const std::string& id) {
  TaskRecord task;
  {
    ASSIGN_OR_RETURN(SqliteStatement query, db->prepare(cat(kSelect, "WHERE id = ?")));
    ASSIGN_OR_RETURN(const bool row, query.bind(id).step());
    if (!row) return std::nullopt;
    task = record_of(query);
  }
  RETURN_IF_ERROR(load_links(db, &task));
  // A success never changes again, so the three reads agree; a failure asked for again has lost its files, nothing
  // more.
  if (task.state == TaskState::kSucceeded || task.state == TaskState::kFailed) {
    ASSIGN_OR_RETURN(task.outputs, load_outputs(db, id));
    ASSIGN_OR_RETURN(task.stage_seconds, load_stages(db, id));
  }
  return std::optional<TaskRecord>(std::move(task));
}

absl::StatusOr<TaskRecord> load(SqliteDb* db, const std::string& id) {
  ASSIGN_OR_RETURN(std::optional<TaskRecord> task, find(db, id));
  if (!task) return task_not_found(id);
  return *std::move(task);
}

absl::Status save_result(SqliteDb* db, const TaskRecord& task) {
  for (const auto& [name, blob] : task.outputs) {
    ASSIGN_OR_RETURN(SqliteStatement insert, db->prepare("INSERT INTO task_output VALUES (?, ?, ?, ?, ?)"));
    RETURN_IF_ERROR(insert.bind(task.id).bind(name).bind(blob.digest).bind(blob.size).bind(blob.media_type).finish());
  }
  for (const auto& [stage, seconds] : task.stage_seconds) {
    ASSIGN_OR_RETURN(SqliteStatement insert, db->prepare("INSERT INTO task_stage VALUES (?, ?, ?)"));
    RETURN_IF_ERROR(insert.bind(task.id).bind(stage).bind(seconds).finish());
  }
  return absl::OkStatus();
}

// What a task has made so far may go.
absl::Status drop_outputs(SqliteDb* db, const std::string& id) {
  for (const char* sql : {"INSERT OR IGNORE INTO blob_orphan SELECT digest FROM task_output WHERE task = ?",
                          "DELETE FROM task_output WHERE task = ?"}) {
    ASSIGN_OR_RETURN(SqliteStatement drop, db->prepare(sql));
    RETURN_IF_ERROR(drop.bind(id).finish());
  }
  return absl::OkStatus();
}

absl::Status note_finish(SqliteDb* db, const TaskRecord& task) {
  const FinishedTask finish = finished_task(task);
  ASSIGN_OR_RETURN(SqliteStatement insert,
                   db->prepare("INSERT INTO finished (id, kind, outcome, reason, queue_seconds, run_seconds) "
                               "VALUES (?, ?, ?, ?, ?, ?)"));
  insert.bind(finish.id).bind(finish.kind).bind(finish.outcome).bind(finish.reason);
  RETURN_IF_ERROR(insert.bind(finish.queue_seconds).bind(finish.run_seconds).finish());
  ASSIGN_OR_RETURN(SqliteStatement prune, db->prepare("DELETE FROM finished WHERE cursor <= last_insert_rowid() - ?"));
  return prune.bind(kFinishedKept).finish();
}

// Inside a transaction: moves a task and writes it down.
absl::StatusOr<TaskRecord> move(SqliteDb* db, const TaskRecord& task, const TaskEvent& event, int64_t now_us) {
  ASSIGN_OR_RETURN(TaskRecord after, transition(task, event, now_us));
  {
    ASSIGN_OR_RETURN(SqliteStatement update, db->prepare(kUpdate));
    bind_record(update, after);
    RETURN_IF_ERROR(update.finish());
  }
  if (is_final(after.state) && !is_final(task.state)) RETURN_IF_ERROR(note_finish(db, after));
  if (!task.outputs.empty() && after.outputs.empty()) RETURN_IF_ERROR(drop_outputs(db, task.id));
  if (is_final(after.state) && !is_final(task.state)) RETURN_IF_ERROR(save_result(db, after));
  return after;
}

absl::StatusOr<std::vector<std::string>> ids(SqliteStatement query) {
  std::vector<std::string> out;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return out;
    out.push_back(query.text(0));
  }
}

absl::Status expire_all(SqliteDb* db, const std::vector<std::string>& tasks, int64_t now_us) {
  for (const std::string& id : tasks) {
    ASSIGN_OR_RETURN(const TaskRecord task, load(db, id));
    RETURN_IF_ERROR(move(db, task, LeaseExpired{}, now_us).status());
  }
  return absl::OkStatus();
}

absl::Status prepare_schema(SqliteDb* db) {
  ASSIGN_OR_RETURN(SqliteTransaction transaction, SqliteTransaction::begin(db));
  {
    ASSIGN_OR_RETURN(SqliteStatement query, db->prepare("PRAGMA user_version"));
    RETURN_IF_ERROR(query.step().status());
    const int64_t version = query.integer(0);
    if (version == kSchemaVersion) return absl::OkStatus();
    if (version > kSchemaVersion) {
      return make_error(absl::StatusCode::kFailedPrecondition, "STORE_TOO_NEW", "",
                        cat("the task store has schema ", version, ", this program knows ", kSchemaVersion),
                        "Run the newer version of the server.");
    }
  }
  RETURN_IF_ERROR(db->run(kSchema));
  RETURN_IF_ERROR(db->run(cat("PRAGMA user_version = ", kSchemaVersion).c_str()));
  return transaction.commit();
}

class SqliteJobStore : public JobStore {
 public:
  SqliteJobStore(std::unique_ptr<SqliteDb> writer, std::unique_ptr<SqliteDb> progress, std::unique_ptr<SqliteDb> reader,
                 Clock clock)
      : clock_(std::move(clock)),
        writer_(std::move(writer)),
        progress_(std::move(progress)),
        reader_(std::move(reader)) {}

  absl::StatusOr<TaskRecord> submit(const TaskRecord& record) override {
    std::lock_guard lock(writer_mutex_);
    ASSIGN_OR_RETURN(SqliteTransaction transaction, SqliteTransaction::begin(writer_.get()));
    ASSIGN_OR_RETURN(std::optional<TaskRecord> task, find(writer_.get(), record.id));
    if (!task) {
      task = fresh_task(record, clock_());
      ASSIGN_OR_RETURN(SqliteStatement insert, writer_->prepare(kInsert));
      bind_record(insert, *task);
      RETURN_IF_ERROR(insert.bind(task->kind).bind(task->spec).finish());
      if (!task->subject.empty()) RETURN_IF_ERROR(add_link(writer_.get(), task->id, kSubject, task->subject));
      RETURN_IF_ERROR(save_inputs(writer_.get(), *task));
    } else if (asks_again(*task)) {
      task = with_inputs_of(*std::move(task), record);
      RETURN_IF_ERROR(save_inputs(writer_.get(), *task));
      ASSIGN_OR_RETURN(task, move(writer_.get(), *task, Resubmitted{record.deadline_us}, clock_()));
    }
    RETURN_IF_ERROR(transaction.commit());
    return *std::move(task);
  }

  absl::StatusOr<std::optional<TaskRecord>> lease(const std::string& worker, absl::Duration ttl) override {
    ASSIGN_OR_RETURN(const bool some, work_waits());
    if (!some) return std::nullopt;
    std::lock_guard lock(writer_mutex_);
    ASSIGN_OR_RETURN(SqliteTransaction transaction, SqliteTransaction::begin(writer_.get()));
    RETURN_IF_ERROR(expire_old_leases());
    ASSIGN_OR_RETURN(std::optional<TaskRecord> task, oldest_queued());
    if (task) {
      ASSIGN_OR_RETURN(task, move(writer_.get(), *task, Leased{worker, to_us(ttl)}, clock_()));
    }
    RETURN_IF_ERROR(transaction.commit());
    return task;
  }

  absl::StatusOr<Directive> heartbeat(const std::string& id, int attempt, const std::string& stage, double fraction,
                                      absl::Duration ttl) override {
    const Heartbeat beat{attempt, stage, fraction, to_us(ttl)};
    ASSIGN_OR_RETURN(const TaskRecord seen, get(id));
    if (directive(seen, attempt) == Directive::kLost) return Directive::kLost;
    if (!worth_writing(seen, beat, clock_())) return directive(seen, attempt);
    std::lock_guard lock(progress_mutex_);
    ASSIGN_OR_RETURN(SqliteTransaction transaction, SqliteTransaction::begin(progress_.get()));
    ASSIGN_OR_RETURN(const TaskRecord task, load(progress_.get(), id));
    const Directive told = directive(task, attempt);
    if (told == Directive::kLost) return told;
    RETURN_IF_ERROR(move(progress_.get(), task, beat, clock_()).status());
    RETURN_IF_ERROR(transaction.commit());
    return told;
  }

  absl::StatusOr<TaskRecord> apply(const std::string& id, const TaskEvent& event) override {
    std::lock_guard lock(writer_mutex_);
    ASSIGN_OR_RETURN(SqliteTransaction transaction, SqliteTransaction::begin(writer_.get()));
    ASSIGN_OR_RETURN(const TaskRecord before, load(writer_.get(), id));
    ASSIGN_OR_RETURN(TaskRecord after, move(writer_.get(), before, event, clock_()));
    RETURN_IF_ERROR(transaction.commit());
    return after;
  }

  absl::StatusOr<int> expire_worker(const std::string& worker) override {
    std::lock_guard lock(writer_mutex_);
    ASSIGN_OR_RETURN(SqliteTransaction transaction, SqliteTransaction::begin(writer_.get()));
    ASSIGN_OR_RETURN(SqliteStatement query, writer_->prepare("SELECT id FROM task WHERE state = 1 AND worker = ?"));
    ASSIGN_OR_RETURN(const std::vector<std::string> held, ids(std::move(query.bind(worker))));
    RETURN_IF_ERROR(expire_all(writer_.get(), held, clock_()));
    RETURN_IF_ERROR(transaction.commit());
    return static_cast<int>(held.size());
  }

  absl::StatusOr<TaskRecord> get(const std::string& id) override {
    std::lock_guard lock(reader_mutex_);
    return load(reader_.get(), id);
  }

  absl::StatusOr<TaskRecord> wait(const std::string& id, int64_t seen_version, absl::Duration timeout) override {
    const absl::Time end = absl::Now() + capped(timeout);
    ASSIGN_OR_RETURN(int64_t seen_data, data_version());
    ASSIGN_OR_RETURN(TaskRecord task, get(id));
    while (task.version == seen_version && nap_until(end)) {
      ASSIGN_OR_RETURN(const int64_t data, data_version());
      if (data == seen_data) continue;
      seen_data = data;
      ASSIGN_OR_RETURN(task, get(id));
    }
    return task;
  }

  void wait_for_work(absl::Duration timeout) override {
    const absl::Time end = absl::Now() + capped(timeout);
    for (;;) {
      const auto some = work_waits();  // two look-ups in small indexes: as cheap as asking whether anything changed
      if ((some.ok() && *some) || !nap_until(end)) return;
    }
  }

  absl::StatusOr<JobStats> stats() override {
    std::lock_guard lock(reader_mutex_);
    JobStats out;
    int64_t* const counts[] = {&out.queued, &out.running, &out.succeeded, &out.failed, &out.cancelled};
    ASSIGN_OR_RETURN(SqliteStatement query, reader_->prepare("SELECT n FROM task_count ORDER BY state"));
    for (int64_t* count : counts) {
      RETURN_IF_ERROR(query.step().status());
      *count = query.integer(0);
    }
    return out;
  }

  absl::StatusOr<std::vector<FinishedTask>> finished_since(int64_t cursor, int limit) override {
    std::lock_guard lock(reader_mutex_);
    std::vector<FinishedTask> out;
    ASSIGN_OR_RETURN(SqliteStatement query,
                     reader_->prepare("SELECT cursor, id, kind, outcome, reason, queue_seconds, run_seconds "
                                      "FROM finished WHERE cursor > ? ORDER BY cursor LIMIT ?"));
    query.bind(cursor).bind(int64_t{limit});
    for (;;) {
      ASSIGN_OR_RETURN(const bool row, query.step());
      if (!row) return out;
      out.push_back({query.integer(0),
                     query.text(1),
                     query.text(2),
                     query.text(3),
                     query.text(4),
                     query.real(5),
                     query.real(6),
                     {}});
      ASSIGN_OR_RETURN(out.back().stage_seconds, load_stages(reader_.get(), out.back().id));
    }
  }

  absl::StatusOr<int64_t> finished_cursor() override {
    std::lock_guard lock(reader_mutex_);
    ASSIGN_OR_RETURN(SqliteStatement query, reader_->prepare("SELECT coalesce(max(cursor), 0) FROM finished"));
    RETURN_IF_ERROR(query.step().status());
    return query.integer(0);
  }

  absl::StatusOr<std::vector<TaskRecord>> list(const std::string& kind, const std::optional<TaskCursor>& after,
                                               int limit) override {
    std::lock_guard lock(reader_mutex_);
    std::vector<std::string> listed;
    {
      ASSIGN_OR_RETURN(SqliteStatement query,
                       reader_->prepare("SELECT id FROM task WHERE kind = ? AND (created_us, id) < (?, ?) "
                                        "ORDER BY created_us DESC, id DESC LIMIT ?"));
      query.bind(kind).bind(after ? after->created_us : INT64_MAX).bind(after ? after->id : std::string());
      ASSIGN_OR_RETURN(listed, ids(std::move(query.bind(int64_t{limit}))));
    }
    std::vector<TaskRecord> out;
    for (const std::string& id : listed) {
      ASSIGN_OR_RETURN(std::optional<TaskRecord> task, find(reader_.get(), id));
      if (task) out.push_back(*std::move(task));  // it may have been erased between the two looks
    }
    return out;
  }

  absl::StatusOr<std::vector<std::string>> made_from(const std::string& subject) override {
    std::lock_guard lock(reader_mutex_);
    ASSIGN_OR_RETURN(SqliteStatement query,
                     reader_->prepare("SELECT task FROM task_link WHERE target = ? AND role = ? ORDER BY task"));
    return ids(std::move(query.bind(subject).bind(kSubject)));
  }

  absl::StatusOr<bool> needs_blob(const std::string& digest) override {
    std::lock_guard lock(reader_mutex_);
    ASSIGN_OR_RETURN(SqliteStatement query,
                     reader_->prepare("SELECT EXISTS (SELECT 1 FROM task_output WHERE digest = ?1) OR "
                                      "EXISTS (SELECT 1 FROM task_link JOIN task ON task.id = task_link.task "
                                      "WHERE target = ?1 AND (role = 1 OR (role = 2 AND state < 2)))"));
    RETURN_IF_ERROR(query.bind(digest).step().status());
    return query.integer(0) != 0;
  }

  absl::StatusOr<std::vector<std::string>> spent_blobs(int limit) override {
    std::lock_guard lock(reader_mutex_);
    ASSIGN_OR_RETURN(
        SqliteStatement query,
        reader_->prepare("SELECT target FROM task_link JOIN task ON task.id = task_link.task "
                         "WHERE role = 2 AND state >= 2 UNION SELECT digest FROM blob_orphan ORDER BY 1 LIMIT ?"));
    return ids(std::move(query.bind(int64_t{limit})));
  }

  absl::Status forget_blob(const std::string& digest) override {
    std::lock_guard lock(writer_mutex_);
    ASSIGN_OR_RETURN(SqliteTransaction transaction, SqliteTransaction::begin(writer_.get()));
    {
      ASSIGN_OR_RETURN(SqliteStatement forget,
                       writer_->prepare("DELETE FROM task_link WHERE target = ? AND role = 2 AND task IN "
                                        "(SELECT id FROM task WHERE state >= 2)"));
      RETURN_IF_ERROR(forget.bind(digest).finish());
    }
    {
      ASSIGN_OR_RETURN(SqliteStatement forget, writer_->prepare("DELETE FROM blob_orphan WHERE digest = ?"));
      RETURN_IF_ERROR(forget.bind(digest).finish());
    }
    return transaction.commit();
  }

  // What is deleted is overwritten (secure_delete), and the log that still tells of it is cut.
  absl::Status erase(const std::string& id) override {
    std::lock_guard lock(writer_mutex_);
    {
      ASSIGN_OR_RETURN(SqliteTransaction transaction, SqliteTransaction::begin(writer_.get()));
      ASSIGN_OR_RETURN(const TaskRecord task, load(writer_.get(), id));
      RETURN_IF_ERROR(check_erase(task));
      RETURN_IF_ERROR(drop_outputs(writer_.get(), id));
      for (const char* sql :
           {"INSERT OR IGNORE INTO blob_orphan SELECT target FROM task_link WHERE task = ? AND role > 0",
            "DELETE FROM task_stage WHERE task = ?", "DELETE FROM task_link WHERE task = ?",
            "DELETE FROM task WHERE id = ?"}) {
        ASSIGN_OR_RETURN(SqliteStatement remove, writer_->prepare(sql));
        RETURN_IF_ERROR(remove.bind(id).finish());
      }
      RETURN_IF_ERROR(transaction.commit());
    }
    (void)writer_->run("PRAGMA wal_checkpoint(TRUNCATE)");  // where a reader holds it back, the next one does it
    return absl::OkStatus();
  }

 private:
  static bool nap_until(absl::Time end) {
    const absl::Duration left = end - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    absl::SleepFor(std::min(left, kPoll));
    return true;
  }

  absl::StatusOr<int64_t> data_version() {
    std::lock_guard lock(reader_mutex_);
    return reader_->data_version();
  }

  absl::StatusOr<bool> work_waits() {
    std::lock_guard lock(reader_mutex_);
    ASSIGN_OR_RETURN(SqliteStatement query,
                     reader_->prepare("SELECT EXISTS (SELECT 1 FROM task WHERE state = 0) OR "
                                      "EXISTS (SELECT 1 FROM task WHERE state = 1 AND lease_expires_us < ?)"));
    RETURN_IF_ERROR(query.bind(clock_()).step().status());
    return query.integer(0) != 0;
  }

  absl::Status expire_old_leases() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mutex_) {
    const int64_t now_us = clock_();
    ASSIGN_OR_RETURN(SqliteStatement query,
                     writer_->prepare("SELECT id FROM task WHERE state = 1 AND lease_expires_us < ? ORDER BY id"));
    ASSIGN_OR_RETURN(const std::vector<std::string> expired, ids(std::move(query.bind(now_us))));
    return expire_all(writer_.get(), expired, now_us);
  }

  absl::StatusOr<std::optional<TaskRecord>> oldest_queued() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mutex_) {
    TaskRecord task;
    {
      ASSIGN_OR_RETURN(SqliteStatement query,
                       writer_->prepare(cat(kSelect, "WHERE state = 0 ORDER BY created_us, id LIMIT 1")));
      ASSIGN_OR_RETURN(const bool row, query.step());
      if (!row) return std::nullopt;
      task = record_of(query);
    }
    RETURN_IF_ERROR(load_links(writer_.get(), &task));
    return std::optional<TaskRecord>(std::move(task));
  }

  const Clock clock_;
  std::mutex writer_mutex_, progress_mutex_, reader_mutex_;
  const std::unique_ptr<SqliteDb> writer_ ABSL_PT_GUARDED_BY(writer_mutex_);
  const std::unique_ptr<SqliteDb> progress_ ABSL_PT_GUARDED_BY(progress_mutex_);
  const std::unique_ptr<SqliteDb> reader_ ABSL_PT_GUARDED_BY(reader_mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<JobStore>> open_sqlite_job_store(const std::string& path, Clock clock) {
  ASSIGN_OR_RETURN(auto writer, SqliteDb::open(path, SqliteSync::kFull));
  RETURN_IF_ERROR(writer->run("PRAGMA secure_delete = ON"));
  RETURN_IF_ERROR(prepare_schema(writer.get()));
  ASSIGN_OR_RETURN(auto progress, SqliteDb::open(path, SqliteSync::kNormal));
  ASSIGN_OR_RETURN(auto reader, SqliteDb::open(path, SqliteSync::kNormal));
  return std::make_unique<SqliteJobStore>(std::move(writer), std::move(progress), std::move(reader),
                                          clock_or_system(std::move(clock)));
}

}  // namespace tryon
