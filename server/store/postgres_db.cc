#include "server/store/postgres_db.h"

#include <postgresql/libpq-fe.h>

#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

absl::Status postgres_error(PGconn* connection, const PGresult* result) {
  const char* code = result != nullptr ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
  const char* text = result != nullptr ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
  const std::string state = code != nullptr ? code : "";
  if (state == "40P01" || state == "40001" || state == "55P03") {  // deadlock, serialization, lock not available
    return make_error(absl::StatusCode::kUnavailable, "STORE_BUSY", "", cat("the task store is busy: ", text),
                      "Try again in a moment.");
  }
  const bool cut = PQstatus(connection) != CONNECTION_OK;
  return make_error(absl::StatusCode::kUnavailable, "STORE_UNAVAILABLE", "",
                    cat("the task store failed: ",
                        text != nullptr ? text : (cut ? "no connection to PostgreSQL" : "no answer from PostgreSQL")),
                    "Check the PostgreSQL server and the network to it.");
}

// ? and ?N to $1, $2, ...
std::string with_dollars(std::string_view sql) {
  std::string out;
  int next = 1;
  for (size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] != '?') {
      out += sql[i];
    } else if (i + 1 < sql.size() && sql[i + 1] >= '1' && sql[i + 1] <= '9') {
      out += '$';
    } else {
      out += cat("$", next++);
    }
  }
  return out;
}

// How many bytes of a character begin here; 0 where it is not UTF-8.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const size_t length = byte(0) < 0x80                       ? 1
                        : byte(0) >= 0xc2 && byte(0) < 0xe0  ? 2
                        : (byte(0) & 0xf0) == 0xe0           ? 3
                        : byte(0) >= 0xf0 && byte(0) <= 0xf4 ? 4
                                                             : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (byte(0) == 0xe0 && byte(1) < 0xa0) return 0;   // too long a form
  if (byte(0) == 0xed && byte(1) >= 0xa0) return 0;  // a surrogate
  if (byte(0) == 0xf0 && byte(1) < 0x90) return 0;   // too long a form
  if (byte(0) == 0xf4 && byte(1) >= 0x90) return 0;  // beyond Unicode
  return length;
}

// PostgreSQL takes neither NUL nor anything but UTF-8; a message that quotes a broken file may hold both.
std::string clean_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = text[0] == '\0' ? 0 : utf8_length(text);
    out += length == 0 ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(1, length));
  }
  return out;
}

class PostgresCursor : public SqlStatement::Cursor {
 public:
  PostgresCursor(PGconn* connection, std::string name) : connection_(connection), name_(std::move(name)) {}

  void bind(int parameter, int64_t value) override { set(parameter, std::to_string(value)); }
  void bind(int parameter, double value) override {
    char buffer[32];
    set(parameter, std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr));
  }
  void bind(int parameter, std::string_view value) override { set(parameter, clean_text(value)); }

  absl::StatusOr<bool> step() override {
    if (result_ == nullptr) {
      std::vector<const char*> values;
      for (const std::string& value : values_) values.push_back(value.c_str());
      result_.reset(PQexecPrepared(connection_, name_.c_str(), static_cast<int>(values.size()), values.data(), nullptr,
                                   nullptr, 0));
      const ExecStatusType status = PQresultStatus(result_.get());
      if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return postgres_error(connection_, result_.get());
    }
    return ++row_ < PQntuples(result_.get());
  }

  int64_t integer(int column) const override {
    const char* text = PQgetvalue(result_.get(), row_, column);
    if (text[0] == 't') return 1;  // a boolean
    int64_t out = 0;
    std::from_chars(text, text + strlen(text), out);
    return out;
  }
  double real(int column) const override { return std::strtod(PQgetvalue(result_.get(), row_, column), nullptr); }
  std::string text(int column) const override { return PQgetvalue(result_.get(), row_, column); }

 private:
  void set(int parameter, std::string value) {
    if (values_.size() < static_cast<size_t>(parameter)) values_.resize(static_cast<size_t>(parameter));
    values_[static_cast<size_t>(parameter) - 1] = std::move(value);
  }

  PGconn* const connection_;
  const std::string name_;
  std::vector<std::string> values_;
  Result result_;
  int row_ = -1;
};

}  // namespace

absl::StatusOr<std::unique_ptr<PostgresDb>> PostgresDb::open(const std::string& conninfo, bool durable) {
  std::unique_ptr<PostgresDb> db(new PostgresDb(PQconnectdb(conninfo.c_str()), durable));
  if (PQstatus(db->connection_) != CONNECTION_OK) return postgres_error(db->connection_, nullptr);
  RETURN_IF_ERROR(db->configure());
  return db;
}

PostgresDb::~PostgresDb() { PQfinish(connection_); }

absl::Status PostgresDb::configure() {
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
  prepared_.clear();
  RETURN_IF_ERROR(run("SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '60s'"));
  return durable_ ? absl::OkStatus() : run("SET synchronous_commit = off");
}

absl::Status PostgresDb::reconnect() {
  if (PQstatus(connection_) == CONNECTION_OK) return absl::OkStatus();
  PQreset(connection_);
  if (PQstatus(connection_) != CONNECTION_OK) return postgres_error(connection_, nullptr);
  return configure();
}

absl::Status PostgresDb::run(const char* sql) {
  const Result result(PQexec(connection_, sql));
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return postgres_error(connection_, result.get());
  // A commit of what failed before is a rollback, and says so only here.
  const bool undone = strcmp(sql, "COMMIT") == 0 && strcmp(PQcmdStatus(result.get()), "COMMIT") != 0;
  return undone ? postgres_error(connection_, nullptr) : absl::OkStatus();
}

absl::StatusOr<SqlStatement> PostgresDb::prepare(std::string_view sql) {
  if (PQtransactionStatus(connection_) == PQTRANS_UNKNOWN) RETURN_IF_ERROR(reconnect());
  auto found = prepared_.find(sql);
  if (found == prepared_.end()) {
    const std::string name = cat("s", prepared_.size());
    const Result result(PQprepare(connection_, name.c_str(), with_dollars(sql).c_str(), 0, nullptr));
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) return postgres_error(connection_, result.get());
    found = prepared_.emplace(std::string(sql), name).first;
  }
  return SqlStatement(std::make_unique<PostgresCursor>(connection_, found->second));
}

absl::Status PostgresDb::begin() {
  RETURN_IF_ERROR(reconnect());
  return run("BEGIN");
}

absl::Status PostgresDb::order_commits() { return run("SELECT pg_advisory_xact_lock(7418)"); }

absl::Status PostgresDb::announce(std::string_view id) {
  ASSIGN_OR_RETURN(SqlStatement notify, prepare("SELECT pg_notify(?, ?)"));
  return notify.bind(std::string_view(kPostgresChannel)).bind(id).finish();
}

}  // namespace tryon
