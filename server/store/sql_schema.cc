#include "server/store/sql_schema.h"

#include <string_view>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {

// The hot columns stand in partial indexes of the few live tasks; counts are kept, not scanned. task_count has several
// rows a state (shards), so that machines which count at the same moment do not wait for each other.
const char kSqlSchema[] = R"sql(
CREATE TABLE IF NOT EXISTS task (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, spec TEXT NOT NULL, state INTEGER NOT NULL, attempt INTEGER NOT NULL,
  tries INTEGER NOT NULL, max_attempts INTEGER NOT NULL, version INTEGER NOT NULL, cancel_requested INTEGER NOT NULL,
  worker TEXT NOT NULL, created_us INTEGER NOT NULL, started_us INTEGER NOT NULL, finished_us INTEGER NOT NULL,
  lease_expires_us INTEGER NOT NULL, deadline_us INTEGER NOT NULL, stage TEXT NOT NULL, fraction REAL NOT NULL,
  status TEXT NOT NULL, settled INTEGER NOT NULL, summary TEXT NOT NULL, tenant TEXT NOT NULL DEFAULT '',
  lane INTEGER NOT NULL DEFAULT 0, due_us INTEGER NOT NULL DEFAULT 0, dead INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX IF NOT EXISTS task_waiting ON task (lane, tenant, due_us, id) WHERE state = 0;
CREATE INDEX IF NOT EXISTS task_running ON task (lease_expires_us) WHERE state = 1;
CREATE INDEX IF NOT EXISTS task_dead_of ON task (tenant, finished_us, id) WHERE dead = 1;
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
CREATE INDEX IF NOT EXISTS task_listed_of ON task (tenant, kind, created_us, id);
CREATE TABLE IF NOT EXISTS finished (
  cursor INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, kind TEXT NOT NULL, outcome TEXT NOT NULL,
  reason TEXT NOT NULL, queue_seconds REAL NOT NULL, run_seconds REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS task_count (
  state INTEGER NOT NULL, shard INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (state, shard)) STRICT;
CREATE TABLE IF NOT EXISTS fair_share (tenant TEXT PRIMARY KEY, tag INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS fair_clock (one INTEGER PRIMARY KEY, clock INTEGER NOT NULL) STRICT;
INSERT INTO fair_clock VALUES (1, 0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS batch (
  id TEXT PRIMARY KEY, tenant TEXT NOT NULL, spec TEXT NOT NULL, state INTEGER NOT NULL, version INTEGER NOT NULL,
  total INTEGER NOT NULL, expanded INTEGER NOT NULL, cursor TEXT NOT NULL, open INTEGER NOT NULL, held INTEGER NOT NULL,
  succeeded INTEGER NOT NULL, unsettled INTEGER NOT NULL, failed INTEGER NOT NULL, cancelled INTEGER NOT NULL,
  created_us INTEGER NOT NULL, finished_us INTEGER NOT NULL, resumed_us INTEGER NOT NULL,
  done_at_resume INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS batch_listed_of ON batch (tenant, created_us, id);
CREATE INDEX IF NOT EXISTS batch_live ON batch (created_us, id) WHERE state < 3;
CREATE TABLE IF NOT EXISTS batch_blob (
  batch TEXT NOT NULL REFERENCES batch (id), part INTEGER NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY (batch, part)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS batch_blob_digest ON batch_blob (digest);
CREATE TABLE IF NOT EXISTS batch_item (
  batch TEXT NOT NULL REFERENCES batch (id), idx INTEGER NOT NULL, task TEXT NOT NULL, outcome INTEGER NOT NULL,
  status TEXT NOT NULL, PRIMARY KEY (batch, idx)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS batch_item_open ON batch_item (batch, outcome, idx) WHERE outcome < 2;
CREATE INDEX IF NOT EXISTS batch_item_task ON batch_item (task) WHERE outcome = 0;
CREATE TABLE IF NOT EXISTS seal (
  name TEXT PRIMARY KEY, key TEXT NOT NULL, sealed TEXT NOT NULL, size INTEGER NOT NULL, made_us INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seal_made ON seal (made_us);
)sql";

// Version 4 lists by tenant. What was made before belongs to the tenant "".
const char kSqlFrom3[] = "DROP INDEX IF EXISTS task_dead; DROP INDEX IF EXISTS batch_listed;";

namespace {

// What versions 1 and 2 did not have in the tables that they had.
constexpr char kFromOlder[] = R"sql(
DROP INDEX IF EXISTS task_queued;
DROP TRIGGER IF EXISTS task_counted;
DROP TRIGGER IF EXISTS task_recounted;
DROP TRIGGER IF EXISTS task_uncounted;
DROP TABLE IF EXISTS task_count;
ALTER TABLE task ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN lane INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN due_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN dead INTEGER NOT NULL DEFAULT 0;
UPDATE task SET due_us = created_us;
)sql";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

absl::StatusOr<int64_t> user_version(SqlDb* db) {
  ASSIGN_OR_RETURN(SqlStatement query, db->prepare("PRAGMA user_version"));
  RETURN_IF_ERROR(query.step().status());
  return query.integer(0);
}

}  // namespace

std::string postgres_schema() {
  std::string out = kSqlSchema;
  for (const auto& [from, to] :
       {std::pair<std::string_view, std::string_view>{"INTEGER PRIMARY KEY AUTOINCREMENT", "BIGSERIAL PRIMARY KEY"},
        {" INTEGER", " BIGINT"},
        {" REAL", " DOUBLE PRECISION"},
        {" STRICT, WITHOUT ROWID", ""},
        {" STRICT", ""}}) {
    out = replaced(std::move(out), from, to);
  }
  return out;
}

absl::Status schema_too_new(int64_t version) {
  return make_error(absl::StatusCode::kFailedPrecondition, "STORE_TOO_NEW", "",
                    cat("the task store has schema ", version, ", this program knows ", kSchemaVersion),
                    "Run the newer version of the server.");
}

absl::Status prepare_sqlite_schema(SqlDb* db) {
  ASSIGN_OR_RETURN(SqlTransaction transaction, SqlTransaction::begin(db));
  ASSIGN_OR_RETURN(const int64_t version, user_version(db));
  if (version == kSchemaVersion) return absl::OkStatus();
  if (version > kSchemaVersion) return schema_too_new(version);
  if (version == 1 || version == 2) RETURN_IF_ERROR(db->run(kFromOlder));
  if (version > 0) RETURN_IF_ERROR(db->run(kSqlFrom3));
  RETURN_IF_ERROR(db->run(kSqlSchema));
  if (version == 1 || version == 2)
    RETURN_IF_ERROR(db->run("INSERT INTO task_count SELECT state, 0, count(*) FROM task GROUP BY state"));
  RETURN_IF_ERROR(db->run(cat("PRAGMA user_version = ", kSchemaVersion).c_str()));
  return transaction.commit();
}

}  // namespace tryon
