// What it is: the thread that ends what may not stay: bodies older than the retention with all drapes of them, checks
// of garments and uploads that nobody used after a day. Several servers on one store may each have one. How it fails:
// what a store out of reach, or work that is just being cancelled, keeps from going goes in a later round. Thread
// rules: start and stop from one thread; round() from any.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "server/service/tenants.h"

namespace tryon {

class Housekeeper {
 public:
  explicit Housekeeper(Tenants* tenants) : tenants_(tenants) {}
  ~Housekeeper() { stop(); }
  Housekeeper(const Housekeeper&) = delete;
  Housekeeper& operator=(const Housekeeper&) = delete;

  void start(absl::Duration retention);
  void stop();
  // What a round at that time ends; returns how many bodies.
  int round(absl::Time now, absl::Duration retention);

 private:
  void run(absl::Duration retention);

  Tenants* const tenants_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tryon
