#include "server/store/task_news.h"

#include <algorithm>

#include "absl/time/clock.h"

namespace tryon {

int64_t TaskNews::mark() {
  std::lock_guard lock(mutex_);
  return count_;
}

bool TaskNews::wait(const std::string& id, int64_t mark, absl::Time end, const Patience& patience) {
  Waiter me;
  std::unique_lock lock(mutex_);
  const auto place = waiters_.emplace(id, &me);
  bool left = false;
  while (last_of(id) <= mark && !left && absl::Now() < end) {
    me.wake.wait_until(lock, absl::ToChronoTime(std::min(end, absl::Now() + patience.look)));
    if (!patience.left || last_of(id) > mark) continue;
    lock.unlock();
    left = patience.left();
    lock.lock();
  }
  waiters_.erase(place);
  return last_of(id) > mark;
}

void TaskNews::heard(const std::string& id) {
  std::lock_guard lock(mutex_);
  if (last_.size() > kRemembered) forget();
  last_[id] = ++count_;
  const auto [begin, end] = waiters_.equal_range(id);
  for (auto waiter = begin; waiter != end; ++waiter) waiter->second->wake.notify_one();
}

void TaskNews::heard_of_all() {
  std::lock_guard lock(mutex_);
  forget();
}

std::vector<std::string> TaskNews::waited_for(bool all) {
  std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, waiter] : waiters_) {
    if ((all || !waiter->looked_at) && !id.empty() && (ids.empty() || ids.back() != id)) ids.push_back(id);
    waiter->looked_at = true;
  }
  return ids;
}

int64_t TaskNews::last_of(const std::string& id) const {
  const auto found = last_.find(id);
  return found == last_.end() ? forgotten_ : found->second;
}

// Then anything may have changed.
void TaskNews::forget() {
  last_.clear();
  forgotten_ = ++count_;
  for (const auto& [id, waiter] : waiters_) waiter->wake.notify_one();
}

}  // namespace tryon
