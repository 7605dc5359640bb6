#include "server/service/housekeeper.h"

#include <chrono>
#include <string>

#include "absl/time/clock.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/store/release.h"

namespace tryon {
namespace {

constexpr auto kPause = std::chrono::minutes(1);
constexpr absl::Duration kUnusedAfter = absl::Hours(24);
constexpr int kPage = 256;  // a round; the rest goes in the next

}  // namespace

void Housekeeper::start(absl::Duration retention) {
  thread_ = std::thread([this, retention] { run(retention); });
}

void Housekeeper::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Housekeeper::run(absl::Duration retention) {
  for (;;) {
    const int ended = round(absl::Now(), retention);
    if (ended > 0) log_info("retention", {{"bodies", cat(ended)}});
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, kPause, [this] { return stopping_; })) return;
  }
}

int Housekeeper::round(absl::Time now, absl::Duration retention) {
  int ended = 0;
  const auto bodies = tenants_->jobs().older("body", absl::ToUnixMicros(now - retention), kPage);
  for (size_t i = 0; bodies.ok() && i < bodies->size(); ++i) {
    ended += tenants_->of((*bodies)[i].tenant).delete_body((*bodies)[i].id).ok() ? 1 : 0;
  }
  const int64_t unused_us = absl::ToUnixMicros(now - kUnusedAfter);
  const auto checks = tenants_->jobs().older("check", unused_us, kPage);
  for (size_t i = 0; checks.ok() && i < checks->size(); ++i) {
    (void)tenants_->of((*checks)[i].tenant).delete_task((*checks)[i].id);
  }
  (void)collect_unused(&tenants_->jobs(), &tenants_->blobs(), unused_us);
  return ended;
}

}  // namespace tryon
