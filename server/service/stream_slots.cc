#include "server/service/stream_slots.h"

#include <chrono>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

int64_t now_us() { return absl::ToUnixMicros(absl::Now()); }

}  // namespace

StreamSlots::Slot::Slot(StreamSlots* owner, grpc::ServerContext* context)
    : owner_(owner), context_(context), touched_us_(now_us()) {}

StreamSlots::Slot::~Slot() {
  std::lock_guard lock(owner_->mutex_);
  owner_->taken_.remove(this);
}

void StreamSlots::Slot::touch() { touched_us_ = now_us(); }

StreamSlots::StreamSlots(Limits limits) : limits_(limits), watcher_([this] { watch(); }) {}

StreamSlots::~StreamSlots() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

absl::StatusOr<std::unique_ptr<StreamSlots::Slot>> StreamSlots::take(grpc::ServerContext* context) {
  std::lock_guard lock(mutex_);
  if (static_cast<int>(taken_.size()) >= limits_.streams) {
    return make_error(absl::StatusCode::kUnavailable, "TOO_MANY_STREAMS", "",
                      cat(limits_.streams, " streams are open, as many as this server holds"),
                      "Try again in a moment, or poll with GetOperation.");
  }
  std::unique_ptr<Slot> slot(new Slot(this, context));
  taken_.push_back(slot.get());
  return slot;
}

void StreamSlots::watch() {
  const auto pause = absl::ToChronoMilliseconds(std::min(limits_.idle / 4, absl::Seconds(5)));
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    changed_.wait_for(lock, pause);
    const int64_t oldest = now_us() - absl::ToInt64Microseconds(limits_.idle);
    for (Slot* slot : taken_) {
      if (slot->touched_us_ < oldest) slot->context_->TryCancel();
    }
  }
}

}  // namespace tryon
