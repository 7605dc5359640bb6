#include "server/service/batch_pump.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/ops/log.h"

namespace tryon {
namespace {

constexpr int kWindow = 256;  // items in the queue: enough for as many workers, and a small table to settle
constexpr auto kPause = std::chrono::milliseconds(100);

// What a worker parses: equal ones side by side.
auto affinity(const PlannedDrape& planned) { return std::tie(planned.garment, planned.size, planned.body); }

}  // namespace

void BatchPump::start() {
  thread_ = std::thread([this] { run(); });
}

void BatchPump::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BatchPump::run() {
  for (;;) {
    const bool moved = pump();
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, moved ? std::chrono::milliseconds(0) : kPause, [this] { return stopping_; })) return;
  }
}

bool BatchPump::pump() {
  const auto live = tenants_->jobs().live_batches();
  if (!live.ok()) return false;
  const std::set<std::string> alive(live->begin(), live->end());
  std::erase_if(plans_, [&](const auto& entry) { return !alive.contains(entry.first); });
  bool any = false;
  for (const std::string& id : *live) {
    const auto moved = move(id);
    any = any || (moved.ok() && *moved);
    const bool news = !moved.ok() && !absl::IsAborted(moved.status()) && !absl::IsNotFound(moved.status());
    if (news) log_warning("batch_stuck", {{"batch", id}, {"message", std::string(moved.status().message())}});
  }
  return any;
}

// Whether a step was taken that left room for more: results that were there already.
absl::StatusOr<bool> BatchPump::move(const std::string& id) {
  ASSIGN_OR_RETURN(const BatchRecord batch, tenants_->jobs().settle_batch(id));
  const int room = kWindow - static_cast<int>(batch.counts.open);
  const bool more = batch.counts.held > 0 || batch.expanded < batch.total;
  if (batch.state != BatchState::kRunning || !more || room < kWindow / 8) return false;
  ASSIGN_OR_RETURN(Plans* const plans, plans_of(batch));
  BatchStep step{batch.expanded, batch.expanded, batch.cursor, {}};
  if (batch.counts.held > 0) RETURN_IF_ERROR(add_held(batch, room, &plans->held, &step));
  const int left = room - static_cast<int>(step.items.size());
  if (left > 0 && batch.expanded < batch.total) RETURN_IF_ERROR(add_fresh(batch, left, &plans->fresh, &step));
  const auto after = tenants_->of(batch.tenant).jobs().advance_batch(id, step);
  if (!after.ok()) plans_.erase(id);  // another server's step, or a pause: begin from what is recorded
  RETURN_IF_ERROR(after.status());
  return after->counts.open < kWindow;
}

absl::StatusOr<BatchPump::Plans*> BatchPump::plans_of(const BatchRecord& batch) {
  const auto there = plans_.find(batch.id);
  if (there != plans_.end()) return &there->second;
  ASSIGN_OR_RETURN(const BatchSpec spec, batch_spec_from_json(batch.spec));
  BlobStore* const blobs = &tenants_->of(batch.tenant).blobs();
  Plans plans{BatchPlan(spec, blobs), BatchPlan(spec, blobs)};
  RETURN_IF_ERROR(plans.fresh.seek(batch.cursor));
  return &plans_.emplace(batch.id, std::move(plans)).first->second;
}

absl::Status BatchPump::add_held(const BatchRecord& batch, int room, BatchPlan* plan, BatchStep* step) {
  ASSIGN_OR_RETURN(const std::vector<BatchItem> held,
                   tenants_->jobs().batch_items(batch.id, 0, room, ItemOutcome::kHeld));
  for (const BatchItem& item : held) {
    RETURN_IF_ERROR(plan->skip_to(item.index));
    ASSIGN_OR_RETURN(const std::optional<PlannedDrape> planned, plan->next());
    if (!planned) return internal_fault("a batch has lost an item");
    step->items.push_back(item_of(batch, *planned));
  }
  return absl::OkStatus();
}

absl::Status BatchPump::add_fresh(const BatchRecord& batch, int room, BatchPlan* plan, BatchStep* step) {
  std::vector<PlannedDrape> planned;
  while (static_cast<int>(planned.size()) < room) {
    ASSIGN_OR_RETURN(std::optional<PlannedDrape> next, plan->next());
    if (!next) break;
    planned.push_back(*std::move(next));
  }
  step->to = step->from + static_cast<int64_t>(planned.size());
  step->cursor = plan->cursor();
  std::stable_sort(planned.begin(), planned.end(),
                   [](const PlannedDrape& a, const PlannedDrape& b) { return affinity(a) < affinity(b); });
  int64_t due_us = absl::ToUnixMicros(absl::Now()) - static_cast<int64_t>(planned.size());
  for (const PlannedDrape& one : planned) {
    step->items.push_back(item_of(batch, one));
    if (step->items.back().task) step->items.back().task->created_us = due_us++;  // the order in the queue
  }
  return absl::OkStatus();
}

BatchStep::Item BatchPump::item_of(const BatchRecord& batch, const PlannedDrape& planned) {
  DrapeOrder order;
  order.body = planned.body;
  order.garment = planned.garment;
  order.size = planned.size;
  order.over = planned.over;
  order.starts_from = planned.starts_from;
  order.settings = planned.settings;
  auto task = tenants_->of(batch.tenant).plan_drape(order);
  if (!task.ok()) return {planned.index, std::nullopt, encode_status(task.status())};
  task->lane = Lane::kBatch;
  task->tenant = batch.tenant;
  return {planned.index, *std::move(task), ""};
}

}  // namespace tryon
