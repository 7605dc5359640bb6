#include "server/jobs/fair_share.h"

#include <algorithm>
#include <tuple>

namespace tryon {

FairTurn next_turn(const std::vector<TenantQueue>& waiting, int64_t clock) {
  const auto place = [&](const TenantQueue& queue) {
    return std::make_tuple(std::max(clock, queue.tag), queue.due_us, std::cref(queue.tenant));
  };
  const auto first = std::min_element(waiting.begin(), waiting.end(),
                                      [&](const TenantQueue& a, const TenantQueue& b) { return place(a) < place(b); });
  const int64_t start = std::max(clock, first->tag);
  return {static_cast<size_t>(first - waiting.begin()), start + 1, start};
}

}  // namespace tryon
