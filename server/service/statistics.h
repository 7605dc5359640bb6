// What it is: what each tenant's tasks have cost since this server began: how many ended how, how long they waited and
// ran, and in which stages. A caller takes two and subtracts. How it fails: it does not; a task that was erased before
// it was counted is nobody's. Thread rules: all methods from any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "server/store/job_store.h"
#include "tryon/v1/server.pb.h"

namespace tryon {

class Statistics {
 public:
  explicit Statistics(absl::Time since) : since_(since) {}
  void count(const std::string& tenant, const FinishedTask& task);
  v1::GetStatisticsResponse of(const std::string& tenant) const;  // by kind, in the alphabet's order

 private:
  const absl::Time since_;
  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, v1::TaskStatistics>> tasks_ ABSL_GUARDED_BY(mutex_);  // tenant, kind
};

}  // namespace tryon
