#include "server/service/host.h"

#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/service/batch_pump.h"
#include "server/service/handlers.h"
#include "server/service/housekeeper.h"
#include "server/service/limits.h"
#include "server/service/statistics.h"
#include "server/service/stream_slots.h"
#include "server/service/tenants.h"

namespace tryon {
namespace {

constexpr char kDrapeServiceName[] = "tryon.v1.DrapeService";
constexpr absl::Duration kFeedPause = absl::Milliseconds(200);
constexpr int kFeedBatch = 256;

// By its form alone: a name that only looks like one (127.example.com) may resolve to anything.
bool is_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  const bool is_number = host.find_first_not_of("0123456789.") == std::string::npos;
  return (is_number && host.rfind("127.", 0) == 0) || host == "localhost" || host == "[::1]" ||
         address.rfind("unix:", 0) == 0;
}

// gRPC's own shutdown, once its last object goes, may wait 10 s for an idle poller: a process that stops must not.
void keep_grpc_until_exit() { [[maybe_unused]] static const bool kept = (grpc_init(), true); }

}  // namespace

struct ServiceHost::Impl {
  Impl(JobStore* jobs, BlobStore* blobs, Metrics* m) : tenants(jobs, blobs), metrics(m) {}
  Tenants tenants;
  BatchPump pump{&tenants};
  Housekeeper housekeeper{&tenants};
  Metrics* const metrics;
  std::unique_ptr<StreamSlots> watches, transfers;
  std::vector<std::unique_ptr<grpc::Service>> services;
  std::unique_ptr<grpc::Server> server;
  Statistics statistics{absl::Now()};
  CancelFlag fed;  // set: no more metrics
  std::mutex mutex;
  std::condition_variable changed;
  std::thread feed;

  void count(const FinishedTask& task) {
    if (const auto record = tenants.jobs().get(task.id); record.ok()) statistics.count(record->tenant, task);
    if (metrics == nullptr) return;
    metrics->count_task(task.kind, task.outcome, task.reason, task.run_seconds);
    for (const auto& [stage, seconds] : task.stage_seconds) metrics->observe_stage(stage, seconds);
  }

  // Workers are other processes: what they finished is read from the store and counted.
  void count_finished() {
    int64_t cursor = tenants.jobs().finished_cursor().value_or(0);
    while (!fed.cancelled()) {
      const auto finished = tenants.jobs().finished_since(cursor, kFeedBatch);
      for (size_t i = 0; finished.ok() && i < finished->size(); ++i) {
        cursor = (*finished)[i].cursor;
        count((*finished)[i]);
      }
      const auto stats = tenants.jobs().stats();
      if (stats.ok() && metrics != nullptr) metrics->set_queue(stats->queued, stats->running);
      std::unique_lock lock(mutex);
      changed.wait_for(lock, absl::ToChronoMilliseconds(kFeedPause), [this] { return fed.cancelled(); });
    }
  }

  void end_feed() {
    {
      std::lock_guard lock(mutex);
      fed.cancel();
    }
    changed.notify_all();
    if (feed.joinable()) feed.join();
  }
};

ServiceHost::ServiceHost(JobStore* jobs, BlobStore* blobs, Metrics* metrics)
    : impl_(std::make_unique<Impl>(jobs, blobs, metrics)) {}

ServiceHost::~ServiceHost() { stop(absl::ZeroDuration()); }

absl::StatusOr<int> ServiceHost::start(const HostOptions& options) {
  const bool guarded = options.security.has_tls() && options.security.knows_callers();
  if (!guarded && !options.insecure_listen && !is_loopback(options.listen)) {
    return invalid_input(
        "LISTEN_NOT_LOOPBACK", "--listen",
        cat("without TLS and a way to know callers the server listens on loopback only, not on ", options.listen),
        "Give --tls-certificate, --tls-key and --token-file or --tls-client-ca, or allow it with "
        "--insecure-listen.");
  }
  keep_grpc_until_exit();
  ASSIGN_OR_RETURN(const Guards guards, open_guards(options.security));
  impl_->tenants.know(guards.tokens);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(options.listen, guards.credentials, &port);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 100);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a second server on the port must hear of it
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 16 << 10);
  builder.SetResourceQuota(
      grpc::ResourceQuota("tryon").SetMaxThreads(options.max_watches + options.max_transfers + options.short_calls));
  impl_->watches = std::make_unique<StreamSlots>(StreamSlots::Limits{options.max_watches, options.stream_idle});
  impl_->transfers = std::make_unique<StreamSlots>(StreamSlots::Limits{options.max_transfers, options.stream_idle});
  impl_->services = make_services(&impl_->tenants, {impl_->watches.get(), impl_->transfers.get()}, impl_->metrics,
                                  &impl_->statistics);
  for (const auto& service : impl_->services) builder.RegisterService(service.get());
  impl_->server = builder.BuildAndStart();
  if (impl_->server == nullptr || (port == 0 && options.listen.rfind("unix:", 0) != 0)) {
    return make_error(absl::StatusCode::kUnavailable, "ADDRESS_IN_USE", "--listen",
                      cat("cannot listen on ", options.listen), "Choose a free port, or 0 to have one picked.");
  }
  impl_->server->GetHealthCheckService()->SetServingStatus(kDrapeServiceName, true);
  impl_->pump.start();
  impl_->housekeeper.start(options.retention);
  impl_->feed = std::thread([this] { impl_->count_finished(); });
  return port;
}

void ServiceHost::withdraw() {
  if (impl_->server != nullptr) impl_->server->GetHealthCheckService()->SetServingStatus(false);
}

void ServiceHost::stop(absl::Duration grace) {
  withdraw();
  if (impl_->server != nullptr) {
    impl_->tenants.stop();
    impl_->pump.stop();
    impl_->housekeeper.stop();
    impl_->server->Shutdown(absl::ToChronoTime(absl::Now() + grace));
    impl_->server->Wait();
    impl_->server.reset();
  }
  impl_->end_feed();
}

}  // namespace tryon
