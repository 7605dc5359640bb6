// What it is: the tables of the SQL task store, one text for SQLite and PostgreSQL.
// How it fails: STORE_TOO_NEW for tables of a newer program. Thread rules: once, before the store is used.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "server/store/sql_db.h"

namespace tryon {

inline constexpr int64_t kSchemaVersion = 4;
extern const char kSqlSchema[];  // in SQLite's words
extern const char kSqlFrom3[];   // what has to go of version 3 first
std::string postgres_schema();   // the same in PostgreSQL's
absl::Status schema_too_new(int64_t version);
// Brings a SQLite file of an older version, or an empty one, to this one.
absl::Status prepare_sqlite_schema(SqlDb* db);

}  // namespace tryon
