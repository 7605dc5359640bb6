// What it is: PostgreSQL as a SqlDb, through libpq. A connection that was cut is made again at the next transaction.
// Private to the store.
// How it fails: as sql_db.h; messages are the server's, and never the connection's address or password.
// Thread rules: one connection, one thread at a time: its owner guards it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "server/store/sql_db.h"

struct pg_conn;

namespace tryon {

class PostgresDb : public SqlDb {
 public:
  // `conninfo`: as libpq has it, a URI or key=value words. `durable`: whether a commit waits for the disk.
  static absl::StatusOr<std::unique_ptr<PostgresDb>> open(const std::string& conninfo, bool durable);
  ~PostgresDb() override;
  PostgresDb(const PostgresDb&) = delete;
  PostgresDb& operator=(const PostgresDb&) = delete;

  absl::Status run(const char* sql) override;
  absl::StatusOr<SqlStatement> prepare(std::string_view sql) override;
  absl::Status begin() override;
  std::string_view row_lock() const override { return " FOR UPDATE"; }
  std::string_view skip_locked() const override { return " FOR UPDATE SKIP LOCKED"; }
  absl::Status order_commits() override;
  absl::Status announce(std::string_view id) override;

  pg_conn* connection() { return connection_; }
  absl::Status reconnect();  // where it was cut

 private:
  PostgresDb(pg_conn* connection, bool durable) : connection_(connection), durable_(durable) {}
  absl::Status configure();

  pg_conn* connection_;
  const bool durable_;
  std::map<std::string, std::string, std::less<>> prepared_;  // SQL -> its name on this connection
};

inline constexpr char kPostgresChannel[] = "tryon";

}  // namespace tryon
