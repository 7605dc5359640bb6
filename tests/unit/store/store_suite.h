// What it is: the fixture of the one suite that every JobStore runs: memory, SQLite and PostgreSQL. The clock is the
// test's, so leases expire when the test says so.
// How it fails: a store that cannot run here skips, loudly. Thread rules: one test at a time.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "server/store/job_store.h"

namespace tryon::testing {

inline constexpr absl::Duration kTtl = absl::Seconds(15);
inline constexpr int64_t kSecond = 1'000'000;

class Folder {
 public:
  Folder();
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return path_ / name; }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

MasterKey master_key(const Folder& folder, char digit);         // 64 times that hex digit
int files_with(const Folder& folder, const std::string& text);  // of those right in the folder

TaskRecord request(const std::string& id, int64_t created_us = 0);
TaskRecord body_of(const std::string& id, const std::string& scan, bool keep, int64_t created_us = 0);
std::string reason_of(const absl::Status& status);

class JobStoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  void TearDown() override;

  void advance(int64_t us) { *now_ += us; }
  TaskRecord leased(const std::string& worker = "w") { return store_->lease(worker, kTtl).value().value(); }
  std::string state(const std::string& id) { return std::string(task_state_name(store_->get(id)->state)); }

  Folder folder_;
  std::shared_ptr<std::atomic<int64_t>> now_ = std::make_shared<std::atomic<int64_t>>(1000 * kSecond);
  std::unique_ptr<JobStore> store_;
};

std::vector<std::string> every_job_store();

#define EVERY_JOB_STORE(Suite)                                                                     \
  INSTANTIATE_TEST_SUITE_P(Every, Suite, ::testing::ValuesIn(::tryon::testing::every_job_store()), \
                           [](const auto& which) { return which.param; })

}  // namespace tryon::testing
