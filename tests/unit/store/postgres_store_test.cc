// What only PostgreSQL can do; run by store.postgres of ctest.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/postgres_db.h"
#include "server/store/postgres_job_store.h"
#include "tests/unit/store/postgres_server.h"
#include "tests/unit/store/store_suite.h"

namespace tryon {
namespace {

using testing::kTtl;
using testing::request;

class PostgresStore : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string& server = testing::postgres_server();
    if (server.empty()) GTEST_SKIP() << "Debian's postgresql-15 is absent: scripts/install-test-tools installs it";
    conninfo_ = testing::fresh_schema(server);
  }
  std::unique_ptr<JobStore> open() { return open_postgres_job_store(conninfo_).value(); }
  std::string conninfo_;
};

TEST_P(PostgresStore, ManyStoresLeaseEachTaskOnce) {
  constexpr int kTasks = 60;
  const auto server = open();
  for (int i = 0; i < kTasks; ++i) {
    TaskRecord task = request(cat("t", i));
    task.tenant = cat("tenant", i % 3);
    server->submit(task).value();
  }
  std::atomic<int> done{0};
  std::vector<std::thread> machines;
  for (int m = 0; m < 4; ++m) {
    machines.emplace_back([&, m] {
      const auto store = open();
      while (done < kTasks) {
        const auto task = store->lease(cat("machine", m), kTtl);
        if (!task.ok() || !task->has_value()) continue;
        EXPECT_EQ((*task)->attempt, 1);
        EXPECT_TRUE(store->apply((*task)->id, Completed{(*task)->attempt, true, "{}", {}}).ok());
        ++done;
      }
    });
  }
  for (std::thread& machine : machines) machine.join();
  EXPECT_EQ(server->stats()->succeeded, kTasks);
  EXPECT_EQ(server->stats()->queued, 0);
  EXPECT_EQ(server->finished_since(0, 1000)->size(), size_t{kTasks});
}

TEST_P(PostgresStore, AWatcherHearsOfWhatAnotherMachineDid) {
  const auto server = open(), worker = open();
  std::thread elsewhere([&] {
    worker->wait_for_work(absl::InfiniteDuration());
    const TaskRecord task = worker->lease("w", kTtl)->value();
    EXPECT_TRUE(worker->apply(task.id, Completed{task.attempt, true, "{}", {}}).ok());
  });
  TaskRecord task = server->submit(request("a")).value();
  while (!is_final(task.state)) task = server->wait("a", task.version, absl::Seconds(30)).value();
  EXPECT_EQ(task.state, TaskState::kSucceeded);
  elsewhere.join();
}

TEST_P(PostgresStore, TablesOfTheVersionWithoutTenantsAreBroughtUpToDate) {
  ASSERT_TRUE(open()->submit(request("old")).ok());
  {
    const auto db = PostgresDb::open(conninfo_, true).value();
    ASSERT_TRUE(
        db->run("DROP TABLE seal; DROP INDEX task_dead_of; DROP INDEX task_listed_of; DROP INDEX batch_listed_of;"
                "UPDATE store_schema SET version = 3")
            .ok());
  }
  EXPECT_EQ(open()->list("", "drape", std::nullopt, 9)->at(0).id, "old");
  EXPECT_TRUE(open()->keep_seal({"blob", "key", "digest", 5, 0}).ok());
}

TEST_P(PostgresStore, TextThatIsNotUtf8IsKeptAsFarAsItCanBe) {
  const auto store = open();
  store->submit(request("a")).value();
  const TaskRecord task = store->lease("w", kTtl)->value();
  ASSERT_TRUE(
      store->apply("a", Failed{task.attempt, std::string("bad \xff\xfe and \0 byte, caf\xc3\xa9", 24), false}).ok());
  EXPECT_EQ(store->get("a")->status, "bad ?? and ? byte, caf\xc3\xa9");
}

TEST_P(PostgresStore, AServerThatIsNotThereIsUnavailable) {
  const auto store = open_postgres_job_store("host=/nowhere dbname=x connect_timeout=1");
  EXPECT_EQ(store.status().code(), absl::StatusCode::kUnavailable);
}

std::vector<std::string> where_there_is_one() {
  const auto stores = testing::every_job_store();
  return stores[0] == "Postgres" ? stores : std::vector<std::string>();
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PostgresStore);
INSTANTIATE_TEST_SUITE_P(Only, PostgresStore, ::testing::ValuesIn(where_there_is_one()));

}  // namespace
}  // namespace tryon
