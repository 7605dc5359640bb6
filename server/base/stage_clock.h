// What it is: wall-clock seconds by stage, for reports only: nothing of it ever enters a result's geometry.
// Units: seconds. How it fails: it does not. Thread rules: one object, one thread.
#pragma once

#include <map>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tryon {

class StageClock {
 public:
  // Ends the running stage and begins the next; an empty name only ends.
  void enter(const std::string& stage) {
    const absl::Time now = absl::Now();
    if (!running_.empty()) seconds_[running_] += absl::ToDoubleSeconds(now - since_);
    running_ = stage;
    since_ = now;
  }
  const std::map<std::string, double>& seconds() const { return seconds_; }
  double total() const {
    double sum = 0.0;
    for (const auto& [stage, seconds] : seconds_) sum += seconds;
    return sum;
  }

 private:
  std::string running_;
  absl::Time since_;
  std::map<std::string, double> seconds_;
};

}  // namespace tryon
