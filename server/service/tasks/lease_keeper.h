// What it is: the heartbeat of one running task: a thread that renews the lease, passes progress on, and turns what it
// hears (cancelled, lease lost, the runner stops) into the task's cancel flag.
// How it fails: a store out of reach for a whole lease counts as a lost lease.
// Thread rules: the runner's thread owns it; report() from that thread; the constructor starts the thread, stop()
// joins.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "server/base/run_context.h"
#include "server/store/job_store.h"

namespace tryon {

class LeaseKeeper {
 public:
  struct Pace {
    absl::Duration lease, heartbeat, progress;
  };
  // Why the task's work was cut short; the first reason stays.
  enum class Verdict { kHeld, kCancelled, kLost, kStopping };

  LeaseKeeper(JobStore* jobs, const TaskRecord& task, Pace pace, CancelFlag stopping);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  CancelFlag cancel() const { return cancel_; }
  void report(const Progress& progress);
  Verdict verdict();
  void stop();  // no heartbeat after this

 private:
  void beat_until_stopped();
  Verdict beat(const Progress& told, absl::Time* last_heard);
  Progress news(const Progress& told, absl::Time* last_told);

  JobStore* const jobs_;
  const std::string id_;
  const int attempt_;
  const Pace pace_;
  const CancelFlag stopping_;
  CancelFlag cancel_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  Verdict verdict_ ABSL_GUARDED_BY(mutex_) = Verdict::kHeld;
  Progress progress_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tryon
