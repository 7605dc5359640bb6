#include "server/service/tasks/lease_keeper.h"

#include <chrono>

#include "absl/time/clock.h"

namespace tryon {

LeaseKeeper::LeaseKeeper(JobStore* jobs, const TaskRecord& task, Pace pace, CancelFlag stopping)
    : jobs_(jobs), id_(task.id), attempt_(task.attempt), pace_(pace), stopping_(stopping) {
  thread_ = std::thread([this] { beat_until_stopped(); });
}

LeaseKeeper::~LeaseKeeper() { stop(); }

void LeaseKeeper::report(const Progress& progress) {
  std::lock_guard lock(mutex_);
  progress_ = progress;
}

LeaseKeeper::Verdict LeaseKeeper::verdict() {
  std::lock_guard lock(mutex_);
  return verdict_;
}

void LeaseKeeper::stop() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// A cancelled or stopping task still needs its lease while it winds up; a lost one does not.
void LeaseKeeper::beat_until_stopped() {
  Progress told;
  absl::Time last_told = absl::InfinitePast();
  absl::Time last_heard = absl::Now();
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, absl::ToChronoMilliseconds(pace_.heartbeat), [this] { return done_; })) return;
    }
    told = news(told, &last_told);
    const Verdict heard = beat(told, &last_heard);
    if (heard == Verdict::kHeld) continue;
    cancel_.cancel();
    std::lock_guard lock(mutex_);
    if (verdict_ == Verdict::kHeld || heard == Verdict::kLost) verdict_ = heard;
    if (heard == Verdict::kLost) return;
  }
}

LeaseKeeper::Verdict LeaseKeeper::beat(const Progress& told, absl::Time* last_heard) {
  const auto directive = jobs_->heartbeat(id_, attempt_, told.stage, told.fraction, pace_.lease);
  const absl::Time now = absl::Now();
  if (directive.ok()) *last_heard = now;
  if (directive.ok() && *directive == Directive::kLost) return Verdict::kLost;
  if (absl::IsNotFound(directive.status()) || now - *last_heard > pace_.lease) return Verdict::kLost;
  if (directive.ok() && *directive == Directive::kCancel) return Verdict::kCancelled;
  return stopping_.cancelled() ? Verdict::kStopping : Verdict::kHeld;
}

// A new stage is told at once, a new fraction now and then: every telling is a write that wakes the watchers.
Progress LeaseKeeper::news(const Progress& told, absl::Time* last_told) {
  std::lock_guard lock(mutex_);
  const bool due = absl::Now() - *last_told >= pace_.progress;
  if (progress_.stage == told.stage && (progress_.fraction == told.fraction || !due)) return told;
  *last_told = absl::Now();
  return progress_;
}

}  // namespace tryon
