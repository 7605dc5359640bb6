// What it is: a batch of drapes as the queue knows it, and the one pure function that moves it. The service expands it
// a window at a time, so a batch of a million drapes has some hundreds of tasks waiting, never a million.
//   RUNNING <--pause/resume--> PAUSED        RUNNING, PAUSED --cancel--> CANCELLING --all settled--> CANCELLED
//   RUNNING --all settled--> COMPLETED       CANCELLED, COMPLETED --retry--> RUNNING
// Items: one a drape, numbered from 0 in the order of the manifest. Times: microseconds since the epoch, given.
// How it fails: an event that the state does not allow is FAILED_PRECONDITION (BATCH_STATE).
// Thread rules: plain values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tryon {

enum class BatchState { kRunning, kPaused, kCancelling, kCompleted, kCancelled };
std::string_view batch_state_name(BatchState state);
bool is_final(BatchState state);

// kOpen: its task was submitted and is not final. kHeld: taken back by a pause, or to be tried again: it waits for its
// task to be submitted anew.
enum class ItemOutcome { kOpen, kHeld, kSucceeded, kUnsettled, kFailed, kCancelled };

struct BatchCounts {
  int64_t open = 0, held = 0, succeeded = 0, unsettled = 0, failed = 0, cancelled = 0;
  int64_t& of(ItemOutcome outcome);
  int64_t done() const { return succeeded + unsettled + failed + cancelled; }
  bool operator==(const BatchCounts&) const = default;
};

struct BatchRecord {
  std::string id;  // digest of what was asked for
  std::string tenant;
  std::string spec;                // canonical JSON; the queue does not read it
  std::vector<std::string> blobs;  // manifests: kept as long as the batch
  BatchState state = BatchState::kRunning;
  int64_t version = 1;   // what watchers compare and what fences two servers that work on one batch
  int64_t total = 0;     // items
  int64_t expanded = 0;  // items [0, expanded) have been expanded
  std::string cursor;    // where the expansion goes on; the service's
  BatchCounts counts;    // of the expanded items
  int64_t created_us = 0, finished_us = 0;
  int64_t resumed_us = 0, done_at_resume = 0;  // for the rate
  bool operator==(const BatchRecord&) const = default;
};

struct BatchItem {
  int64_t index = 0;
  std::string task;  // empty: it could not become a task, see `status`
  ItemOutcome outcome = ItemOutcome::kOpen;
  std::string status;  // encode_status, of one that could not become a task
  bool operator==(const BatchItem&) const = default;
};

enum class BatchEvent { kPause, kResume, kCancel, kRetry };
// kPause of a paused batch, kResume of a running one and kCancel of a cancelled one change nothing. What happens to the
// items is the store's: see JobStore::move_batch.
absl::StatusOr<BatchRecord> transition(BatchRecord batch, BatchEvent event, int64_t now_us);
// After items were settled: COMPLETED or CANCELLED once nothing is left to do.
BatchRecord settled(BatchRecord batch, int64_t now_us);

// Items a second since the last resume, and the seconds that the rest will take at that rate; 0 where not known yet.
struct BatchPace {
  double items_per_second = 0.0, eta_seconds = 0.0;
};
BatchPace pace_of(const BatchRecord& batch, int64_t now_us);

}  // namespace tryon
