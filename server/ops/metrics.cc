#include "server/ops/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/exposer.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <exception>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/version.h"

namespace tryon {
namespace {

using Counters = prometheus::Family<prometheus::Counter>;
using Gauges = prometheus::Family<prometheus::Gauge>;
using Histograms = prometheus::Family<prometheus::Histogram>;

// Seconds: a look-up is a few milliseconds, a hard drape two minutes.
const prometheus::Histogram::BucketBoundaries& buckets() {
  static const prometheus::Histogram::BucketBoundaries bounds = {0.005, 0.01, 0.025, 0.05, 0.1,  0.25, 0.5,  1.0,
                                                                 2.5,   5.0,  10.0,  20.0, 30.0, 60.0, 120.0};
  return bounds;
}

template <typename Builder>
auto& family(Builder builder, prometheus::Registry& registry, const char* name, const char* help) {
  return builder.Name(name).Help(help).Register(registry);
}

}  // namespace

struct Metrics::Impl {
  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
  Counters& rpcs = family(prometheus::BuildCounter(), *registry, "tryon_rpc_requests_total", "Requests answered.");
  Histograms& rpc_seconds = family(prometheus::BuildHistogram(), *registry, "tryon_rpc_duration_seconds",
                                   "From a request's arrival to its answer.");
  Histograms& stage_seconds = family(prometheus::BuildHistogram(), *registry, "tryon_task_stage_duration_seconds",
                                     "Wall clock of one stage of a finished task.");
  Histograms& task_seconds = family(prometheus::BuildHistogram(), *registry, "tryon_task_duration_seconds",
                                    "From a task's last lease to its end.");
  Counters& drapes = family(prometheus::BuildCounter(), *registry, "tryon_drapes_total", "Drapes finished.");
  Counters& tasks = family(prometheus::BuildCounter(), *registry, "tryon_tasks_total", "Tasks finished, of any kind.");
  Gauges& queue = family(prometheus::BuildGauge(), *registry, "tryon_queue_tasks", "Tasks waiting and running now.");
  Gauges& build = family(prometheus::BuildGauge(), *registry, "tryon_build_info", "Always 1; the label says it.");

  std::mutex mutex;
  std::unique_ptr<prometheus::Exposer> exposer ABSL_GUARDED_BY(mutex);
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {
  impl_->build.Add({{"version", kEngineVersion}}).Set(1.0);
  set_queue(0, 0);
}

Metrics::~Metrics() = default;

void Metrics::count_rpc(std::string_view method, std::string_view code, double seconds) {
  impl_->rpcs.Add({{"method", std::string(method)}, {"code", std::string(code)}}).Increment();
  impl_->rpc_seconds.Add({{"method", std::string(method)}}, buckets()).Observe(seconds);
}

void Metrics::count_task(std::string_view kind, std::string_view outcome, std::string_view reason, double seconds) {
  const prometheus::Labels labels = {{"outcome", std::string(outcome)}, {"reason", std::string(reason)}};
  if (kind == "drape") impl_->drapes.Add(labels).Increment();
  prometheus::Labels with_kind = labels;
  with_kind["kind"] = kind;
  impl_->tasks.Add(with_kind).Increment();
  impl_->task_seconds.Add({{"kind", std::string(kind)}}, buckets()).Observe(seconds);
}

void Metrics::observe_stage(std::string_view stage, double seconds) {
  impl_->stage_seconds.Add({{"stage", std::string(stage)}}, buckets()).Observe(seconds);
}

void Metrics::set_queue(int64_t queued, int64_t running) {
  impl_->queue.Add({{"state", "queued"}}).Set(static_cast<double>(queued));
  impl_->queue.Add({{"state", "running"}}).Set(static_cast<double>(running));
}

absl::StatusOr<int> Metrics::serve(const std::string& address) {
  std::lock_guard lock(impl_->mutex);
  try {
    auto exposer = std::make_unique<prometheus::Exposer>(address, 1);
    exposer->RegisterCollectable(impl_->registry);
    const std::vector<int> ports = exposer->GetListeningPorts();
    if (ports.empty()) return internal_fault("the metrics server has no port");
    impl_->exposer = std::move(exposer);
    return ports.front();
  } catch (const std::exception&) {  // the library says only "null context when constructing CivetServer"
    return make_error(absl::StatusCode::kUnavailable, "METRICS_ADDRESS", "metrics",
                      cat("cannot serve metrics at ", address), "Choose a free address, such as 127.0.0.1:0.");
  }
}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(impl_->registry->Collect()); }

}  // namespace tryon
