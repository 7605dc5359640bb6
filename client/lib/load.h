// What it is: a load generator: makes a call again and again, in one of three ways, and tells how long calls took,
// window by window, until three windows agree or it is told to end. With a rate or gaps a call's time counts from when
// it was due, so that a server which cannot keep up shows it. Units: seconds. Shapes: as named. How it fails: it does
// not; calls that failed are counted by reason. Thread rules: `call` runs on many threads at once; the rest on the
// caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/base/run_context.h"

namespace tryon::client {

struct LoadPlan {
  int callers = 1;           // that many calls at once; with a rate or gaps: at most
  double per_second = 0.0;   // > 0: a call is due so often, whatever became of those before
  std::vector<double> gaps;  // not empty: call after call is due after these gaps, again and again
  double window_s = 5.0;     // how long a window is
  int64_t window_calls = 0;  // > 0: a window ends after so many calls instead
  double agree = 0.1;        // calls a second and p95 of three windows: from their mean, as a ratio
  int most_windows = 12;     // the end, whether they agree or not
};

struct LoadWindow {
  double seconds = 0.0, per_second = 0.0;   // of its length; that succeeded
  int64_t calls = 0;                        // that ended in it
  std::map<std::string, int64_t> failures;  // by ErrorDetail::reason, or the status's code
  double mean_s = 0.0, p50_s = 0.0, p95_s = 0.0, p99_s = 0.0, max_s = 0.0;  // of those that succeeded
  int64_t failed() const;
};

struct LoadReport {
  std::vector<LoadWindow> windows;
  LoadWindow all;       // of the last three where they agree, else of all
  bool stable = false;  // the last three agree
};

// `call` gets 0, 1, 2, ...; `on_window` may be empty.
LoadReport run_load(const LoadPlan& plan, const std::function<absl::Status(int64_t number)>& call,
                    const std::function<void(const LoadWindow&)>& on_window, const CancelFlag& stop);

// Parts of it.
double due_s(const LoadPlan& plan, int64_t number);  // after the begin; only with a rate or gaps
LoadWindow window_of(std::vector<double> latencies_s, std::map<std::string, int64_t> failures, double seconds);
bool agree(const std::vector<LoadWindow>& windows, double within);  // the last three

}  // namespace tryon::client
