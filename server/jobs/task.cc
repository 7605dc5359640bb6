#include "server/jobs/task.h"

#include <algorithm>
#include <utility>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

using Moved = absl::StatusOr<TaskRecord>;

absl::Status not_allowed(const TaskRecord& task, std::string_view event) {
  return make_error(absl::StatusCode::kFailedPrecondition, is_final(task.state) ? "TASK_FINISHED" : "TASK_STATE",
                    "task",
                    cat("task ", task.id, " is ", task_state_name(task.state), ": '", event, "' is not possible now"),
                    "Look at the task's state first.");
}

// Only the holder of the current lease may speak for a running task.
absl::Status check_lease(const TaskRecord& task, int attempt, std::string_view event) {
  if (attempt != task.attempt) {
    return make_error(absl::StatusCode::kAborted, "STALE_ATTEMPT", "attempt",
                      cat("task ", task.id, " is at attempt ", task.attempt, ", not ", attempt),
                      "Discard this attempt's result: another worker has the task.");
  }
  if (task.state != TaskState::kRunning) return not_allowed(task, event);
  return absl::OkStatus();
}

TaskRecord end_lease(TaskRecord task) {
  task.worker.clear();
  task.lease_expires_us = 0;
  task.stage.clear();
  task.fraction = 0.0;
  task.outputs.clear();  // what was shown meanwhile
  return task;
}

TaskRecord finish(TaskRecord task, TaskState state, int64_t now_us) {
  task = end_lease(std::move(task));
  task.state = state;
  task.finished_us = now_us;
  return task;
}

// Back to the queue, unless nobody wants it any more or it has had its tries.
TaskRecord queue_again(TaskRecord task, int64_t delay_us, int64_t now_us) {
  if (task.cancel_requested) return finish(std::move(task), TaskState::kCancelled, now_us);
  if (task.tries >= task.max_attempts) {
    task.dead = true;
    return finish(std::move(task), TaskState::kFailed, now_us);
  }
  task = end_lease(std::move(task));
  task.state = TaskState::kQueued;
  if (delay_us > 0) task.due_us = now_us + delay_us;  // else in its old place
  return task;
}

Moved moved(TaskRecord task, const Leased& event, int64_t now_us) {
  if (task.state != TaskState::kQueued) return not_allowed(task, "leased");
  task.state = TaskState::kRunning;
  ++task.attempt;
  ++task.tries;
  task.worker = event.worker;
  task.started_us = now_us;
  task.lease_expires_us = now_us + event.ttl_us;
  return task;
}

Moved moved(TaskRecord task, const Heartbeat& event, int64_t now_us) {
  RETURN_IF_ERROR(check_lease(task, event.attempt, "heartbeat"));
  const double fraction = std::clamp(event.fraction, 0.0, 1.0);
  if (task.stage == event.stage && task.fraction == fraction) --task.version;  // nothing for watchers
  task.stage = event.stage;
  task.fraction = fraction;
  task.lease_expires_us = now_us + event.ttl_us;
  return task;
}

Moved moved(TaskRecord task, const Showed& event, int64_t) {
  RETURN_IF_ERROR(check_lease(task, event.attempt, "showed"));
  for (const auto& [name, file] : event.files) task.outputs[name] = file;
  return task;
}

Moved moved(TaskRecord task, const Completed& event, int64_t now_us) {
  RETURN_IF_ERROR(check_lease(task, event.attempt, "completed"));
  task = finish(std::move(task), TaskState::kSucceeded, now_us);
  task.status.clear();
  task.settled = event.settled;
  task.summary = event.summary;
  task.outputs = event.outputs;
  task.stage_seconds = event.stage_seconds;
  return task;
}

Moved moved(TaskRecord task, const Failed& event, int64_t now_us) {
  RETURN_IF_ERROR(check_lease(task, event.attempt, "failed"));
  task.status = event.status;
  if (!event.retryable) {
    task = finish(std::move(task), TaskState::kFailed, now_us);
    task.outputs = event.outputs;
    return task;
  }
  const int64_t delay_us = retry_delay_us(task.id, task.tries, false);
  return queue_again(std::move(task), delay_us, now_us);
}

Moved moved(TaskRecord task, const Released& event, int64_t now_us) {
  RETURN_IF_ERROR(check_lease(task, event.attempt, "released"));
  --task.tries;
  return queue_again(std::move(task), 0, now_us);
}

Moved moved(TaskRecord task, const CancelRequested&, int64_t now_us) {
  if (is_final(task.state)) return not_allowed(task, "cancel");
  if (task.cancel_requested) --task.version;  // asked for already
  task.cancel_requested = true;
  if (task.state == TaskState::kQueued) return finish(std::move(task), TaskState::kCancelled, now_us);
  return task;
}

Moved moved(TaskRecord task, const CancelAcknowledged& event, int64_t now_us) {
  RETURN_IF_ERROR(check_lease(task, event.attempt, "cancel acknowledged"));
  if (!task.cancel_requested) return not_allowed(task, "cancel acknowledged");
  return finish(std::move(task), TaskState::kCancelled, now_us);
}

Moved moved(TaskRecord task, const LeaseExpired&, int64_t now_us) {
  if (task.state != TaskState::kRunning) return not_allowed(task, "lease expired");
  task.status = encode_status(make_error(absl::StatusCode::kUnavailable, "WORKER_LOST", "",
                                         cat("the worker of attempt ", task.attempt, " was lost"),
                                         "Submit the request again; if this repeats, report it with the task's name."));
  const int64_t delay_us = retry_delay_us(task.id, task.tries, true);
  return queue_again(std::move(task), delay_us, now_us);
}

Moved moved(TaskRecord task, const Resubmitted& event, int64_t now_us) {
  if (task.state != TaskState::kFailed && task.state != TaskState::kCancelled) return not_allowed(task, "resubmitted");
  task.state = TaskState::kQueued;
  task.tries = 0;
  task.cancel_requested = false;
  task.created_us = task.due_us = now_us;  // the back of the queue
  task.dead = false;
  task.started_us = task.finished_us = 0;
  task.deadline_us = event.deadline_us;
  task.status.clear();
  task.outputs.clear();
  return task;
}

Moved moved(TaskRecord task, const Hastened&, int64_t) {
  if (is_final(task.state)) return not_allowed(task, "hastened");
  if (task.lane == Lane::kInteractive) --task.version;  // it was already
  task.lane = Lane::kInteractive;
  return task;
}

}  // namespace

std::string_view task_state_name(TaskState state) {
  switch (state) {
    case TaskState::kQueued:
      return "QUEUED";
    case TaskState::kRunning:
      return "RUNNING";
    case TaskState::kSucceeded:
      return "SUCCEEDED";
    case TaskState::kFailed:
      return "FAILED";
    case TaskState::kCancelled:
      return "CANCELLED";
  }
  return "UNKNOWN";
}

bool is_final(TaskState state) { return state != TaskState::kQueued && state != TaskState::kRunning; }

int64_t retry_delay_us(const std::string& id, int tries, bool worker_lost) {
  constexpr int64_t kFirst = 250'000, kLongest = 60'000'000;
  const int doublings = tries - (worker_lost ? 2 : 1);
  if (doublings < 0) return 0;
  const int64_t longest = std::min(kLongest, kFirst << std::min(doublings, 20));
  const uint64_t spread = std::stoull(sha256_hex(cat(id, " try ", tries)).substr(0, 8), nullptr, 16);
  return longest / 2 + static_cast<int64_t>(static_cast<uint64_t>(longest / 2) * spread >> 32);
}

absl::StatusOr<TaskRecord> transition(TaskRecord record, const TaskEvent& event, int64_t now_us) {
  ++record.version;
  return std::visit([&](const auto& e) { return moved(std::move(record), e, now_us); }, event);
}

}  // namespace tryon
