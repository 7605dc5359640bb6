// What it is: sums and largest values over an index range, by chunks that threads share. Units: the caller's. Shapes:
// of(begin, end) gives a chunk's. How it fails: never; of nothing both are 0. Thread rules: as RunContext; chunks
// depend on the range alone, and are put together in their order: the same bytes for any number of threads. No
// allocation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "server/base/run_context.h"

namespace tryon {

template <typename Of>
class Chunks {
 public:
  Chunks(const RunContext& run, size_t range, const Of& of) {
    const auto count = static_cast<int64_t>(range);
    const int64_t grain = std::max(kLeastGrain, (count + kMost - 1) / kMost);
    struct {
      const Of& of;
      double* at;
      const int64_t grain;
    } task{of, at_, grain};
    run.parallel_for(count, grain,
                     [&task](int64_t begin, int64_t end) { task.at[begin / task.grain] = task.of(begin, end); });
    size_ = (count + grain - 1) / grain;
  }
  double sum() const { return std::accumulate(at_, at_ + size_, 0.0); }
  double largest() const {
    return std::accumulate(at_, at_ + size_, 0.0, [](double a, double b) { return std::max(a, b); });
  }

 private:
  static constexpr int64_t kMost = 64, kLeastGrain = 1024;
  double at_[kMost];
  int64_t size_ = 0;
};

template <typename Of>
double sum_of(const RunContext& run, size_t range, const Of& of) {
  return Chunks(run, range, of).sum();
}

template <typename Of>
double largest_of(const RunContext& run, size_t range, const Of& of) {
  return Chunks(run, range, of).largest();
}

}  // namespace tryon
