// The batches of the memory task store; the SQL one (sql_batches.cc) does the same.
#include <algorithm>
#include <iterator>

#include "server/base/status.h"
#include "server/store/job_rules.h"
#include "server/store/memory_job_store.h"

namespace tryon {

absl::StatusOr<MemoryJobStore::Batch*> MemoryJobStore::find_batch(const std::string& id) {
  const auto found = batches_.find(id);
  if (found == batches_.end()) return batch_not_found(id);
  return &found->second;
}

void MemoryJobStore::set_outcome(Batch* batch, BatchItem* item, ItemOutcome outcome) {
  --batch->record.counts.of(item->outcome);
  ++batch->record.counts.of(outcome);
  item->outcome = outcome;
  if (outcome == ItemOutcome::kOpen) {
    batch->open.insert(item->index);
  } else {
    batch->open.erase(item->index);
  }
}

void MemoryJobStore::set_all(Batch* batch, ItemOutcome from, ItemOutcome to) {
  for (auto& [index, item] : batch->items) {
    if (item.outcome == from) set_outcome(batch, &item, to);
  }
}

bool MemoryJobStore::wanted_elsewhere(const std::string& batch, const std::string& task) {
  for (const auto& [id, other] : batches_) {
    if (id == batch) continue;
    for (const int64_t index : other.open) {
      if (other.items.at(index).task == task) return true;
    }
  }
  return false;
}

absl::Status MemoryJobStore::withdraw(Batch* batch, BatchItem* item, bool cancel) {
  const auto found = tasks_.find(item->task);
  if (found == tasks_.end() || is_final(found->second.state)) return absl::OkStatus();
  const bool ours = found->second.lane == Lane::kBatch && !wanted_elsewhere(batch->record.id, item->task);
  if (!cancel && found->second.state != TaskState::kQueued) return absl::OkStatus();  // a pause lets it run to its end
  if (ours) {
    RETURN_IF_ERROR(move(found->second, CancelRequested{}).status());
    if (cancel) return absl::OkStatus();  // settled once its worker has heard
  }
  set_outcome(batch, item, cancel ? ItemOutcome::kCancelled : ItemOutcome::kHeld);
  return absl::OkStatus();
}

absl::Status MemoryJobStore::move_items(Batch* batch, BatchEvent event) {
  if (event == BatchEvent::kResume) return absl::OkStatus();
  if (event == BatchEvent::kRetry) {
    set_all(batch, ItemOutcome::kFailed, ItemOutcome::kHeld);
    set_all(batch, ItemOutcome::kCancelled, ItemOutcome::kHeld);
    batch->record.done_at_resume = batch->record.counts.done();
    return absl::OkStatus();
  }
  for (const int64_t index : std::set<int64_t>(batch->open)) {
    RETURN_IF_ERROR(withdraw(batch, &batch->items.at(index), event == BatchEvent::kCancel));
  }
  if (event == BatchEvent::kCancel) set_all(batch, ItemOutcome::kHeld, ItemOutcome::kCancelled);
  return absl::OkStatus();
}

absl::Status MemoryJobStore::put_item(Batch* batch, const BatchStep::Item& from) {
  const auto there = batch->items.find(from.index);
  if (there != batch->items.end() && there->second.outcome != ItemOutcome::kHeld) return absl::OkStatus();
  BatchItem& item = batch->items[from.index];
  if (there == batch->items.end()) ++batch->record.counts.held;  // set_outcome takes it from there
  item.index = from.index;
  item.task = from.task ? from.task->id : "";
  item.status = from.status;
  item.outcome = ItemOutcome::kHeld;
  ItemOutcome outcome = ItemOutcome::kFailed;
  if (from.task) {
    ASSIGN_OR_RETURN(const TaskRecord task, submit_locked(*from.task));
    outcome = outcome_of(task);
  }
  set_outcome(batch, &item, outcome);
  return absl::OkStatus();
}

absl::StatusOr<BatchRecord> MemoryJobStore::submit_batch(const BatchRecord& record) {
  std::lock_guard lock(mutex_);
  const auto [entry, is_new] = batches_.try_emplace(record.id);
  if (is_new) entry->second.record = fresh_batch(record, clock_());
  return entry->second.record;
}

absl::StatusOr<BatchRecord> MemoryJobStore::get_batch(const std::string& id) {
  std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Batch* batch, find_batch(id));
  return batch->record;
}

absl::StatusOr<std::vector<BatchRecord>> MemoryJobStore::list_batches(const std::string& tenant,
                                                                      const std::optional<TaskCursor>& after,
                                                                      int limit) {
  std::lock_guard lock(mutex_);
  std::map<std::pair<int64_t, std::string>, const BatchRecord*> sorted;
  for (const auto& [id, batch] : batches_) {
    if (batch.record.tenant == tenant) sorted[{batch.record.created_us, id}] = &batch.record;
  }
  std::vector<BatchRecord> out;
  auto end = after ? sorted.lower_bound({after->created_us, after->id}) : sorted.end();
  for (auto it = std::make_reverse_iterator(end); it != sorted.rend(); ++it) {
    if (static_cast<int>(out.size()) >= limit) break;
    out.push_back(*it->second);
  }
  return out;
}

absl::StatusOr<std::vector<std::string>> MemoryJobStore::live_batches() {
  std::lock_guard lock(mutex_);
  std::set<std::pair<int64_t, std::string>> live;
  for (const auto& [id, batch] : batches_) {
    if (!is_final(batch.record.state)) live.emplace(batch.record.created_us, id);
  }
  std::vector<std::string> out;
  for (const auto& [created_us, id] : live) out.push_back(id);
  return out;
}

absl::StatusOr<BatchRecord> MemoryJobStore::move_batch(const std::string& id, BatchEvent event) {
  std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Batch* const batch, find_batch(id));
  ASSIGN_OR_RETURN(BatchRecord after, transition(batch->record, event, clock_()));
  if (after == batch->record) return after;
  batch->record = std::move(after);
  RETURN_IF_ERROR(move_items(batch, event));
  batch->record = settled(std::move(batch->record), clock_());
  return batch->record;
}

absl::StatusOr<BatchRecord> MemoryJobStore::advance_batch(const std::string& id, const BatchStep& step) {
  std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Batch* const batch, find_batch(id));
  RETURN_IF_ERROR(check_step(batch->record, step));
  for (const BatchStep::Item& item : step.items) RETURN_IF_ERROR(put_item(batch, item));
  batch->record.expanded = step.to;
  batch->record.cursor = step.cursor;
  ++batch->record.version;
  batch->record = settled(std::move(batch->record), clock_());
  return batch->record;
}

absl::StatusOr<BatchRecord> MemoryJobStore::settle_batch(const std::string& id) {
  std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Batch* const batch, find_batch(id));
  bool any = false;
  for (const int64_t index : std::set<int64_t>(batch->open)) {
    BatchItem& item = batch->items.at(index);
    const auto task = tasks_.find(item.task);
    const ItemOutcome outcome = task == tasks_.end() ? ItemOutcome::kCancelled : outcome_of(task->second);
    if (outcome == ItemOutcome::kOpen) continue;
    set_outcome(batch, &item, outcome);
    any = true;
  }
  if (!any) return batch->record;
  ++batch->record.version;
  batch->record = settled(std::move(batch->record), clock_());
  return batch->record;
}

absl::StatusOr<std::vector<BatchItem>> MemoryJobStore::batch_items(const std::string& id, int64_t from, int limit,
                                                                   std::optional<ItemOutcome> outcome) {
  std::lock_guard lock(mutex_);
  std::vector<BatchItem> out;
  const auto batch = batches_.find(id);
  if (batch == batches_.end()) return out;
  const auto& items = batch->second.items;
  for (auto it = items.lower_bound(from); it != items.end() && static_cast<int>(out.size()) < limit; ++it) {
    if (!outcome || it->second.outcome == *outcome) out.push_back(it->second);
  }
  return out;
}

absl::Status MemoryJobStore::erase_batch(const std::string& id) {
  std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Batch* const batch, find_batch(id));
  RETURN_IF_ERROR(check_erase(batch->record));
  orphans_.insert(batch->record.blobs.begin(), batch->record.blobs.end());
  batches_.erase(id);
  return absl::OkStatus();
}

}  // namespace tryon
