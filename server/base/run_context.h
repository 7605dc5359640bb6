// What it is: what every long function takes first: the executor, a cancel flag, a deadline and a progress sink.
// Units: deadline is an absolute absl::Time; fraction runs from 0 to 1 within a stage.
// How it fails: check() returns CANCELLED or DEADLINE_EXCEEDED; call it in every loop that may last over 10 ms.
// Thread rules: cancel() may be called from any thread; progress is called from the running thread only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/base/executor.h"

namespace tryon {

class CancelFlag {
 public:
  void cancel() { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

struct Progress {
  std::string stage;      // "parse", "fit", "assemble", "sew", "drape", "measure", "export"
  double fraction = 0.0;  // of the stage
};

// A file that shows how far the work is, before it is done.
struct ShownFile {
  std::string name, bytes, media_type;
};

struct RunContext {
  Executor* executor = nullptr;  // null = run inline
  CancelFlag cancel;
  absl::Time deadline = absl::InfiniteFuture();
  absl::Duration reserve;                            // kept before the deadline for handing over what there is by then
  std::function<void(const Progress&)> on_progress;  // may be empty
  std::function<void(ShownFile)> on_file;            // may be empty; a file of the same name replaces the one before

  absl::Status check() const;
  // The deadline is nearer than the reserve: what can stop with what it has, stops. Never without a reserve.
  bool winding_up() const;
  void report(std::string_view stage, double fraction) const;
  void show(ShownFile file) const;
  // executor->parallel_for, or inline where there is no executor.
  void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) const;
  // executor->aside, or what nobody begins before it is wanted.
  std::unique_ptr<Aside> aside(std::function<void()> task) const;
};

// body(i) for each i, in chunks on the executor: for loops whose items cost a microsecond or more.
template <typename Body>
void for_each(const RunContext& run, size_t count, const Body& body) {
  constexpr int64_t kGrain = 64;
  run.parallel_for(static_cast<int64_t>(count), kGrain, [&body](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(static_cast<size_t>(i));
  });
}

// The same with a reserve: a twentieth of the time that is left, within 3 .. 15 s, or what it had if that is more.
RunContext with_reserve(const RunContext& run);

}  // namespace tryon
