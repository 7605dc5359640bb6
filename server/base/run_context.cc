#include "server/base/run_context.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"

namespace tryon {

absl::Status RunContext::check() const {
  if (cancel.cancelled()) {
    return make_error(absl::StatusCode::kCancelled, "CANCELLED", "", "the work was cancelled",
                      "Submit the request again if it is still wanted.");
  }
  if (deadline != absl::InfiniteFuture() && absl::Now() > deadline) {
    return make_error(absl::StatusCode::kDeadlineExceeded, "DEADLINE_EXCEEDED", "deadline",
                      "the deadline passed before the work was done",
                      "Allow more time, or ask for a coarser resolution.");
  }
  return absl::OkStatus();
}

bool RunContext::winding_up() const {
  return reserve > absl::ZeroDuration() && deadline != absl::InfiniteFuture() && absl::Now() > deadline - reserve;
}

void RunContext::report(std::string_view stage, double fraction) const {
  if (on_progress) on_progress({std::string(stage), std::clamp(fraction, 0.0, 1.0)});
}

void RunContext::show(ShownFile file) const {
  if (on_file) on_file(std::move(file));
}

void RunContext::parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) const {
  if (executor != nullptr) {
    executor->parallel_for(count, grain, body);
    return;
  }
  grain = std::max<int64_t>(1, grain);
  for (int64_t begin = 0; begin < count; begin += grain) body(begin, std::min(count, begin + grain));
}

std::unique_ptr<Aside> RunContext::aside(std::function<void()> task) const {
  return executor != nullptr ? executor->aside(std::move(task)) : std::make_unique<Aside>(std::move(task));
}

RunContext with_reserve(const RunContext& run) {
  RunContext out = run;
  if (run.deadline == absl::InfiniteFuture()) return out;
  const absl::Duration share = (run.deadline - absl::Now()) / 20;
  out.reserve = std::max(run.reserve, std::clamp(share, absl::Seconds(3), absl::Seconds(15)));
  return out;
}

}  // namespace tryon
