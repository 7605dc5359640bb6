#include "client/cli/perf_command.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "absl/time/clock.h"
#include "client/cli/commands.h"
#include "client/cli/drape_order.h"
#include "client/cli/interrupt.h"
#include "client/lib/load.h"
#include "nlohmann/json.hpp"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon::cli {
namespace {

using Json = nlohmann::json;
using Call = std::function<absl::Status(int64_t number)>;

constexpr double kOtherMm = 1e-6;   // of the resolution: the same work, another drape
constexpr double kMiddleMm = 20.0;  // the step goes towards what is surely within the limits

// Every drape another, so that none is answered from what was made before.
Call fresh_drapes(const v1::CreateDrapeRequest& request, client::Client* client, const CancelFlag& stop) {
  const int64_t first = absl::ToUnixMicros(absl::Now()) % 1'000'000;
  const double step = request.resolution_mm() < kMiddleMm ? kOtherMm : -kOtherMm;
  return [=](int64_t number) {
    v1::CreateDrapeRequest own = request;
    own.set_resolution_mm(request.resolution_mm() + step * static_cast<double>(first + number));
    return client->run_drape(own, {}, stop).status();
  };
}

// Bytes that the server never had; they stay a day (housekeeper.h).
Call fresh_uploads(int mebibytes, client::Client* client) {
  const std::string mark = random_hex(16);
  return [=](int64_t number) {
    thread_local std::string bytes;
    bytes.resize(static_cast<size_t>(mebibytes) << 20, 'x');
    const std::string own = cat(mark, number);
    bytes.replace(0, own.size(), own);
    return client->upload(bytes).status();
  };
}

absl::StatusOr<Call> call_of(const Options& o, client::Client* client, const CancelFlag& stop) {
  if (o.perf_call == "upload") return fresh_uploads(o.upload_mib, client);
  if (o.perf_call == "info") return Call([client](int64_t) { return client->server_info().status(); });
  ASSIGN_OR_RETURN(const v1::CreateDrapeRequest request, drape_request(o, client));
  RETURN_IF_ERROR(client->watch(request.body(), {}));
  RETURN_IF_ERROR(client->watch(request.garment(), {}));
  if (o.perf_call == "drape") return fresh_drapes(request, client, stop);
  RETURN_IF_ERROR(client->run_drape(request, {}, stop).status());
  return Call([=](int64_t) { return client->run_drape(request, {}, stop).status(); });
}

absl::StatusOr<std::vector<double>> gaps_in(const std::string& path) {
  std::vector<double> gaps;
  double sum = 0.0;
  std::ifstream in(path);
  for (double gap; in >> gap && gap >= 0.0 && gap <= 3600.0;) gaps.push_back(gap), sum += gap;
  if (in.eof() && sum > 0.0) return gaps;
  return invalid_input("USAGE", path, cat("line ", gaps.size() + 1, " is no number of seconds from 0 to 3600"),
                       "Write one number a line; at least one must be more than 0.");
}

absl::StatusOr<client::LoadPlan> plan_of(const Options& o) {
  client::LoadPlan plan;
  plan.per_second = o.rate;
  if (!o.intervals.empty()) {
    ASSIGN_OR_RETURN(plan.gaps, gaps_in(o.intervals));
  }
  const bool open = plan.per_second > 0.0 || !plan.gaps.empty();
  plan.callers = open ? o.most_at_once : o.concurrency;
  plan.window_s = o.window_s, plan.window_calls = o.window_calls;
  plan.agree = 0.01 * o.agree_percent, plan.most_windows = o.most_windows;
  return plan;
}

void print_window(const std::string& name, const client::LoadWindow& w) {
  std::printf("%-8s %7.1f %7lld %7lld %9.2f %9.1f %9.1f %9.1f %9.1f %9.1f\n", name.c_str(), w.seconds,
              static_cast<long long>(w.calls), static_cast<long long>(w.failed()), w.per_second, 1e3 * w.mean_s,
              1e3 * w.p50_s, 1e3 * w.p95_s, 1e3 * w.p99_s, 1e3 * w.max_s);
  for (const auto& [reason, count] : w.failures)
    std::printf("         %s: %lld\n", reason.c_str(), static_cast<long long>(count));
  std::fflush(stdout);
}

Json window_json(const client::LoadWindow& w) {
  return Json{{"seconds", w.seconds},       {"call_count", w.calls},     {"failures", w.failures},
              {"per_second", w.per_second}, {"mean_ms", 1e3 * w.mean_s}, {"p50_ms", 1e3 * w.p50_s},
              {"p95_ms", 1e3 * w.p95_s},    {"p99_ms", 1e3 * w.p99_s},   {"max_ms", 1e3 * w.max_s}};
}

// What the server has done between two answers, of drapes.
struct ServerSplit {
  int64_t drapes = 0;
  double queue_s = 0.0, run_s = 0.0;  // means
  std::map<std::string, double> stage_s;
};

v1::TaskStatistics drapes_in(const v1::GetStatisticsResponse& statistics) {
  for (const v1::TaskStatistics& sum : statistics.tasks()) {
    if (sum.kind() == "drape") return sum;
  }
  return {};
}

int64_t ended(const v1::TaskStatistics& s) {
  return s.succeeded_count() + s.unsettled_count() + s.failed_count() + s.cancelled_count();
}

ServerSplit split_of(const v1::GetStatisticsResponse& begin, const v1::GetStatisticsResponse& end) {
  const v1::TaskStatistics before = drapes_in(begin), after = drapes_in(end);
  ServerSplit out;
  out.drapes = ended(after) - ended(before);
  if (out.drapes <= 0) return out;
  const double count = static_cast<double>(out.drapes);
  out.queue_s = (after.queue_seconds() - before.queue_seconds()) / count;
  out.run_s = (after.run_seconds() - before.run_seconds()) / count;
  for (const auto& [stage, seconds] : after.stage_seconds()) {
    const auto was = before.stage_seconds().find(stage);
    out.stage_s[stage] = (seconds - (was == before.stage_seconds().end() ? 0.0 : was->second)) / count;
  }
  return out;
}

// The server counts a drape a moment after its caller has heard of it.
absl::StatusOr<ServerSplit> split_since(const v1::GetStatisticsResponse& begin, int64_t drapes,
                                        client::Client* client) {
  constexpr int kLooks = 20;
  for (int look = 1;; ++look) {
    ASSIGN_OR_RETURN(const v1::GetStatisticsResponse end, client->statistics());
    const ServerSplit split = split_of(begin, end);
    if (split.drapes >= drapes || look == kLooks) return split;
    absl::SleepFor(absl::Milliseconds(100));
  }
}

int64_t drapes_of(const Options& o, const client::LoadReport& report) {
  int64_t drapes = 0;
  for (const client::LoadWindow& w : report.windows) drapes += w.calls - w.failed();
  return o.perf_call == "drape" ? drapes : 0;
}

// What of a call is not the drape itself: the way there and back, the queue, its inputs fetched, its results stored. It
// says something where each call was a drape.
double service_share(const ServerSplit& split, double call_s) {
  double own = split.run_s;
  for (const char* stage : {"fetch", "upload"}) {
    const auto found = split.stage_s.find(stage);
    if (found != split.stage_s.end()) own -= found->second;
  }
  return 1.0 - own / call_s;
}

void print_split(const Options& o, const ServerSplit& split, double call_s) {
  if (split.drapes <= 0) return;
  std::printf("the server's own, mean of %lld drapes: queue %.1f ms, run %.1f ms (",
              static_cast<long long>(split.drapes), 1e3 * split.queue_s, 1e3 * split.run_s);
  const char* between = "";
  for (const auto& [stage, seconds] : split.stage_s) {
    std::printf("%s%s %.1f", between, stage.c_str(), 1e3 * seconds);
    between = ", ";
  }
  std::printf(")\n");
  if (o.perf_call == "drape")
    std::printf("the service's share of a call: %.1f %%\n", 100.0 * service_share(split, call_s));
}

Json split_json(const Options& o, const ServerSplit& split, double call_s) {
  Json out{{"drape_count", split.drapes}, {"queue_ms", 1e3 * split.queue_s}, {"run_ms", 1e3 * split.run_s}};
  if (split.drapes > 0 && o.perf_call == "drape") out["service_percent"] = 100.0 * service_share(split, call_s);
  for (const auto& [stage, seconds] : split.stage_s) out["stage_ms"][stage] = 1e3 * seconds;
  return out;
}

void print_report(const Options& o, const client::LoadReport& report, const ServerSplit& split) {
  if (o.json) {
    Json out{{"stable", report.stable},
             {"all", window_json(report.all)},
             {"server", split_json(o, split, report.all.mean_s)}};
    for (const client::LoadWindow& w : report.windows) out["windows"].push_back(window_json(w));
    std::printf("%s\n", out.dump(2).c_str());
    return;
  }
  print_window(report.stable ? "last 3" : "all", report.all);
  if (!report.stable) std::printf("the last three windows do not agree within %g %%\n", o.agree_percent);
  print_split(o, split, report.all.mean_s);
}

}  // namespace

int perf(const Options& o, client::Client* client) {
  const CancelFlag stop = cancelled_by_interrupt();
  const auto plan = plan_of(o);
  if (!plan.ok()) return report_error(plan.status(), o.json);
  const auto call = call_of(o, client, stop);
  if (!call.ok()) return report_error(call.status(), o.json);
  const auto begin = client->statistics();
  if (!begin.ok()) return report_error(begin.status(), o.json);
  if (!o.json)
    std::printf("%-8s %7s %7s %7s %9s %9s %9s %9s %9s %9s\n", "window", "seconds", "calls", "failed", "/s", "mean ms",
                "p50 ms", "p95 ms", "p99 ms", "max ms");
  int windows = 0;
  const auto show = [&](const client::LoadWindow& w) {
    if (!o.json) print_window(cat(++windows), w);
  };
  const client::LoadReport report = client::run_load(*plan, *call, show, stop);
  const auto split = split_since(*begin, drapes_of(o, report), client);
  if (!split.ok()) return report_error(split.status(), o.json);
  print_report(o, report, *split);
  return report.all.failed() == 0 && report.all.calls > 0 ? kOk : kFault;
}

}  // namespace tryon::cli
