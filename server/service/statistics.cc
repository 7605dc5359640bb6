#include "server/service/statistics.h"

namespace tryon {

void Statistics::count(const std::string& tenant, const FinishedTask& task) {
  std::lock_guard lock(mutex_);
  v1::TaskStatistics& sum = tasks_[tenant][task.kind];
  sum.set_kind(task.kind);
  if (task.outcome == "succeeded") sum.set_succeeded_count(sum.succeeded_count() + 1);
  if (task.outcome == "unsettled") sum.set_unsettled_count(sum.unsettled_count() + 1);
  if (task.outcome == "failed") sum.set_failed_count(sum.failed_count() + 1);
  if (task.outcome == "cancelled") sum.set_cancelled_count(sum.cancelled_count() + 1);
  sum.set_queue_seconds(sum.queue_seconds() + task.queue_seconds);
  sum.set_run_seconds(sum.run_seconds() + task.run_seconds);
  for (const auto& [stage, seconds] : task.stage_seconds) (*sum.mutable_stage_seconds())[stage] += seconds;
}

v1::GetStatisticsResponse Statistics::of(const std::string& tenant) const {
  v1::GetStatisticsResponse out;
  out.mutable_start_time()->set_seconds(absl::ToUnixSeconds(since_));
  std::lock_guard lock(mutex_);
  const auto found = tasks_.find(tenant);
  if (found == tasks_.end()) return out;
  for (const auto& [kind, sum] : found->second) *out.add_tasks() = sum;
  return out;
}

}  // namespace tryon
