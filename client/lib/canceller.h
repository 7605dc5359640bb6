// What it is: cancels calls soon after their flags are set, also while nothing arrives: one thread looks for all of
// them. How it fails: not at all. Thread rules: Canceller::Call from any thread; it is gone before its context is, and
// no call outlasts the Canceller. The flag's setter waits for nobody: a call is cut within 20 ms.
#pragma once

#include <grpcpp/client_context.h>

#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "server/base/run_context.h"

namespace tryon::client {

class Canceller {
 public:
  class Call {  // while it lives
   public:
    Call(Canceller* owner, grpc::ClientContext* context, CancelFlag flag);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    friend class Canceller;
    Canceller* const owner_;
    grpc::ClientContext* const context_;
    const CancelFlag flag_;
    std::list<Call*>::iterator place_;
  };

  Canceller() = default;
  ~Canceller();
  Canceller(const Canceller&) = delete;
  Canceller& operator=(const Canceller&) = delete;

 private:
  void look_again_and_again();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Call*> calls_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread looker_ ABSL_GUARDED_BY(mutex_);  // from the first call on
};

}  // namespace tryon::client
