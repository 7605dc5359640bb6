#include "client/lib/canceller.h"

#include <chrono>
#include <utility>

namespace tryon::client {

Canceller::Call::Call(Canceller* owner, grpc::ClientContext* context, CancelFlag flag)
    : owner_(owner), context_(context), flag_(std::move(flag)) {
  std::lock_guard lock(owner_->mutex_);
  if (!owner_->looker_.joinable()) owner_->looker_ = std::thread([o = owner_] { o->look_again_and_again(); });
  place_ = owner_->calls_.insert(owner_->calls_.end(), this);
  if (owner_->calls_.size() == 1) owner_->changed_.notify_one();
}

Canceller::Call::~Call() {
  std::lock_guard lock(owner_->mutex_);
  owner_->calls_.erase(place_);
}

Canceller::~Canceller() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (looker_.joinable()) looker_.join();
}

void Canceller::look_again_and_again() {
  constexpr auto kLook = std::chrono::milliseconds(20);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    changed_.wait(lock, [this] { return !calls_.empty() || stopping_; });
    for (Call* call : calls_) {
      if (call->flag_.cancelled()) call->context_->TryCancel();  // again and again does no harm
    }
    changed_.wait_for(lock, kLook, [this] { return stopping_; });
  }
}

}  // namespace tryon::client
