#include "client/lib/load.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "server/base/status.h"

namespace tryon::client {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kAgreeing = 3;

std::string reason_of(const absl::Status& status) {
  const auto detail = error_detail(status);
  return detail ? detail->reason : std::string(absl::StatusCodeToString(status.code()));
}

// Quantile by the nearest rank of what is sorted.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0.0;
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::clamp(rank, 1.0, static_cast<double>(sorted.size()))) - 1];
}

double spread(const std::vector<LoadWindow>& windows, double (*value)(const LoadWindow&)) {
  double sum = 0.0, most = 0.0;
  for (size_t i = windows.size() - kAgreeing; i < windows.size(); ++i) sum += value(windows[i]);
  const double mean = sum / kAgreeing;
  for (size_t i = windows.size() - kAgreeing; i < windows.size(); ++i)
    most = std::max(most, std::abs(value(windows[i]) - mean));
  return mean > 0.0 ? most / mean : 1e30;
}

class Load {
 public:
  Load(const LoadPlan& plan, const std::function<absl::Status(int64_t)>& call, const CancelFlag& stop)
      : plan_(plan), call_(call), stop_(stop) {}

  LoadReport run(const std::function<void(const LoadWindow&)>& on_window) {
    std::vector<std::thread> callers;
    for (int i = 0; i < std::max(plan_.callers, 1); ++i) callers.emplace_back([this] { call_on_and_on(); });
    LoadReport report;
    while (!report.stable && static_cast<int>(report.windows.size()) < plan_.most_windows && !stop_.cancelled()) {
      report.windows.push_back(next_window());
      report.stable = agree(report.windows, plan_.agree);
      if (on_window) on_window(report.windows.back());
    }
    end_.cancel();
    for (std::thread& caller : callers) caller.join();
    report.all = whole(report);
    return report;
  }

 private:
  struct Turn {
    int64_t number;
    SteadyClock::time_point due;
  };

  bool open() const { return plan_.per_second > 0.0 || !plan_.gaps.empty(); }
  bool ending() const { return end_.cancelled() || stop_.cancelled(); }

  void call_on_and_on() {
    while (const auto turn = next_turn()) {
      const absl::Status status = call_(turn->number);
      note(status, Seconds(SteadyClock::now() - turn->due).count());
    }
  }

  // The next call's number and when it is due, then; one caller waits for that moment, the others for their turn.
  // A number is taken only for a call that is made.
  std::optional<Turn> next_turn() {
    std::lock_guard turn(turn_);
    if (ending()) return std::nullopt;
    if (!open()) return Turn{next_++, SteadyClock::now()};
    const auto due = begin_ + std::chrono::duration_cast<SteadyClock::duration>(Seconds(due_s(plan_, next_)));
    if (!wait_until(due)) return std::nullopt;
    return Turn{next_++, due};
  }

  bool wait_until(SteadyClock::time_point due) {
    constexpr auto kStep = std::chrono::milliseconds(50);
    while (!ending() && SteadyClock::now() < due)
      std::this_thread::sleep_until(std::min(due, SteadyClock::now() + kStep));
    return !ending();
  }

  void note(const absl::Status& status, double seconds) {
    {
      std::lock_guard lock(mutex_);
      if (status.ok()) latencies_.push_back(seconds);
      if (!status.ok()) ++failures_[reason_of(status)];
      ++ended_;
    }
    changed_.notify_all();
  }

  // What ended since the window before; one in which nothing ended goes on until something does.
  LoadWindow next_window() {
    std::unique_lock lock(mutex_);
    const auto end = window_begin_ + std::chrono::duration_cast<SteadyClock::duration>(Seconds(plan_.window_s));
    const auto full = [this] { return ended_ >= std::max<int64_t>(plan_.window_calls, 1); };
    constexpr auto kStep = std::chrono::milliseconds(50);
    if (plan_.window_calls <= 0) {
      while (SteadyClock::now() < end && !stop_.cancelled())
        changed_.wait_until(lock, std::min(end, SteadyClock::now() + kStep));
    }
    while (!full() && !stop_.cancelled()) changed_.wait_for(lock, kStep);
    const auto now = SteadyClock::now();
    LoadWindow out = window_of(latencies_, failures_, Seconds(now - window_begin_).count());
    seen_.push_back(std::exchange(latencies_, {}));
    failures_.clear();
    ended_ = 0;
    window_begin_ = now;
    return out;
  }

  LoadWindow whole(const LoadReport& report) const {
    std::vector<double> latencies;
    std::map<std::string, int64_t> failures;
    double seconds = 0.0;
    for (size_t i = report.stable ? report.windows.size() - kAgreeing : 0; i < report.windows.size(); ++i) {
      latencies.insert(latencies.end(), seen_[i].begin(), seen_[i].end());
      for (const auto& [reason, count] : report.windows[i].failures) failures[reason] += count;
      seconds += report.windows[i].seconds;
    }
    return window_of(std::move(latencies), std::move(failures), seconds);
  }

  const LoadPlan& plan_;
  const std::function<absl::Status(int64_t)>& call_;
  const CancelFlag stop_;
  CancelFlag end_;
  const SteadyClock::time_point begin_ = SteadyClock::now();
  std::mutex turn_;
  int64_t next_ = 0;                       // guarded by it
  std::vector<std::vector<double>> seen_;  // [window], of the thread that runs

  std::mutex mutex_;
  std::condition_variable changed_;
  SteadyClock::time_point window_begin_ = begin_;
  std::vector<double> latencies_;  // of this window; guarded, as are the next two
  std::map<std::string, int64_t> failures_;
  int64_t ended_ = 0;
};

}  // namespace

int64_t LoadWindow::failed() const {
  int64_t sum = 0;
  for (const auto& [reason, count] : failures) sum += count;
  return sum;
}

double due_s(const LoadPlan& plan, int64_t number) {
  if (plan.gaps.empty()) return static_cast<double>(number) / plan.per_second;
  const auto size = static_cast<int64_t>(plan.gaps.size());
  const double round = std::accumulate(plan.gaps.begin(), plan.gaps.end(), 0.0);
  return static_cast<double>(number / size) * round +
         std::accumulate(plan.gaps.begin(), plan.gaps.begin() + number % size, 0.0);
}

LoadWindow window_of(std::vector<double> latencies_s, std::map<std::string, int64_t> failures, double seconds) {
  LoadWindow out;
  std::sort(latencies_s.begin(), latencies_s.end());
  const double count = static_cast<double>(latencies_s.size());
  out.seconds = seconds;
  out.per_second = seconds > 0.0 ? count / seconds : 0.0;
  out.failures = std::move(failures);
  out.calls = static_cast<int64_t>(latencies_s.size()) + out.failed();
  out.mean_s = std::accumulate(latencies_s.begin(), latencies_s.end(), 0.0) / std::max(count, 1.0);
  out.p50_s = quantile(latencies_s, 0.50), out.p95_s = quantile(latencies_s, 0.95);
  out.p99_s = quantile(latencies_s, 0.99), out.max_s = quantile(latencies_s, 1.0);
  return out;
}

bool agree(const std::vector<LoadWindow>& windows, double within) {
  if (windows.size() < kAgreeing) return false;
  return spread(windows, [](const LoadWindow& w) { return w.per_second; }) <= within &&
         spread(windows, [](const LoadWindow& w) { return w.p95_s; }) <= within;
}

LoadReport run_load(const LoadPlan& plan, const std::function<absl::Status(int64_t number)>& call,
                    const std::function<void(const LoadWindow&)>& on_window, const CancelFlag& stop) {
  return Load(plan, call, stop).run(on_window);
}

}  // namespace tryon::client
