#include "tests/unit/store/store_suite.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/postgres_job_store.h"
#include "tests/unit/store/postgres_server.h"

namespace tryon::testing {

Folder::Folder() : path_(std::filesystem::temp_directory_path() / cat("tryon-test-", random_hex(8))) {
  std::filesystem::create_directories(path_);
}

TaskRecord request(const std::string& id, int64_t created_us) {
  TaskRecord task;
  task.id = id;
  task.kind = "drape";
  task.spec = "{\"fabric\":\"denim\"}";
  task.created_us = created_us;
  return task;
}

TaskRecord body_of(const std::string& id, const std::string& scan, bool keep, int64_t created_us) {
  TaskRecord task = request(id, created_us);
  task.kind = "body";
  task.inputs = {scan};
  task.keep_inputs = keep;
  return task;
}

std::string reason_of(const absl::Status& status) { return error_detail(status).value_or(ErrorDetail{}).reason; }

MasterKey master_key(const Folder& folder, char digit) {
  std::ofstream(folder.file("master.key")) << std::string(64, digit) << "\n";
  return MasterKey::load(folder.file("master.key")).value();
}

int files_with(const Folder& folder, const std::string& text) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    std::stringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    found += bytes.str().find(text) != std::string::npos ? 1 : 0;
  }
  return found;
}

// PostgreSQL's are one run of their own (store.postgres of ctest): its server starts once, not once a test.
std::vector<std::string> every_job_store() {
  if (std::getenv("TRYON_TEST_POSTGRES") != nullptr) return {"Postgres"};
  return {"Memory", "Sqlite", "SqliteUnderMasterKey"};
}

void JobStoreTest::SetUp() {
  const Clock clock = [now = now_] { return now->load(); };
  if (GetParam() == "Memory") store_ = make_memory_job_store(clock);
  if (GetParam() == "Sqlite") store_ = open_sqlite_job_store(folder_.file("tasks.sqlite"), clock).value();
  if (GetParam() == "SqliteUnderMasterKey")
    store_ = open_sqlite_job_store(folder_.file("tasks.sqlite"), clock, master_key(folder_, 'a')).value();
  if (GetParam() != "Postgres") return;
  const std::string& server = postgres_server();
  if (server.empty()) GTEST_SKIP() << "Debian's postgresql-15 is absent: scripts/install-test-tools installs it";
  auto store = open_postgres_job_store(fresh_schema(server), clock, master_key(folder_, 'a'));
  ASSERT_TRUE(store.ok()) << store.status();
  store_ = *std::move(store);
}

void JobStoreTest::TearDown() { store_.reset(); }

}  // namespace tryon::testing
