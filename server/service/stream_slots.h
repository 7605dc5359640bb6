// What it is: the bound on calls that last: each stream (and WaitOperation) holds one of gRPC's threads and one slot.
// More than `limit` at once are refused, so short calls (cancel, get, health) always find a thread; one whose other end
// neither reads nor writes for `idle` is cancelled. How it fails: UNAVAILABLE (TOO_MANY_STREAMS).
// Thread rules: take() from any thread; a Slot belongs to the call's thread; one own thread watches for idleness.
#pragma once

#include <grpcpp/server_context.h>

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tryon {

class StreamSlots {
 public:
  struct Limits {
    int streams = 128;
    absl::Duration idle = absl::Seconds(60);
  };
  class Slot;

  explicit StreamSlots(Limits limits);
  ~StreamSlots();
  StreamSlots(const StreamSlots&) = delete;
  StreamSlots& operator=(const StreamSlots&) = delete;

  const Limits& limits() const { return limits_; }
  absl::StatusOr<std::unique_ptr<Slot>> take(grpc::ServerContext* context);

 private:
  void watch();  // the thread

  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::list<Slot*> taken_ ABSL_GUARDED_BY(mutex_);
  std::thread watcher_;
};

class StreamSlots::Slot {
 public:
  ~Slot();
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  void touch();  // the call is alive: something was read or written, or nothing needs to be

 private:
  friend class StreamSlots;
  Slot(StreamSlots* owner, grpc::ServerContext* context);

  StreamSlots* const owner_;
  grpc::ServerContext* const context_;
  std::atomic<int64_t> touched_us_;
};

// The two kinds: those that wait for work and say little, and those that carry files.
struct LastingCalls {
  StreamSlots *watches = nullptr, *transfers = nullptr;
};

}  // namespace tryon
