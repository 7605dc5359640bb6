#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "server/base/status.h"
#include "server/store/job_rules.h"
#include "server/store/job_store.h"

namespace tryon {
namespace {

class MemoryJobStore : public JobStore {
 public:
  explicit MemoryJobStore(Clock clock) : clock_(std::move(clock)) {}

  absl::StatusOr<TaskRecord> submit(const TaskRecord& record) override {
    std::lock_guard lock(mutex_);
    const auto found = tasks_.find(record.id);
    if (found == tasks_.end()) return save(fresh_task(record, clock_()));
    if (!asks_again(found->second)) return found->second;
    return move(with_inputs_of(found->second, record), Resubmitted{record.deadline_us});
  }

  absl::StatusOr<std::optional<TaskRecord>> lease(const std::string& worker, absl::Duration ttl) override {
    std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(expire([now = clock_()](const TaskRecord& task) { return task.lease_expires_us < now; }).status());
    if (queue_.empty()) return std::nullopt;
    ASSIGN_OR_RETURN(TaskRecord task, move(tasks_.at(queue_.begin()->second), Leased{worker, to_us(ttl)}));
    return std::optional<TaskRecord>(std::move(task));
  }

  absl::StatusOr<Directive> heartbeat(const std::string& id, int attempt, const std::string& stage, double fraction,
                                      absl::Duration ttl) override {
    std::lock_guard lock(mutex_);
    const auto found = tasks_.find(id);
    if (found == tasks_.end()) return task_not_found(id);
    const Directive told = directive(found->second, attempt);
    const Heartbeat beat{attempt, stage, fraction, to_us(ttl)};
    if (told != Directive::kLost && worth_writing(found->second, beat, clock_())) {
      RETURN_IF_ERROR(move(found->second, beat).status());
    }
    return told;
  }

  absl::StatusOr<TaskRecord> apply(const std::string& id, const TaskEvent& event) override {
    std::lock_guard lock(mutex_);
    const auto found = tasks_.find(id);
    if (found == tasks_.end()) return task_not_found(id);
    return move(found->second, event);
  }

  absl::StatusOr<int> expire_worker(const std::string& worker) override {
    std::lock_guard lock(mutex_);
    return expire([&](const TaskRecord& task) { return task.worker == worker; });
  }

  absl::StatusOr<TaskRecord> get(const std::string& id) override { return wait(id, -1, absl::ZeroDuration()); }

  absl::StatusOr<TaskRecord> wait(const std::string& id, int64_t seen_version, absl::Duration timeout) override {
    std::unique_lock lock(mutex_);
    auto found = tasks_.find(id);
    if (found == tasks_.end()) return task_not_found(id);
    changed_.wait_for(lock, absl::ToChronoMilliseconds(capped(timeout)), [&] {
      found = tasks_.find(id);  // it may be erased meanwhile
      return found == tasks_.end() || found->second.version != seen_version;
    });
    if (found == tasks_.end()) return task_not_found(id);
    return found->second;
  }

  void wait_for_work(absl::Duration timeout) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, absl::ToChronoMilliseconds(capped(timeout)), [&] { return !queue_.empty(); });
  }

  absl::StatusOr<JobStats> stats() override {
    std::lock_guard lock(mutex_);
    return stats_;
  }

  absl::StatusOr<std::vector<FinishedTask>> finished_since(int64_t cursor, int limit) override {
    std::lock_guard lock(mutex_);
    std::vector<FinishedTask> out;
    const int64_t forgotten = last_cursor_ - static_cast<int64_t>(finished_.size());  // cursors count from 1
    for (auto i = static_cast<size_t>(std::max<int64_t>(0, cursor - forgotten)); i < finished_.size(); ++i) {
      if (static_cast<int>(out.size()) >= limit) break;
      out.push_back(finished_[i]);
    }
    return out;
  }

  absl::StatusOr<int64_t> finished_cursor() override {
    std::lock_guard lock(mutex_);
    return last_cursor_;
  }

  absl::StatusOr<std::vector<TaskRecord>> list(const std::string& kind, const std::optional<TaskCursor>& after,
                                               int limit) override {
    std::lock_guard lock(mutex_);
    std::map<std::pair<int64_t, std::string>, const TaskRecord*> sorted;
    for (const auto& [id, task] : tasks_) {
      if (task.kind == kind) sorted[{task.created_us, id}] = &task;
    }
    std::vector<TaskRecord> out;
    auto end = after ? sorted.lower_bound({after->created_us, after->id}) : sorted.end();
    for (auto it = std::make_reverse_iterator(end); it != sorted.rend(); ++it) {
      if (static_cast<int>(out.size()) >= limit) break;
      out.push_back(*it->second);
    }
    return out;
  }

  absl::StatusOr<std::vector<std::string>> made_from(const std::string& subject) override {
    std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const auto& [id, task] : tasks_) {
      if (!subject.empty() && task.subject == subject) out.push_back(id);
    }
    return out;
  }

  absl::StatusOr<bool> needs_blob(const std::string& digest) override {
    std::lock_guard lock(mutex_);
    for (const auto& [id, task] : tasks_) {
      if (reads(task, digest)) return true;
      for (const auto& [name, blob] : task.outputs) {
        if (blob.digest == digest) return true;
      }
    }
    return false;
  }

  absl::StatusOr<std::vector<std::string>> spent_blobs(int limit) override {
    std::lock_guard lock(mutex_);
    std::set<std::string> out = orphans_;
    for (const auto& [id, task] : tasks_) {
      if (has_spent_inputs(task)) out.insert(task.inputs.begin(), task.inputs.end());
    }
    std::vector<std::string> first(out.begin(), out.end());
    if (static_cast<int>(first.size()) > limit) first.resize(static_cast<size_t>(std::max(0, limit)));
    return first;
  }

  absl::Status forget_blob(const std::string& digest) override {
    std::lock_guard lock(mutex_);
    orphans_.erase(digest);
    for (auto& [id, task] : tasks_) {
      if (has_spent_inputs(task) && std::erase(task.inputs, digest) > 0) task.keep_inputs = task.inputs.empty();
    }
    return absl::OkStatus();
  }

  absl::Status erase(const std::string& id) override {
    std::lock_guard lock(mutex_);
    const auto found = tasks_.find(id);
    if (found == tasks_.end()) return task_not_found(id);
    RETURN_IF_ERROR(check_erase(found->second));
    for (const auto& [name, blob] : found->second.outputs) orphans_.insert(blob.digest);
    orphans_.insert(found->second.inputs.begin(), found->second.inputs.end());
    --count(found->second.state);
    tasks_.erase(found);
    changed_.notify_all();
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<TaskRecord> move(const TaskRecord& task, const TaskEvent& event)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const TaskState before = task.state;
    ASSIGN_OR_RETURN(TaskRecord after, transition(task, event, clock_()));
    if (is_final(after.state) && !is_final(before)) note_finish(after);
    return save(std::move(after));
  }

  // The one place where a record changes, so that the queue, the leases, the counts and the orphans follow it.
  TaskRecord save(TaskRecord task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    TaskRecord& slot = tasks_[task.id];
    if (!slot.id.empty()) {
      for (const auto& [name, blob] : slot.outputs)
        if (task.outputs.count(name) == 0) orphans_.insert(blob.digest);
      --count(slot.state);
      queue_.erase({slot.created_us, slot.id});
      leased_.erase(slot.id);
    }
    slot = std::move(task);
    ++count(slot.state);
    if (slot.state == TaskState::kQueued) queue_.emplace(slot.created_us, slot.id);
    if (slot.state == TaskState::kRunning) leased_.insert(slot.id);
    changed_.notify_all();
    return slot;
  }

  template <typename Predicate>
  absl::StatusOr<int> expire(const Predicate& is_dead) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    int expired = 0;
    for (const std::string& id : std::set<std::string>(leased_)) {
      const TaskRecord& task = tasks_.at(id);
      if (!is_dead(task)) continue;
      RETURN_IF_ERROR(move(task, LeaseExpired{}).status());
      ++expired;
    }
    return expired;
  }

  void note_finish(const TaskRecord& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    finished_.push_back(finished_task(task));
    finished_.back().cursor = ++last_cursor_;
    if (static_cast<int64_t>(finished_.size()) > kFinishedKept) finished_.pop_front();
  }

  int64_t& count(TaskState state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    int64_t* const counts[] = {&stats_.queued, &stats_.running, &stats_.succeeded, &stats_.failed, &stats_.cancelled};
    return *counts[static_cast<int>(state)];
  }

  const Clock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, TaskRecord> tasks_ ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<int64_t, std::string>> queue_ ABSL_GUARDED_BY(mutex_);  // (created_us, id) of the queued
  std::set<std::string> leased_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> orphans_ ABSL_GUARDED_BY(mutex_);  // blobs of erased tasks, and of failures asked for again
  std::deque<FinishedTask> finished_ ABSL_GUARDED_BY(mutex_);
  int64_t last_cursor_ ABSL_GUARDED_BY(mutex_) = 0;
  JobStats stats_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<JobStore> make_memory_job_store(Clock clock) {
  return std::make_unique<MemoryJobStore>(clock_or_system(std::move(clock)));
}

}  // namespace tryon
