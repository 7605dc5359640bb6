// What only a file can do.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/sqlite_db.h"
#include "tests/unit/store/store_suite.h"

namespace tryon {
namespace {

using std::filesystem::path;
using testing::body_of;
using testing::files_with;
using testing::Folder;
using testing::kTtl;
using testing::master_key;
using testing::reason_of;
using testing::request;

// A canary in what a body is described by: after erase it is in no file of the store, its log included.
TEST(SqliteJobStore, WhatIsErasedIsNotInTheFilesAnyMore) {
  Folder folder;
  const auto store = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
  TaskRecord asked = body_of("a", "scan", false);
  asked.spec = "{\"file_name\":\"canary-of-anna.obj\"}";
  store->submit(asked).value();
  store->submit(request("b")).value();
  const TaskRecord task = store->lease("w", kTtl)->value();
  store->apply("a", Completed{task.attempt, true, "{\"waist\":\"canary-702.5\"}", {}}).value();
  EXPECT_GT(files_with(folder, "canary-of-anna"), 0) << "the test looks where the store writes";
  ASSERT_TRUE(store->erase("a").ok());
  EXPECT_EQ(files_with(folder, "canary-of-anna"), 0);
  EXPECT_EQ(files_with(folder, "canary-702.5"), 0);
  EXPECT_TRUE(store->get("b").ok());
}

// Under a master key a copy of the files tells nothing of a body, whenever it was made.
TEST(SqliteJobStore, UnderAMasterKeyNothingOfABodyIsInTheFiles) {
  Folder folder;
  const std::string file = folder.file("tasks.sqlite"), spec = "{\"file_name\":\"canary-of-anna.obj\"}";
  TaskRecord asked = body_of("a", "scan", false);
  asked.spec = spec;
  {
    const auto before = open_sqlite_job_store(file).value();
    TaskRecord old = body_of("kept before", "scan", false);
    old.spec = "{}";
    before->submit(old).value();
  }
  {
    const auto store = open_sqlite_job_store(file, {}, master_key(folder, 'a')).value();
    store->submit(asked).value();
    const TaskRecord task = store->lease("w", kTtl)->value();
    store->apply(task.id, Completed{task.attempt, true, "{\"waist\":\"canary-702.5\"}", {}}).value();
    const TaskRecord other = store->lease("w", kTtl)->value();
    store->apply(other.id, Completed{other.attempt, true, "{\"waist\":\"canary-702.5\"}", {}}).value();
    EXPECT_EQ(store->get("a")->spec, spec);
    EXPECT_EQ(store->get("a")->summary, "{\"waist\":\"canary-702.5\"}");
    EXPECT_EQ(store->get("kept before")->spec, "{}");
    EXPECT_EQ(files_with(folder, "canary"), 0);
  }
  const auto wrong = open_sqlite_job_store(file, {}, master_key(folder, 'b')).value();
  EXPECT_EQ(reason_of(wrong->get("a").status()), "MASTER_KEY_WRONG");
  EXPECT_EQ(reason_of(open_sqlite_job_store(file).value()->get("a").status()), "MASTER_KEY_WRONG");
}

TEST(SqliteJobStore, EverythingIsThereAfterReopening) {
  const Folder folder;
  std::vector<TaskRecord> before;
  {
    auto store = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
    for (int i = 0; i < 4; ++i) store->submit(request(cat("t", i), i + 1)).value();
    const BlobRef blob{std::string(64, 'c'), 5, "image/png"};
    store
        ->apply("t0", Completed{store->lease("w", kTtl).value()->attempt, false, "{}", {{"a.png", blob}}, {{"sew", 1}}})
        .value();
    store->apply("t1", Failed{store->lease("w", kTtl).value()->attempt, "why", false}).value();
    store->lease("w", kTtl).value();
    store->heartbeat("t2", 1, "drape", 0.5, kTtl).value();
    for (int i = 0; i < 4; ++i) before.push_back(store->get(cat("t", i)).value());
  }
  auto store = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(store->get(cat("t", i)).value(), before[i]);
  EXPECT_EQ(store->stats()->running, 1);
  EXPECT_EQ(store->finished_since(0, 10)->size(), 2u);
}

// Leases and completes until all tasks are done; exits with the number that this process did, or 255.
int drain_in_child(const std::string& path, int total) {
  const pid_t child = fork();
  if (child != 0) return child;
  auto store = open_sqlite_job_store(path);
  int done = 0;
  while (store.ok() && (*store)->stats().value_or(JobStats{}).succeeded < total) {
    const auto task = (*store)->lease(cat("child-", getpid()), kTtl);
    if (!task.ok()) _exit(255);
    if (!task->has_value()) continue;
    if (!(*store)->apply((*task)->id, Completed{(*task)->attempt, true, "{}", {}}).ok()) _exit(255);
    ++done;
  }
  _exit(store.ok() ? done : 255);
}

TEST(SqliteJobStore, TwoProcessesShareAQueueWithoutADoubleLease) {
  const Folder folder;
  constexpr int kTasks = 24;
  const std::string file = folder.file("tasks.sqlite");
  {
    auto store = open_sqlite_job_store(file).value();
    for (int i = 0; i < kTasks; ++i) store->submit(request(cat("t", i))).value();
  }  // no connection is carried over fork()
  const pid_t children[] = {drain_in_child(file, kTasks), drain_in_child(file, kTasks)};
  int done = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 255);
    done += WEXITSTATUS(status);
  }
  EXPECT_EQ(done, kTasks);
  auto store = open_sqlite_job_store(file).value();
  EXPECT_EQ(store->stats()->succeeded, kTasks);
  for (int i = 0; i < kTasks; ++i) EXPECT_EQ(store->get(cat("t", i))->attempt, 1);
}

TEST(SqliteJobStore, AWatcherHearsOfChangesMadeThroughAnotherStore) {
  const Folder folder;
  auto server = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
  auto worker = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
  std::thread elsewhere([&] {
    worker->wait_for_work(absl::InfiniteDuration());
    const auto task = worker->lease("w", kTtl).value();
    EXPECT_TRUE(worker->heartbeat(task->id, task->attempt, "drape", 0.5, kTtl).ok());
    EXPECT_TRUE(worker->apply(task->id, Completed{task->attempt, true, "{}", {}}).ok());
  });
  TaskRecord task = server->submit(request("a")).value();
  while (!is_final(task.state)) {
    task = server->wait("a", task.version, absl::InfiniteDuration()).value();
  }
  EXPECT_EQ(task.state, TaskState::kSucceeded);
  elsewhere.join();
}

TEST(SqliteJobStore, ManyMayOpenANewFileAtOnce) {
  const Folder folder;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      auto store = open_sqlite_job_store(folder.file("tasks.sqlite"));
      ASSERT_TRUE(store.ok()) << store.status();
      EXPECT_TRUE((*store)->submit(request(cat("t", i))).ok());
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(open_sqlite_job_store(folder.file("tasks.sqlite")).value()->stats()->queued, 6);
}

TEST(SqliteJobStore, AFileOfTheVersionWithoutTenantsIsBroughtUpToDateAndBelongsToTheTenantWithoutAName) {
  const Folder folder;
  {
    const auto store = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
    ASSERT_TRUE(store->submit(body_of("old", "scan", true, 1)).ok());
  }
  {
    const auto db = SqliteDb::open(folder.file("tasks.sqlite"), SqliteSync::kFull).value();
    ASSERT_TRUE(
        db->run("DROP TABLE seal; DROP INDEX task_dead_of; DROP INDEX task_listed_of; DROP INDEX batch_listed_of;"
                "CREATE INDEX task_dead ON task (finished_us, id) WHERE dead = 1;"
                "CREATE INDEX batch_listed ON batch (created_us, id); PRAGMA user_version = 3")
            .ok());
  }
  const auto store = open_sqlite_job_store(folder.file("tasks.sqlite")).value();
  EXPECT_EQ(store->list("", "body", std::nullopt, 9)->at(0).id, "old");
  EXPECT_TRUE(store->keep_seal({"blob", "key", "digest", 5, 0}).ok());
}

TEST(SqliteJobStore, AFolderThatIsNotThereOrAFileThatIsNoStoreIsUnavailable) {
  const Folder folder;
  EXPECT_EQ(open_sqlite_job_store(folder.file("nowhere/tasks.sqlite")).status().code(), absl::StatusCode::kUnavailable);
  FILE* file = fopen(folder.file("noise").c_str(), "w");
  fputs(std::string(4096, 'x').c_str(), file);
  fclose(file);
  EXPECT_EQ(open_sqlite_job_store(folder.file("noise")).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tryon
