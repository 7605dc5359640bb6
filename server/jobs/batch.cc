#include "server/jobs/batch.h"

#include <algorithm>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

BatchRecord enter(BatchRecord batch, BatchState state, int64_t now_us) {
  if (batch.state == state) return batch;
  batch.state = state;
  ++batch.version;
  if (state == BatchState::kRunning) {
    batch.resumed_us = now_us;
    batch.done_at_resume = batch.counts.done();
  }
  batch.finished_us = is_final(state) ? now_us : 0;
  return batch;
}

absl::Status not_allowed(const BatchRecord& batch, std::string_view event) {
  return make_error(absl::StatusCode::kFailedPrecondition, "BATCH_STATE", "name",
                    cat("the batch is ", batch_state_name(batch.state), ": it cannot be ", event, " now"),
                    "Look at the batch's state first; a batch that is being cancelled needs a moment.");
}

}  // namespace

std::string_view batch_state_name(BatchState state) {
  constexpr std::string_view kNames[] = {"RUNNING", "PAUSED", "CANCELLING", "COMPLETED", "CANCELLED"};
  return kNames[static_cast<size_t>(state)];
}

bool is_final(BatchState state) { return state == BatchState::kCompleted || state == BatchState::kCancelled; }

int64_t& BatchCounts::of(ItemOutcome outcome) {
  int64_t* const all[] = {&open, &held, &succeeded, &unsettled, &failed, &cancelled};
  return *all[static_cast<size_t>(outcome)];
}

absl::StatusOr<BatchRecord> transition(BatchRecord batch, BatchEvent event, int64_t now_us) {
  const BatchState state = batch.state;
  switch (event) {
    case BatchEvent::kPause:
      if (state != BatchState::kRunning && state != BatchState::kPaused) return not_allowed(batch, "paused");
      return enter(std::move(batch), BatchState::kPaused, now_us);
    case BatchEvent::kResume:
      if (state != BatchState::kRunning && state != BatchState::kPaused) return not_allowed(batch, "resumed");
      return enter(std::move(batch), BatchState::kRunning, now_us);
    case BatchEvent::kCancel:
      if (state == BatchState::kCancelled || state == BatchState::kCancelling) return batch;
      if (is_final(state)) return not_allowed(batch, "cancelled");
      return enter(std::move(batch), BatchState::kCancelling, now_us);
    case BatchEvent::kRetry:
      if (!is_final(state)) return not_allowed(batch, "tried again");
      return enter(std::move(batch), BatchState::kRunning, now_us);
  }
  return internal_fault("an event of a batch that nobody knows");
}

BatchRecord settled(BatchRecord batch, int64_t now_us) {
  if (batch.counts.open > 0 || is_final(batch.state)) return batch;
  if (batch.state == BatchState::kCancelling) return enter(std::move(batch), BatchState::kCancelled, now_us);
  const bool all = batch.counts.held == 0 && batch.expanded == batch.total;
  return all ? enter(std::move(batch), BatchState::kCompleted, now_us) : batch;
}

BatchPace pace_of(const BatchRecord& batch, int64_t now_us) {
  BatchPace pace;
  const int64_t end_us = batch.finished_us != 0 ? batch.finished_us : now_us;
  const auto done = static_cast<double>(batch.counts.done() - batch.done_at_resume);
  const double seconds = static_cast<double>(end_us - batch.resumed_us) * 1e-6;
  if (done <= 0 || seconds <= 0) return pace;
  pace.items_per_second = done / seconds;
  if (batch.state == BatchState::kRunning) {
    pace.eta_seconds = static_cast<double>(batch.total - batch.counts.done()) / pace.items_per_second;
  }
  return pace;
}

}  // namespace tryon
