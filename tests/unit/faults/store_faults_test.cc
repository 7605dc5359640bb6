// Each call to the disk, and each statement to the database, is failed once, one after another, until the work passes
// without: what was acknowledged is there, and asking again ends what was not.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <functional>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/release.h"
#include "server/store/sealed_blob_store.h"
#include "server/store/sql_job_store.h"
#include "server/store/sql_schema.h"
#include "server/store/sqlite_db.h"
#include "server/store/tenant_view.h"
#include "tests/unit/faults/failing_calls.h"
#include "tests/unit/store/store_suite.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::Folder;
using testing::kTtl;
using testing::reason_of;

constexpr int kTries = 6;

// As a client does: again until it is done, and a fault is never silent.
template <typename Call>
void until_done(const char* what, Call call) {
  absl::Status status;
  for (int i = 0; i < kTries; ++i) {
    status = call();
    if (status.ok()) return;
    EXPECT_FALSE(reason_of(status).empty()) << what << ": " << status;
  }
  ADD_FAILURE() << what << " is never done: " << status;
}

std::string scan() {
  std::string bytes(150'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

// What a scan goes through: upload, task, result, and the erasing of another's.
class Story {
 public:
  Story(JobStore* jobs, BlobStore* blobs) : jobs_(jobs), blobs_(blobs, "shop") {}

  void live() {
    until_done("the upload", [this] { return upload(); });
    until_done("the request", [this] { return jobs_->submit(task_).status(); });
    until_done("the work", [this] { return work(); });
    until_done("the other's upload", [this] { return blobs_.put("somebody else's").status(); });
    until_done("its erasing", [this] { return blobs_.erase(sha256_hex("somebody else's")); });
  }

  void expect_all() {
    EXPECT_EQ(blobs_.read(digest_, 0, 0).value(), scan_);
    EXPECT_EQ(jobs_->get("body")->state, TaskState::kSucceeded);
    EXPECT_EQ(jobs_->get("body")->summary, "{}");
    EXPECT_EQ(blobs_.read(sha256_hex("result"), 0, 0).value(), "result");
    EXPECT_EQ(jobs_->finished_since(0, 9)->size(), 1u) << "it succeeded once";
    EXPECT_EQ(jobs_->stats()->queued + jobs_->stats()->running, 0);
    EXPECT_EQ(reason_of(blobs_.blob_size(sha256_hex("somebody else's")).status()), "BLOB_NOT_FOUND");
  }

 private:
  absl::Status upload() {
    const auto size = static_cast<int64_t>(scan_.size());
    if (blobs_.blob_size(digest_).ok()) return absl::OkStatus();  // its end was reached, only not told
    ASSIGN_OR_RETURN(int64_t at, blobs_.begin_upload("u", digest_, size));
    while (at < size) {
      ASSIGN_OR_RETURN(at,
                       blobs_.append_upload("u", at, std::string_view(scan_).substr(static_cast<size_t>(at), 60'000)));
    }
    return blobs_.finish_upload("u");
  }

  // A worker that hears of a fault begins anew, as its supervisor lets it.
  absl::Status work() {
    ASSIGN_OR_RETURN(const TaskRecord before, jobs_->get("body"));
    if (is_final(before.state)) return absl::OkStatus();
    RETURN_IF_ERROR(jobs_->expire_worker("w").status());
    ASSIGN_OR_RETURN(const std::optional<TaskRecord> task, jobs_->lease("w", kTtl));
    if (!task) return make_error(absl::StatusCode::kUnavailable, "NOT_YET", "", "it waits", "Ask again.");
    RETURN_IF_ERROR(jobs_->heartbeat("body", task->attempt, "fit", 0.5, kTtl).status());
    ASSIGN_OR_RETURN(const std::string digest, blobs_.put("result"));
    const BlobRef result{owned_name("shop", digest), 6, "text/plain"};
    return jobs_->apply("body", Completed{task->attempt, true, "{}", {{"result.txt", result}}}).status();
  }

  JobStore* const jobs_;
  TenantBlobStore blobs_;
  const std::string scan_ = scan(), digest_ = sha256_hex(scan_);
  const TaskRecord task_ = [this] {
    TaskRecord task = body_of("body", owned_name("shop", digest_), true);
    task.max_attempts = 99;
    return task;
  }();
};

std::unique_ptr<BlobStore> blobs_in(const Folder& folder, JobStore* jobs) {
  return make_sealed_blob_store(jobs, open_directory_object_store(folder.file("blobs")).value());
}

class DiskFaults : public ::testing::TestWithParam<int> {};

TEST_P(DiskFaults, WhicheverCallFailsNothingAcknowledgedIsLost) {
  int nth = 0, most = 1;
  for (bool failed = true; failed && nth < 1000; ++nth) {
    SCOPED_TRACE(cat("call ", nth + 1));
    Folder folder;
    int64_t now_us = 1;
    const Clock clock = [&now_us] { return now_us += 60'000'000; };  // pauses between tries are over at once
    {
      const auto jobs = open_sqlite_job_store(folder.file("tasks.sqlite"), clock).value();
      const auto blobs = blobs_in(folder, jobs.get());
      testing::fail_call(nth + 1, GetParam());
      Story(jobs.get(), blobs.get()).live();
      failed = testing::call_failed();
      most = std::max(most, testing::calls_seen());
      testing::fail_call(0, 0);
      Story(jobs.get(), blobs.get()).expect_all();
    }
    const auto jobs = open_sqlite_job_store(folder.file("tasks.sqlite"), clock).value();
    const auto blobs = blobs_in(folder, jobs.get());
    Story(jobs.get(), blobs.get()).expect_all();  // and after the power comes back
    ASSERT_TRUE(collect_unused(jobs.get(), blobs.get(), INT64_MAX).ok());
    if (HasFailure()) return;
  }
  EXPECT_GT(nth, 20) << "the faults reach what the stores do";
  RecordProperty("calls", most);
}

INSTANTIATE_TEST_SUITE_P(Every, DiskFaults, ::testing::Values(EIO, ENOSPC),
                         [](const auto& which) { return which.param == EIO ? "Broken" : "Full"; });

// ---- The same of the statements, whichever database hears them.

struct Countdown {
  int left = 0;
  bool failed = false;
  absl::Status next() {
    if (--left != 0) return absl::OkStatus();
    failed = true;
    return make_error(absl::StatusCode::kUnavailable, "STORE_UNAVAILABLE", "", "the line was cut", "Try again.");
  }
};

class FailingCursor : public SqlStatement::Cursor {
 public:
  FailingCursor(SqlStatement statement, Countdown* countdown)
      : statement_(std::move(statement)), countdown_(countdown) {}
  void bind(int, int64_t value) override { statement_.bind(value); }
  void bind(int, double value) override { statement_.bind(value); }
  void bind(int, std::string_view value) override { statement_.bind(value); }
  absl::StatusOr<bool> step() override {
    RETURN_IF_ERROR(countdown_->next());
    return statement_.step();
  }
  int64_t integer(int column) const override { return statement_.integer(column); }
  double real(int column) const override { return statement_.real(column); }
  std::string text(int column) const override { return statement_.text(column); }

 private:
  SqlStatement statement_;
  Countdown* const countdown_;
};

class FailingDb : public SqlDb {
 public:
  FailingDb(std::unique_ptr<SqlDb> db, Countdown* countdown) : db_(std::move(db)), countdown_(countdown) {}
  absl::Status run(const char* sql) override {
    if (std::strcmp(sql, "ROLLBACK") != 0) RETURN_IF_ERROR(countdown_->next());
    return db_->run(sql);
  }
  absl::StatusOr<SqlStatement> prepare(std::string_view sql) override {
    ASSIGN_OR_RETURN(SqlStatement statement, db_->prepare(sql));
    return SqlStatement(std::make_unique<FailingCursor>(std::move(statement), countdown_));
  }
  absl::Status begin() override {
    RETURN_IF_ERROR(countdown_->next());
    return db_->begin();
  }
  void forget_deleted() override { db_->forget_deleted(); }

 private:
  const std::unique_ptr<SqlDb> db_;
  Countdown* const countdown_;
};

class NeverWaits : public TaskNews {
 public:
  bool wait(const std::string&, int64_t, absl::Time, const Patience&) override { return false; }
};

TEST(StatementFaults, WhicheverStatementFailsNothingAcknowledgedIsLost) {
  int nth = 0;
  for (bool failed = true; failed && nth < 2000; ++nth) {
    SCOPED_TRACE(cat("statement ", nth + 1));
    Folder folder;
    int64_t now_us = 1;
    Countdown countdown;
    const auto open = [&](SqliteSync sync) {
      return std::make_unique<FailingDb>(SqliteDb::open(folder.file("tasks.sqlite"), sync).value(), &countdown);
    };
    auto writer = open(SqliteSync::kNormal);
    ASSERT_TRUE(prepare_sqlite_schema(writer.get()).ok());
    SqlConnections connections{
        std::move(writer), open(SqliteSync::kNormal), open(SqliteSync::kNormal), std::make_unique<NeverWaits>(), 0, {}};
    SqlJobStore jobs(std::move(connections), [&now_us] { return now_us += 60'000'000; });
    const auto blobs = blobs_in(folder, &jobs);
    countdown.left = nth + 1;
    Story(&jobs, blobs.get()).live();
    failed = countdown.failed;
    countdown.left = 0;
    Story(&jobs, blobs.get()).expect_all();
    if (HasFailure()) return;
  }
  EXPECT_GT(nth, 50) << "the faults reach what the store says";
}

}  // namespace
}  // namespace tryon
