#include "server/store/memory_job_store.h"

#include <algorithm>
#include <iterator>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/jobs/fair_share.h"
#include "server/store/job_rules.h"

namespace tryon {

template <typename Predicate>
absl::StatusOr<int> MemoryJobStore::expire(const Predicate& is_dead) {
  int expired = 0;
  for (const std::string& id : std::set<std::string>(leased_)) {
    const TaskRecord& task = tasks_.at(id);
    if (!is_dead(task)) continue;
    RETURN_IF_ERROR(move(task, LeaseExpired{}).status());
    ++expired;
  }
  return expired;
}

absl::StatusOr<TaskRecord> MemoryJobStore::submit(const TaskRecord& record) {
  std::lock_guard lock(mutex_);
  return submit_locked(record);
}

absl::StatusOr<TaskRecord> MemoryJobStore::submit_locked(const TaskRecord& record) {
  const auto found = tasks_.find(record.id);
  if (found == tasks_.end()) return save(fresh_task(record, clock_()));
  if (asks_again(found->second)) return move(asked_again(found->second, record), Resubmitted{record.deadline_us});
  if (asks_to_hasten(found->second, record)) return move(found->second, Hastened{});
  return found->second;
}

absl::StatusOr<std::optional<TaskRecord>> MemoryJobStore::lease(const std::string& worker, absl::Duration ttl) {
  std::lock_guard lock(mutex_);
  const int64_t now_us = clock_();
  RETURN_IF_ERROR(expire([&](const TaskRecord& task) { return task.lease_expires_us < now_us; }).status());
  std::optional<std::string> id = next_task(Lane::kInteractive, now_us);
  if (!id) id = next_task(Lane::kBatch, now_us);
  if (!id) return std::nullopt;
  ASSIGN_OR_RETURN(TaskRecord task, move(tasks_.at(*id), Leased{worker, to_us(ttl)}));
  return std::optional<TaskRecord>(std::move(task));
}

std::optional<std::string> MemoryJobStore::next_task(Lane lane, int64_t now_us) {
  std::vector<TenantQueue> waiting;
  for (const auto& [key, tasks] : queue_) {
    if (key.first != lane || tasks.begin()->first > now_us) continue;
    waiting.push_back({key.second, fair_tags_[key.second], tasks.begin()->first});
  }
  if (waiting.empty()) return std::nullopt;
  const FairTurn turn = next_turn(waiting, fair_clock_);
  const std::string& tenant = waiting[turn.index].tenant;
  if (waiting.size() > 1) {  // alone there is nothing to share
    fair_clock_ = turn.clock;
    fair_tags_[tenant] = turn.tag;
  }
  return queue_.at({lane, tenant}).begin()->second;
}

bool MemoryJobStore::any_due(int64_t now_us) {
  return std::any_of(queue_.begin(), queue_.end(),
                     [&](const auto& entry) { return entry.second.begin()->first <= now_us; });
}

absl::StatusOr<Directive> MemoryJobStore::heartbeat(const std::string& id, int attempt, const std::string& stage,
                                                    double fraction, absl::Duration ttl) {
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

absl::StatusOr<TaskRecord> MemoryJobStore::apply(const std::string& id, const TaskEvent& event) {
  std::lock_guard lock(mutex_);
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return task_not_found(id);
  return move(found->second, event);
}

absl::StatusOr<int> MemoryJobStore::expire_worker(const std::string& worker) {
  std::lock_guard lock(mutex_);
  return expire([&](const TaskRecord& task) { return task.worker == worker; });
}

absl::StatusOr<TaskRecord> MemoryJobStore::wait(const std::string& id, int64_t seen_version, const Patience& patience) {
  const absl::Time end = absl::Now() + capped(patience.timeout);
  std::unique_lock lock(mutex_);
  for (bool left = false;;) {
    const auto found = tasks_.find(id);
    if (found == tasks_.end()) return task_not_found(id);  // it may be erased meanwhile
    if (found->second.version != seen_version || left || absl::Now() >= end) return found->second;
    changed_.wait_until(lock, absl::ToChronoTime(std::min(end, absl::Now() + patience.look)));
    if (!patience.left) continue;
    lock.unlock();
    left = patience.left();
    lock.lock();
  }
}

// A task that becomes due changes nothing: so it looks again now and then.
void MemoryJobStore::wait_for_work(absl::Duration timeout) {
  constexpr absl::Duration kLook = absl::Milliseconds(50);
  const absl::Time end = absl::Now() + capped(timeout);
  std::unique_lock lock(mutex_);
  while (!any_due(clock_())) {
    const absl::Duration left = std::min(kLook, end - absl::Now());
    if (left <= absl::ZeroDuration()) return;
    changed_.wait_for(lock, absl::ToChronoMilliseconds(left));
  }
}

absl::StatusOr<JobStats> MemoryJobStore::stats() {
  std::lock_guard lock(mutex_);
  return stats_;
}

absl::StatusOr<std::vector<FinishedTask>> MemoryJobStore::finished_since(int64_t cursor, int limit) {
  std::lock_guard lock(mutex_);
  std::vector<FinishedTask> out;
  const int64_t forgotten = last_cursor_ - static_cast<int64_t>(finished_.size());  // cursors count from 1
  for (auto i = static_cast<size_t>(std::max<int64_t>(0, cursor - forgotten)); i < finished_.size(); ++i) {
    if (static_cast<int>(out.size()) >= limit) break;
    out.push_back(finished_[i]);
  }
  return out;
}

absl::StatusOr<int64_t> MemoryJobStore::finished_cursor() {
  std::lock_guard lock(mutex_);
  return last_cursor_;
}

absl::StatusOr<std::vector<TaskRecord>> MemoryJobStore::older(const std::string& kind, int64_t before_us, int limit) {
  std::lock_guard lock(mutex_);
  std::map<std::pair<int64_t, std::string>, const TaskRecord*> sorted;
  for (const auto& [id, task] : tasks_) {
    if (task.kind == kind && task.created_us < before_us) sorted[{task.created_us, id}] = &task;
  }
  std::vector<TaskRecord> out;
  for (const auto& [place, task] : sorted) {
    if (static_cast<int>(out.size()) < limit) out.push_back(*task);
  }
  return out;
}

absl::StatusOr<std::vector<TaskRecord>> MemoryJobStore::list(const std::string& tenant, const std::string& kind,
                                                             const std::optional<TaskCursor>& after, int limit) {
  std::lock_guard lock(mutex_);
  std::map<std::pair<int64_t, std::string>, const TaskRecord*> sorted;
  for (const auto& [id, task] : tasks_) {
    if (task.kind == kind && task.tenant == tenant) sorted[{task.created_us, id}] = &task;
  }
  std::vector<TaskRecord> out;
  auto end = after ? sorted.lower_bound({after->created_us, after->id}) : sorted.end();
  for (auto it = std::make_reverse_iterator(end); it != sorted.rend(); ++it) {
    if (static_cast<int>(out.size()) >= limit) break;
    out.push_back(*it->second);
  }
  return out;
}

absl::StatusOr<std::vector<std::string>> MemoryJobStore::made_from(const std::string& subject) {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [id, task] : tasks_) {
    if (!subject.empty() && (task.subject == subject || task.garment == subject)) out.push_back(id);
  }
  return out;
}

absl::StatusOr<bool> MemoryJobStore::needs_blob(const std::string& digest) {
  std::lock_guard lock(mutex_);
  return needed(digest);
}

bool MemoryJobStore::needed(const std::string& digest) {
  for (const auto& [id, batch] : batches_) {
    const auto& blobs = batch.record.blobs;
    if (std::find(blobs.begin(), blobs.end(), digest) != blobs.end()) return true;
  }
  for (const auto& [id, task] : tasks_) {
    if (reads(task, digest)) return true;
    for (const auto& [name, blob] : task.outputs) {
      if (blob.digest == digest) return true;
    }
  }
  return false;
}

absl::StatusOr<std::vector<std::string>> MemoryJobStore::spent_blobs(int limit) {
  std::lock_guard lock(mutex_);
  std::set<std::string> out = orphans_;
  for (const auto& [id, task] : tasks_) {
    if (has_spent_inputs(task)) out.insert(task.inputs.begin(), task.inputs.end());
  }
  std::vector<std::string> first(out.begin(), out.end());
  if (static_cast<int>(first.size()) > limit) first.resize(static_cast<size_t>(std::max(0, limit)));
  return first;
}

absl::Status MemoryJobStore::forget_blob(const std::string& digest) {
  std::lock_guard lock(mutex_);
  orphans_.erase(digest);
  for (auto& [id, task] : tasks_) {
    if (has_spent_inputs(task) && std::erase(task.inputs, digest) > 0) task.keep_inputs = task.inputs.empty();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<TaskRecord>> MemoryJobStore::dead_letters(const std::string& tenant,
                                                                     const std::optional<TaskCursor>& after,
                                                                     int limit) {
  std::lock_guard lock(mutex_);
  std::map<std::pair<int64_t, std::string>, const TaskRecord*> sorted;
  for (const auto& [id, task] : tasks_) {
    if (task.dead && task.tenant == tenant) sorted[{task.finished_us, id}] = &task;
  }
  std::vector<TaskRecord> out;
  auto end = after ? sorted.lower_bound({after->created_us, after->id}) : sorted.end();
  for (auto it = std::make_reverse_iterator(end); it != sorted.rend(); ++it) {
    if (static_cast<int>(out.size()) >= limit) break;
    out.push_back(*it->second);
  }
  return out;
}

absl::Status MemoryJobStore::erase(const std::string& id) {
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

absl::StatusOr<TaskRecord> MemoryJobStore::move(const TaskRecord& task, const TaskEvent& event) {
  const TaskState before = task.state;
  ASSIGN_OR_RETURN(TaskRecord after, transition(task, event, clock_()));
  if (is_final(after.state) && !is_final(before)) note_finish(after);
  return save(std::move(after));
}

TaskRecord MemoryJobStore::save(TaskRecord task) {
  TaskRecord& slot = tasks_[task.id];
  if (!slot.id.empty()) {
    for (const auto& [name, blob] : slot.outputs) {
      const auto kept = task.outputs.find(name);
      if (kept == task.outputs.end() || kept->second != blob) orphans_.insert(blob.digest);
    }
    --count(slot.state);
    const auto waiting = queue_.find({slot.lane, slot.tenant});
    if (waiting != queue_.end()) waiting->second.erase({slot.due_us, slot.id});
    if (waiting != queue_.end() && waiting->second.empty()) queue_.erase(waiting);
    leased_.erase(slot.id);
  }
  slot = std::move(task);
  ++count(slot.state);
  if (slot.state == TaskState::kQueued) queue_[{slot.lane, slot.tenant}].emplace(slot.due_us, slot.id);
  if (slot.state == TaskState::kRunning) leased_.insert(slot.id);
  changed_.notify_all();
  return slot;
}

void MemoryJobStore::note_finish(const TaskRecord& task) {
  finished_.push_back(finished_task(task));
  finished_.back().cursor = ++last_cursor_;
  if (static_cast<int64_t>(finished_.size()) > kFinishedKept) finished_.pop_front();
}

int64_t& MemoryJobStore::count(TaskState state) {
  int64_t* const counts[] = {&stats_.queued, &stats_.running, &stats_.succeeded, &stats_.failed, &stats_.cancelled};
  return *counts[static_cast<int>(state)];
}

std::unique_ptr<JobStore> make_memory_job_store(Clock clock) {
  return std::make_unique<MemoryJobStore>(clock_or_system(std::move(clock)));
}

}  // namespace tryon
