// What it is: a task of the queue and the one pure function that moves it: transition(record, event, now).
//   QUEUED --leased--> RUNNING --completed--> SUCCEEDED
//     ^  \                |  \--failed (final, or tries used up)--> FAILED
//     |   \--cancel-----. |   \--cancel acknowledged--> CANCELLED
//     '--released, failed (retryable), lease expired--'        (jobs.md has the diagram with every event)
// While it runs it may show files (showed): they are among its outputs until it ends or goes back to the queue.
// A task whose cancellation was asked for never goes back to the queue: those three events cancel it instead.
// Times: microseconds since the epoch, given by the caller. `attempt` is the fencing token: events of an older attempt
// are refused (ABORTED, STALE_ATTEMPT). How it fails: an event that the state does not allow is FAILED_PRECONDITION.
// Thread rules: plain values, pure functions. Knows nothing of cloth, sockets or disks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace tryon {

// Interactive tasks are leased before all batch tasks.
enum class Lane { kInteractive, kBatch };
enum class TaskState { kQueued, kRunning, kSucceeded, kFailed, kCancelled };
std::string_view task_state_name(TaskState state);  // "QUEUED", ...
bool is_final(TaskState state);

struct BlobRef {
  std::string digest;  // SHA-256
  int64_t size = 0;
  std::string media_type;
  bool operator==(const BlobRef&) const = default;
};

using StageSeconds = std::map<std::string, double>;  // stage -> seconds of wall clock

struct TaskRecord {
  std::string id;      // digest of the request: equal work has an equal id
  std::string tenant;  // whose it is; tenants share the workers fairly
  Lane lane = Lane::kInteractive;
  std::string kind;                 // "body", "garment", "check", "drape", "advice"
  std::string spec;                 // canonical JSON; the queue does not read it
  std::string subject;              // the task of the person that it shows, of a drape; empty for none
  std::string garment;              // the task of the garment that it shows, of a drape; empty for none
  std::vector<std::string> inputs;  // digests of the blobs that it reads; forgotten with the blob
  bool keep_inputs = true;          // they stay when it has finished; a raw scan does not
  TaskState state = TaskState::kQueued;
  int attempt = 0;  // fencing token: how often it was leased; never falls
  int tries = 0;    // leases since the last submission that count against max_attempts (a released one does not)
  int max_attempts = 3;
  int64_t version = 1;  // what watchers compare: raised by every event but a heartbeat that only renews the lease
  bool cancel_requested = false;
  std::string worker;
  int64_t due_us = 0;  // the place in the queue, and not before: created_us, or when the next try may begin
  bool dead = false;   // FAILED because its tries were used up: a dead letter
  int64_t created_us = 0, started_us = 0, finished_us = 0, lease_expires_us = 0;
  int64_t deadline_us = 0;  // 0 = none
  std::string stage;        // progress, last heard
  double fraction = 0.0;
  std::string status;   // encode_status of the last failure, empty if none
  bool settled = true;  // of a succeeded drape
  std::string summary;  // JSON of the result
  // File name -> blob; of a failure what shows it again, if anything does; while it runs what it has shown so far.
  std::map<std::string, BlobRef> outputs;
  StageSeconds stage_seconds;  // of the attempt that succeeded
  bool operator==(const TaskRecord&) const = default;
};

struct Leased {
  std::string worker;
  int64_t ttl_us;
};
struct Heartbeat {
  int attempt;
  std::string stage;
  double fraction;
  int64_t ttl_us;
};
struct Showed {  // before it is done: a preview, frames
  int attempt;
  std::map<std::string, BlobRef> files;  // new ones, or newer ones of the same name
};
struct Completed {
  int attempt;
  bool settled;
  std::string summary;
  std::map<std::string, BlobRef> outputs;
  StageSeconds stage_seconds = {};
};
struct Failed {
  int attempt;
  std::string status;
  bool retryable;
  std::map<std::string, BlobRef> outputs = {};  // kept where it is final
};
struct Hastened {};  // somebody waits for it: out of the batch lane
struct Released {    // drain: back to the queue, the attempt does not count as a try
  int attempt;
};
struct CancelRequested {};
struct CancelAcknowledged {
  int attempt;
};
struct LeaseExpired {};  // the store decides when: the time ran out, or the worker is known to be dead
struct Resubmitted {     // a FAILED or CANCELLED task asked for again
  int64_t deadline_us;
};
using TaskEvent = std::variant<Leased, Heartbeat, Showed, Completed, Failed, Released, CancelRequested,
                               CancelAcknowledged, LeaseExpired, Resubmitted, Hastened>;

// How long a task waits before its next try, after `tries` of them: doubling from a quarter of a second to a minute,
// spread by a hash of the task and the try, so that what failed together does not come back together. Nothing for the
// first try that a lost worker took along: that was not the task's doing.
int64_t retry_delay_us(const std::string& id, int tries, bool worker_lost);

absl::StatusOr<TaskRecord> transition(TaskRecord record, const TaskEvent& event, int64_t now_us);

}  // namespace tryon
