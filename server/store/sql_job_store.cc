#include "server/store/sql_job_store.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/job_rules.h"

namespace tryon {
namespace {

// The tenants of a lane that have a due task, by a walk from name to name in task_waiting.
absl::StatusOr<std::vector<TenantQueue>> waiting_tenants(SqlDb* db, Lane lane, int64_t now_us) {
  ASSIGN_OR_RETURN(
      SqlStatement query,
      db->prepare("WITH RECURSIVE t (tenant) AS ("
                  "SELECT min(tenant) FROM task WHERE state = 0 AND lane = ?1 UNION ALL "
                  "SELECT (SELECT min(tenant) FROM task WHERE state = 0 AND lane = ?1 AND tenant > t.tenant) FROM t "
                  "WHERE t.tenant IS NOT NULL) "
                  "SELECT t.tenant, coalesce((SELECT tag FROM fair_share WHERE fair_share.tenant = t.tenant), 0), "
                  "(SELECT min(due_us) FROM task WHERE state = 0 AND lane = ?1 AND tenant = t.tenant) FROM t "
                  "WHERE t.tenant IS NOT NULL"));
  query.bind(static_cast<int64_t>(lane));
  std::vector<TenantQueue> out;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return out;
    if (query.integer(2) <= now_us) out.push_back({query.text(0), query.integer(1), query.integer(2)});
  }
}

absl::StatusOr<int64_t> fair_clock(SqlDb* db) {
  ASSIGN_OR_RETURN(SqlStatement query, db->prepare("SELECT clock FROM fair_clock WHERE one = 1"));
  RETURN_IF_ERROR(query.step().status());
  return query.integer(0);
}

absl::Status save_turn(SqlDb* db, const std::string& tenant, const FairTurn& turn) {
  {
    ASSIGN_OR_RETURN(SqlStatement save, db->prepare("UPDATE fair_clock SET clock = ? WHERE one = 1"));
    RETURN_IF_ERROR(save.bind(turn.clock).finish());
  }
  ASSIGN_OR_RETURN(SqlStatement save,
                   db->prepare("INSERT INTO fair_share VALUES (?, ?) ON CONFLICT (tenant) DO UPDATE SET "
                               "tag = excluded.tag"));
  return save.bind(tenant).bind(turn.tag).finish();
}

absl::StatusOr<std::optional<TaskRecord>> oldest_of(SqlDb* db, Lane lane, const std::string& tenant, int64_t now_us) {
  std::string id;
  {
    ASSIGN_OR_RETURN(SqlStatement query,
                     db->prepare(cat("SELECT id FROM task WHERE state = 0 AND lane = ? AND tenant = ? AND due_us <= ? "
                                     "ORDER BY due_us, id LIMIT 1",
                                     db->skip_locked())));
    ASSIGN_OR_RETURN(const bool row, query.bind(static_cast<int64_t>(lane)).bind(tenant).bind(now_us).step());
    if (!row) return std::nullopt;
    id = query.text(0);
  }
  return find_task(db, id);
}

}  // namespace

SqlJobStore::SqlJobStore(SqlConnections connections, Clock clock)
    : clock_(std::move(clock)),
      shard_(connections.shard),
      writer_(std::move(connections.writer)),
      progress_(std::move(connections.progress)),
      reader_(std::move(connections.reader)),
      news_(std::move(connections.news)) {
  for (SqlDb* db : {writer_.get(), progress_.get(), reader_.get()}) db->master = connections.master;
}

absl::StatusOr<SqlWork> SqlJobStore::begin_work() { return SqlWork::begin(writer_.get(), shard_, clock_()); }

absl::StatusOr<TaskRecord> SqlJobStore::submit(const TaskRecord& record) {
  std::lock_guard lock(writer_mutex_);
  ASSIGN_OR_RETURN(SqlWork work, begin_work());
  ASSIGN_OR_RETURN(TaskRecord task, work.submit(record));
  RETURN_IF_ERROR(work.commit());
  return task;
}

absl::StatusOr<std::optional<TaskRecord>> SqlJobStore::lease(const std::string& worker, absl::Duration ttl) {
  ASSIGN_OR_RETURN(const bool some, work_waits());
  if (!some) return std::nullopt;
  std::lock_guard lock(writer_mutex_);
  ASSIGN_OR_RETURN(SqlWork work, begin_work());
  RETURN_IF_ERROR(expire_old_leases(&work));
  std::optional<TaskRecord> task;
  for (const Lane lane : {Lane::kInteractive, Lane::kBatch}) {
    ASSIGN_OR_RETURN(task, next_task(&work, lane));
    if (!task) continue;
    ASSIGN_OR_RETURN(task, work.move(*task, Leased{worker, to_us(ttl)}));
    break;
  }
  RETURN_IF_ERROR(work.commit());
  return task;
}

absl::StatusOr<std::optional<TaskRecord>> SqlJobStore::next_task(SqlWork* work, Lane lane) {
  SqlDb* const db = work->db();
  ASSIGN_OR_RETURN(std::vector<TenantQueue> waiting, waiting_tenants(db, lane, work->now_us()));
  const bool alone = waiting.size() == 1;  // then there is nothing to share, and no row to lock for it
  while (!waiting.empty()) {
    FairTurn turn;
    if (!alone) {
      ASSIGN_OR_RETURN(const int64_t clock, fair_clock(db));
      turn = next_turn(waiting, clock);
    }
    const std::string tenant = waiting[turn.index].tenant;
    ASSIGN_OR_RETURN(std::optional<TaskRecord> task, oldest_of(db, lane, tenant, work->now_us()));
    if (task && !alone) RETURN_IF_ERROR(save_turn(db, tenant, turn));
    if (task) return task;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(turn.index));  // others hold all of its tasks
  }
  return std::nullopt;
}

absl::StatusOr<Directive> SqlJobStore::heartbeat(const std::string& id, int attempt, const std::string& stage,
                                                 double fraction, absl::Duration ttl) {
  const Heartbeat beat{attempt, stage, fraction, to_us(ttl)};
  ASSIGN_OR_RETURN(const TaskRecord seen, get(id));
  if (directive(seen, attempt) == Directive::kLost) return Directive::kLost;
  if (!worth_writing(seen, beat, clock_())) return directive(seen, attempt);
  std::lock_guard lock(progress_mutex_);
  ASSIGN_OR_RETURN(SqlWork work, SqlWork::begin(progress_.get(), shard_, clock_()));
  ASSIGN_OR_RETURN(const TaskRecord task, work.load_locked(id));
  const Directive told = directive(task, attempt);
  if (told == Directive::kLost) return told;
  RETURN_IF_ERROR(work.move(task, beat).status());
  RETURN_IF_ERROR(work.commit());
  return told;
}

absl::StatusOr<TaskRecord> SqlJobStore::apply(const std::string& id, const TaskEvent& event) {
  std::lock_guard lock(writer_mutex_);
  ASSIGN_OR_RETURN(SqlWork work, begin_work());
  ASSIGN_OR_RETURN(const TaskRecord before, work.load_locked(id));
  ASSIGN_OR_RETURN(TaskRecord after, work.move(before, event));
  RETURN_IF_ERROR(work.commit());
  return after;
}

absl::StatusOr<int> SqlJobStore::expire_worker(const std::string& worker) {
  std::lock_guard lock(writer_mutex_);
  ASSIGN_OR_RETURN(SqlWork work, begin_work());
  std::vector<std::string> held;
  {
    ASSIGN_OR_RETURN(SqlStatement query,
                     writer_->prepare("SELECT id FROM task WHERE state = 1 AND worker = ? ORDER BY id"));
    ASSIGN_OR_RETURN(held, first_column(std::move(query.bind(worker))));
  }
  RETURN_IF_ERROR(work.expire(held));
  RETURN_IF_ERROR(work.commit());
  return static_cast<int>(held.size());
}

absl::StatusOr<TaskRecord> SqlJobStore::get(const std::string& id) {
  std::lock_guard lock(reader_mutex_);
  return load_task(reader_.get(), id);
}

absl::StatusOr<TaskRecord> SqlJobStore::wait(const std::string& id, int64_t seen_version, const Patience& patience) {
  const absl::Time end = absl::Now() + capped(patience.timeout);
  for (;;) {
    const int64_t mark = news_->mark();
    ASSIGN_OR_RETURN(TaskRecord task, get(id));
    if (task.version != seen_version || absl::Now() >= end) return task;
    if (!news_->wait(id, mark, end, patience)) return task;
  }
}

// A task that becomes due and a lease that ends change nothing that signals: so it looks again now and then.
void SqlJobStore::wait_for_work(absl::Duration timeout) {
  constexpr absl::Duration kLook = absl::Milliseconds(100);
  const absl::Time end = absl::Now() + capped(timeout);
  for (;;) {
    const int64_t mark = news_->mark();
    const auto some = work_waits();
    if ((some.ok() && *some) || absl::Now() >= end) return;
    news_->wait("", mark, std::min(end, absl::Now() + kLook), absl::InfiniteDuration());
  }
}

absl::StatusOr<JobStats> SqlJobStore::stats() {
  std::lock_guard lock(reader_mutex_);
  JobStats out;
  int64_t* const counts[] = {&out.queued, &out.running, &out.succeeded, &out.failed, &out.cancelled};
  ASSIGN_OR_RETURN(SqlStatement query, reader_->prepare("SELECT state, sum(n) FROM task_count GROUP BY state"));
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, query.step());
    if (!row) return out;
    *counts[query.integer(0)] = query.integer(1);
  }
}

absl::StatusOr<std::vector<FinishedTask>> SqlJobStore::finished_since(int64_t cursor, int limit) {
  std::lock_guard lock(reader_mutex_);
  std::vector<FinishedTask> out;
  {
    ASSIGN_OR_RETURN(SqlStatement query,
                     reader_->prepare("SELECT cursor, id, kind, outcome, reason, queue_seconds, run_seconds "
                                      "FROM finished WHERE cursor > ? ORDER BY cursor LIMIT ?"));
    query.bind(cursor).bind(int64_t{limit});
    for (;;) {
      ASSIGN_OR_RETURN(const bool row, query.step());
      if (!row) break;
      out.push_back({query.integer(0), query.text(1), query.text(2), query.text(3), query.text(4), query.real(5),
                     query.real(6), StageSeconds()});
    }
  }
  for (FinishedTask& task : out) {
    ASSIGN_OR_RETURN(task.stage_seconds, load_stages(reader_.get(), task.id));
  }
  return out;
}

absl::StatusOr<int64_t> SqlJobStore::finished_cursor() {
  std::lock_guard lock(reader_mutex_);
  ASSIGN_OR_RETURN(SqlStatement query, reader_->prepare("SELECT coalesce(max(cursor), 0) FROM finished"));
  RETURN_IF_ERROR(query.step().status());
  return query.integer(0);
}

absl::StatusOr<std::vector<TaskRecord>> SqlJobStore::load_listed(const std::vector<std::string>& ids) {
  std::vector<TaskRecord> out;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(std::optional<TaskRecord> task, find_task(reader_.get(), id));
    if (task) out.push_back(*std::move(task));  // it may have been erased between the two looks
  }
  return out;
}

absl::StatusOr<std::vector<TaskRecord>> SqlJobStore::older(const std::string& kind, int64_t before_us, int limit) {
  std::lock_guard lock(reader_mutex_);
  std::vector<std::string> listed;
  {
    ASSIGN_OR_RETURN(SqlStatement query, reader_->prepare("SELECT id FROM task WHERE kind = ? AND created_us < ? "
                                                          "ORDER BY created_us, id LIMIT ?"));
    query.bind(kind).bind(before_us).bind(int64_t{limit});
    ASSIGN_OR_RETURN(listed, first_column(std::move(query)));
  }
  return load_listed(listed);
}

absl::StatusOr<std::vector<TaskRecord>> SqlJobStore::list(const std::string& tenant, const std::string& kind,
                                                          const std::optional<TaskCursor>& after, int limit) {
  std::lock_guard lock(reader_mutex_);
  std::vector<std::string> listed;
  {
    ASSIGN_OR_RETURN(SqlStatement query,
                     reader_->prepare("SELECT id FROM task WHERE tenant = ? AND kind = ? AND (created_us, id) < (?, ?) "
                                      "ORDER BY created_us DESC, id DESC LIMIT ?"));
    query.bind(tenant).bind(kind).bind(after ? after->created_us : INT64_MAX).bind(after ? after->id : std::string());
    ASSIGN_OR_RETURN(listed, first_column(std::move(query.bind(int64_t{limit}))));
  }
  return load_listed(listed);
}

absl::StatusOr<std::vector<TaskRecord>> SqlJobStore::dead_letters(const std::string& tenant,
                                                                  const std::optional<TaskCursor>& after, int limit) {
  std::lock_guard lock(reader_mutex_);
  std::vector<std::string> listed;
  {
    ASSIGN_OR_RETURN(
        SqlStatement query,
        reader_->prepare("SELECT id FROM task WHERE dead = 1 AND tenant = ? AND (finished_us, id) < (?, ?) "
                         "ORDER BY finished_us DESC, id DESC LIMIT ?"));
    query.bind(tenant).bind(after ? after->created_us : INT64_MAX).bind(after ? after->id : std::string());
    ASSIGN_OR_RETURN(listed, first_column(std::move(query.bind(int64_t{limit}))));
  }
  return load_listed(listed);
}

absl::StatusOr<std::vector<std::string>> SqlJobStore::made_from(const std::string& subject) {
  std::lock_guard lock(reader_mutex_);
  ASSIGN_OR_RETURN(SqlStatement query,
                   reader_->prepare("SELECT task FROM task_link WHERE target = ? AND role <= 0 ORDER BY task"));
  return first_column(std::move(query.bind(subject)));
}

absl::StatusOr<bool> SqlJobStore::needs_blob(const std::string& digest) {
  std::lock_guard lock(reader_mutex_);
  ASSIGN_OR_RETURN(SqlStatement query,
                   reader_->prepare("SELECT EXISTS (SELECT 1 FROM task_output WHERE digest = ?1) OR "
                                    "EXISTS (SELECT 1 FROM batch_blob WHERE digest = ?1) OR "
                                    "EXISTS (SELECT 1 FROM task_link JOIN task ON task.id = task_link.task "
                                    "WHERE target = ?1 AND (role = 1 OR (role = 2 AND state < 2)))"));
  RETURN_IF_ERROR(query.bind(digest).step().status());
  return query.integer(0) != 0;
}

absl::StatusOr<std::vector<std::string>> SqlJobStore::spent_blobs(int limit) {
  std::lock_guard lock(reader_mutex_);
  ASSIGN_OR_RETURN(SqlStatement query,
                   reader_->prepare("SELECT target FROM task_link JOIN task ON task.id = task_link.task "
                                    "WHERE role = 2 AND state >= 2 UNION SELECT digest FROM blob_orphan "
                                    "ORDER BY 1 LIMIT ?"));
  return first_column(std::move(query.bind(int64_t{limit})));
}

absl::Status SqlJobStore::forget_blob(const std::string& digest) {
  std::lock_guard lock(writer_mutex_);
  ASSIGN_OR_RETURN(SqlTransaction transaction, SqlTransaction::begin(writer_.get()));
  for (const char* sql : {"DELETE FROM task_link WHERE target = ? AND role = 2 AND task IN "
                          "(SELECT id FROM task WHERE state >= 2)",
                          "DELETE FROM blob_orphan WHERE digest = ?"}) {
    ASSIGN_OR_RETURN(SqlStatement forget, writer_->prepare(sql));
    RETURN_IF_ERROR(forget.bind(digest).finish());
  }
  return transaction.commit();
}

absl::Status SqlJobStore::erase(const std::string& id) {
  std::lock_guard lock(writer_mutex_);
  {
    ASSIGN_OR_RETURN(SqlWork work, begin_work());
    RETURN_IF_ERROR(work.erase(id));
    RETURN_IF_ERROR(work.commit());
  }
  writer_->forget_deleted();
  return absl::OkStatus();
}

absl::StatusOr<bool> SqlJobStore::work_waits() {
  std::lock_guard lock(reader_mutex_);
  ASSIGN_OR_RETURN(SqlStatement query,
                   reader_->prepare("SELECT EXISTS (SELECT 1 FROM task WHERE state = 0 AND due_us <= ?1) OR "
                                    "EXISTS (SELECT 1 FROM task WHERE state = 1 AND lease_expires_us < ?1)"));
  RETURN_IF_ERROR(query.bind(clock_()).step().status());
  return query.integer(0) != 0;
}

absl::Status SqlJobStore::expire_old_leases(SqlWork* work) {
  std::vector<std::string> expired;
  {
    ASSIGN_OR_RETURN(SqlStatement query,
                     work->db()->prepare("SELECT id FROM task WHERE state = 1 AND lease_expires_us < ? ORDER BY id"));
    ASSIGN_OR_RETURN(expired, first_column(std::move(query.bind(work->now_us()))));
  }
  return work->expire(expired);
}

}  // namespace tryon
