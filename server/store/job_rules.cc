#include "server/store/job_rules.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {

Clock clock_or_system(Clock clock) {
  if (clock) return clock;
  return [] { return absl::ToUnixMicros(absl::Now()); };
}

absl::Status task_not_found(const std::string& id) {
  return make_error(absl::StatusCode::kNotFound, "TASK_NOT_FOUND", "task", cat("there is no task ", id),
                    "Check the name, or submit the request again.");
}

namespace {

TaskRecord with_inputs_of(TaskRecord existing, const TaskRecord& asked) {
  existing.inputs = asked.inputs;
  std::sort(existing.inputs.begin(), existing.inputs.end());
  existing.inputs.erase(std::unique(existing.inputs.begin(), existing.inputs.end()), existing.inputs.end());
  existing.keep_inputs = asked.keep_inputs || existing.inputs.empty();
  return existing;
}

}  // namespace

TaskRecord fresh_task(const TaskRecord& asked, int64_t now_us) {
  TaskRecord task;
  task.id = asked.id;
  task.kind = asked.kind;
  task.spec = asked.spec;
  task.tenant = asked.tenant;
  task.lane = asked.lane;
  task.subject = asked.subject;
  task.garment = asked.garment;
  task = with_inputs_of(std::move(task), asked);
  task.max_attempts = std::max(1, asked.max_attempts);
  task.deadline_us = asked.deadline_us;
  task.created_us = asked.created_us != 0 ? asked.created_us : now_us;
  task.due_us = task.created_us;
  return task;
}

bool asks_again(const TaskRecord& existing) {
  return existing.state == TaskState::kFailed || existing.state == TaskState::kCancelled;
}

TaskRecord asked_again(TaskRecord existing, const TaskRecord& asked) {
  existing = with_inputs_of(std::move(existing), asked);
  existing.lane = asked.lane;
  return existing;
}

bool asks_to_hasten(const TaskRecord& existing, const TaskRecord& asked) {
  return !is_final(existing.state) && existing.lane == Lane::kBatch && asked.lane == Lane::kInteractive;
}

ItemOutcome outcome_of(const TaskRecord& task) {
  switch (task.state) {
    case TaskState::kSucceeded:
      return task.settled ? ItemOutcome::kSucceeded : ItemOutcome::kUnsettled;
    case TaskState::kFailed:
      return ItemOutcome::kFailed;
    case TaskState::kCancelled:
      return ItemOutcome::kCancelled;
    default:
      return ItemOutcome::kOpen;
  }
}

absl::Status batch_not_found(const std::string& id) {
  return make_error(absl::StatusCode::kNotFound, "BATCH_NOT_FOUND", "name", cat("there is no batch ", id),
                    "Create it first; ListBatches has the names.");
}

absl::Status check_erase(const BatchRecord& batch) {
  if (is_final(batch.state)) return absl::OkStatus();
  return make_error(absl::StatusCode::kFailedPrecondition, "BATCH_STATE", "name",
                    cat("the batch is ", batch_state_name(batch.state), ": it cannot be deleted yet"),
                    "Cancel it, wait until it is CANCELLED, then delete it.");
}

BatchRecord fresh_batch(const BatchRecord& asked, int64_t now_us) {
  BatchRecord batch;
  batch.id = asked.id;
  batch.tenant = asked.tenant;
  batch.spec = asked.spec;
  batch.blobs = asked.blobs;
  batch.total = asked.total;
  batch.cursor = asked.cursor;
  batch.created_us = batch.resumed_us = now_us;
  return settled(std::move(batch), now_us);  // an empty one is done
}

absl::Status check_step(const BatchRecord& batch, const BatchStep& step) {
  if (batch.state == BatchState::kRunning && batch.expanded == step.from) return absl::OkStatus();
  return make_error(
      absl::StatusCode::kAborted, "STALE_STEP", "",
      cat("the batch is ", batch_state_name(batch.state), " at item ", batch.expanded, ", not ", step.from),
      "Look at the batch again: another server works on it, or it was paused.");
}

bool reads(const TaskRecord& task, const std::string& digest) {
  return !has_spent_inputs(task) && std::binary_search(task.inputs.begin(), task.inputs.end(), digest);
}

bool has_spent_inputs(const TaskRecord& task) { return is_final(task.state) && !task.keep_inputs; }

absl::Status check_erase(const TaskRecord& task) {
  if (is_final(task.state)) return absl::OkStatus();
  return make_error(absl::StatusCode::kFailedPrecondition, "TASK_STATE", "task",
                    cat("task ", task.id, " is ", task_state_name(task.state), ": it cannot be erased yet"),
                    "Cancel it first.");
}

FinishedTask finished_task(const TaskRecord& task) {
  FinishedTask out;
  out.id = task.id;
  out.kind = task.kind;
  out.outcome = task.state == TaskState::kFailed      ? "failed"
                : task.state == TaskState::kCancelled ? "cancelled"
                : task.settled                        ? "succeeded"
                                                      : "unsettled";
  if (task.state == TaskState::kFailed) {
    out.reason = error_detail(decode_status(task.status)).value_or(ErrorDetail{}).reason;
  }
  const int64_t left_queue_us = task.started_us != 0 ? task.started_us : task.finished_us;
  out.queue_seconds = static_cast<double>(left_queue_us - task.created_us) * 1e-6;
  out.run_seconds = static_cast<double>(task.finished_us - left_queue_us) * 1e-6;
  out.stage_seconds = task.stage_seconds;
  return out;
}

Directive directive(const TaskRecord& task, int attempt) {
  if (task.attempt != attempt || task.state != TaskState::kRunning) return Directive::kLost;
  return task.cancel_requested ? Directive::kCancel : Directive::kContinue;
}

bool worth_writing(const TaskRecord& task, const Heartbeat& beat, int64_t now_us) {
  return task.stage != beat.stage || task.fraction != std::clamp(beat.fraction, 0.0, 1.0) ||
         task.lease_expires_us - now_us < beat.ttl_us / 2;
}

int64_t to_us(absl::Duration duration) { return absl::ToInt64Microseconds(duration); }

absl::Duration capped(absl::Duration timeout) { return std::clamp(timeout, absl::ZeroDuration(), absl::Hours(24)); }

}  // namespace tryon
