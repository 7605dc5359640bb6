// What it is: the thread that keeps batches moving: settles what has ended, and submits the next items so that a window
// of them waits in the queue. Several servers on one store may each have one: the store lets one of them take each
// step. How it fails: a store or a blob out of reach is tried again, and logged. Thread rules: start and stop from one
// thread.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "server/service/batch_plan.h"
#include "server/service/tenants.h"

namespace tryon {

class BatchPump {
 public:
  explicit BatchPump(Tenants* tenants) : tenants_(tenants) {}
  ~BatchPump() { stop(); }
  BatchPump(const BatchPump&) = delete;
  BatchPump& operator=(const BatchPump&) = delete;

  void start();
  void stop();
  // One round over all live batches; whether any of them moved.
  bool pump();

 private:
  struct Plans {
    BatchPlan fresh, held;
  };

  absl::StatusOr<bool> move(const std::string& id);
  absl::StatusOr<Plans*> plans_of(const BatchRecord& batch);
  absl::Status add_held(const BatchRecord& batch, int room, BatchPlan* plan, BatchStep* step);
  absl::Status add_fresh(const BatchRecord& batch, int room, BatchPlan* plan, BatchStep* step);
  BatchStep::Item item_of(const BatchRecord& batch, const PlannedDrape& planned);
  void run();

  Tenants* const tenants_;
  std::map<std::string, Plans> plans_;  // the thread's own
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tryon
