#include "tests/unit/store/postgres_server.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/store/postgres_db.h"

namespace tryon::testing {
namespace {

namespace fs = std::filesystem;
constexpr char kPrograms[] = "/usr/lib/postgresql/15/bin";

// PostgreSQL does not run as root: there the postgres user of Debian's package owns the cluster.
int run_as_postgres(const std::string& command) {
  const std::string inner = cat(kPrograms, "/", command, " >/dev/null 2>&1");
  return std::system(geteuid() == 0 ? cat("runuser -u postgres -- sh -c '", inner, "'").c_str() : inner.c_str());
}

class Cluster {
 public:
  Cluster() : folder_(cat("/tmp/tryon-pg-", random_hex(4))) {
    if (!fs::exists(cat(kPrograms, "/initdb"))) return;
    fs::create_directories(folder_);
    if (geteuid() == 0 && std::system(cat("chown postgres ", folder_).c_str()) != 0) return;
    if (run_as_postgres(cat("initdb -A trust -U tryon -D ", data())) != 0 || !start()) return;
    address_ = cat("host=", folder_, " user=tryon dbname=postgres");
  }
  ~Cluster() {
    (void)run_as_postgres(cat("pg_ctl -m immediate -D ", data(), " stop"));
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  bool start() {
    return run_as_postgres(cat("pg_ctl -w -D ", data(), " -o \"-k ", folder_, " -c listen_addresses=\" start")) == 0;
  }
  const std::string& address() const { return address_; }

 private:
  std::string data() const { return folder_ + "/data"; }
  const std::string folder_;
  std::string address_;
};

Cluster& cluster() {
  static Cluster one;
  return one;
}

}  // namespace

const std::string& postgres_server() { return cluster().address(); }

std::string fresh_schema(const std::string& server) {
  const std::string name = cat("t", random_hex(6));
  (void)PostgresDb::open(server, false).value()->run(cat("CREATE SCHEMA ", name).c_str());
  return cat(server, " options='-c search_path=", name, "'");
}

}  // namespace tryon::testing
