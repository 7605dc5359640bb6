// What it is: what every JobStore does alike around jobs/transition: fresh records, directives, finish events.
// Times: microseconds since the epoch. How it fails: pure, except for the system clock.
// Thread rules: free functions over values.
#pragma once

#include <cstdint>
#include <string>

#include "server/jobs/task.h"
#include "server/store/job_store.h"

namespace tryon {

Clock clock_or_system(Clock clock);
absl::Status task_not_found(const std::string& id);
TaskRecord fresh_task(const TaskRecord& asked, int64_t now_us);
// Whether a submission of `existing` queues it again.
bool asks_again(const TaskRecord& existing);
// What of a submission a task that is queued again takes over: the inputs and the lane.
TaskRecord asked_again(TaskRecord existing, const TaskRecord& asked);
// Whether it waits in the batch lane and somebody interactive wants it now.
bool asks_to_hasten(const TaskRecord& existing, const TaskRecord& asked);
ItemOutcome outcome_of(const TaskRecord& task);  // kOpen while it is not final
absl::Status batch_not_found(const std::string& id);
absl::Status check_erase(const BatchRecord& batch);
BatchRecord fresh_batch(const BatchRecord& asked, int64_t now_us);
// Whether a step may be taken: the batch runs and nobody else has taken it (STALE_STEP).
absl::Status check_step(const BatchRecord& batch, const BatchStep& step);
bool reads(const TaskRecord& task, const std::string& digest);  // still, see JobStore::needs_blob
bool has_spent_inputs(const TaskRecord& task);
absl::Status check_erase(const TaskRecord& task);
FinishedTask finished_task(const TaskRecord& task);  // its cursor is the store's to give

// What a heartbeat from `attempt` is told; kLost for an older attempt or a lease that is gone.
Directive directive(const TaskRecord& task, int attempt);
// False while neither the stage nor the fraction is new and more than half of the lease is left.
bool worth_writing(const TaskRecord& task, const Heartbeat& beat, int64_t now_us);

int64_t to_us(absl::Duration duration);
absl::Duration capped(absl::Duration timeout);  // a wait that absl::Now() + timeout can hold

}  // namespace tryon
