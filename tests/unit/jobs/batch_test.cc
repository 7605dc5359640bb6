#include "server/jobs/batch.h"

#include <gtest/gtest.h>

#include "server/base/status.h"

namespace tryon {
namespace {

BatchRecord batch_in(BatchState state) {
  BatchRecord batch;
  batch.id = "b";
  batch.state = state;
  batch.total = 10;
  batch.expanded = 4;
  batch.counts = {1, 0, 2, 0, 1, 0};
  return batch;
}

TEST(Batch, TheDiagramIsExactlyTheTable) {
  struct {
    BatchEvent event;
    const char* to[5];  // from RUNNING, PAUSED, CANCELLING, COMPLETED, CANCELLED; empty: refused
  } const rows[] = {
      {BatchEvent::kPause, {"PAUSED", "PAUSED", "", "", ""}},
      {BatchEvent::kResume, {"RUNNING", "RUNNING", "", "", ""}},
      {BatchEvent::kCancel, {"CANCELLING", "CANCELLING", "CANCELLING", "", "CANCELLED"}},
      {BatchEvent::kRetry, {"", "", "", "RUNNING", "RUNNING"}},
  };
  for (const auto& row : rows) {
    for (int s = 0; s < 5; ++s) {
      const BatchRecord before = batch_in(static_cast<BatchState>(s));
      const auto after = transition(before, row.event, 9);
      ASSERT_EQ(after.ok(), *row.to[s] != '\0') << batch_state_name(before.state);
      if (!after.ok()) {
        EXPECT_EQ(error_detail(after.status())->reason, "BATCH_STATE");
        continue;
      }
      EXPECT_EQ(batch_state_name(after->state), row.to[s]);
      EXPECT_EQ(after->version > before.version, after->state != before.state) << "what changes nothing wakes nobody";
    }
  }
}

TEST(Batch, ItIsDoneOnceNothingIsLeftToDo) {
  BatchRecord batch = batch_in(BatchState::kRunning);
  EXPECT_EQ(settled(batch, 5).state, BatchState::kRunning) << "one is open";
  batch.counts.open = 0;
  EXPECT_EQ(settled(batch, 5).state, BatchState::kRunning) << "six are not expanded";
  batch.expanded = 10;
  batch.counts.held = 1;
  EXPECT_EQ(settled(batch, 5).state, BatchState::kRunning) << "one is held";
  batch.counts.held = 0;
  EXPECT_EQ(settled(batch, 5).state, BatchState::kCompleted);
  EXPECT_EQ(settled(batch, 5).finished_us, 5);
}

TEST(Batch, ACancelledOneWaitsForItsWorkersOnly) {
  BatchRecord batch = batch_in(BatchState::kCancelling);
  EXPECT_EQ(settled(batch, 5).state, BatchState::kCancelling);
  batch.counts.open = 0;
  EXPECT_EQ(settled(batch, 5).state, BatchState::kCancelled) << "what was not expanded never will be";
}

TEST(Batch, ThePaceCountsFromTheLastResume) {
  BatchRecord batch = batch_in(BatchState::kPaused);
  batch.total = 103;
  batch.counts = {0, 0, 3, 0, 0, 0};
  batch = transition(batch, BatchEvent::kResume, 100'000'000).value();
  EXPECT_EQ(pace_of(batch, 101'000'000).eta_seconds, 0.0) << "nothing is known yet";
  batch.counts.succeeded += 20;
  EXPECT_DOUBLE_EQ(pace_of(batch, 110'000'000).items_per_second, 2.0);
  EXPECT_DOUBLE_EQ(pace_of(batch, 110'000'000).eta_seconds, 40.0);
}

}  // namespace
}  // namespace tryon
