#include "server/sim/solvers/order_memo.h"

#include <algorithm>
#include <utility>

#include "server/sim/solvers/dissection.h"

namespace tryon::sim {
namespace {

constexpr int64_t kBytesOfProcess = 8 << 20;  // a graph of 15,000 vertices takes 0.8 MB

}  // namespace

OrderMemo& OrderMemo::of_process() {
  static OrderMemo one(kBytesOfProcess);
  return one;
}

bool OrderMemo::find(const std::vector<int>& begin, const std::vector<int>& neighbour, std::vector<int>* order) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(kept_.begin(), kept_.end(),
                               [&](const Kept& k) { return k.begin == begin && k.neighbour == neighbour; });
  if (at == kept_.end()) return false;
  ++found_;
  kept_.splice(kept_.begin(), kept_, at);
  *order = at->order;
  return true;
}

std::vector<int> OrderMemo::order_of(std::vector<int> begin, std::vector<int> neighbour) {
  std::vector<int> order;
  if (find(begin, neighbour, &order)) return order;
  order = nested_dissection(begin, neighbour);  // others are not kept waiting meanwhile
  const std::lock_guard lock(mutex_);
  kept_.push_front({std::move(begin), std::move(neighbour), order});
  bytes_ += kept_.front().bytes();
  while (bytes_ > most_bytes_) {
    bytes_ -= kept_.back().bytes();
    kept_.pop_back();
  }
  return order;
}

int64_t OrderMemo::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

int64_t OrderMemo::found() const {
  const std::lock_guard lock(mutex_);
  return found_;
}

}  // namespace tryon::sim
