#include "server/service/host.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/service/core.h"
#include "server/service/handlers.h"
#include "server/service/stream_slots.h"

namespace tryon {
namespace {

constexpr int kMaxMessageBytes = 4 << 20;
constexpr char kDrapeServiceName[] = "tryon.v1.DrapeService";
constexpr absl::Duration kFeedPause = absl::Milliseconds(200);
constexpr int kFeedBatch = 256;

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address.rfind("localhost:", 0) == 0 || address.rfind("[::1]:", 0) == 0 ||
         address.rfind("unix:", 0) == 0;
}

}  // namespace

struct ServiceHost::Impl {
  Impl(JobStore* jobs, BlobStore* blobs, Metrics* m) : core(jobs, blobs), metrics(m) {}
  ServiceCore core;
  Metrics* const metrics;
  std::unique_ptr<StreamSlots> slots;
  std::vector<std::unique_ptr<grpc::Service>> services;
  std::unique_ptr<grpc::Server> server;
  std::atomic<bool> feeding{false};
  std::thread feed;

  // Workers are other processes: what they finished is read from the store and told to the metrics.
  void feed_metrics() {
    int64_t cursor = core.jobs().finished_cursor().value_or(0);
    while (feeding) {
      const auto finished = core.jobs().finished_since(cursor, kFeedBatch);
      for (size_t i = 0; finished.ok() && i < finished->size(); ++i) {
        const FinishedTask& task = (*finished)[i];
        cursor = task.cursor;
        metrics->count_task(task.kind, task.outcome, task.reason, task.run_seconds);
        for (const auto& [stage, seconds] : task.stage_seconds) metrics->observe_stage(stage, seconds);
      }
      if (const auto stats = core.jobs().stats(); stats.ok()) metrics->set_queue(stats->queued, stats->running);
      absl::SleepFor(kFeedPause);
    }
  }
};

ServiceHost::ServiceHost(JobStore* jobs, BlobStore* blobs, Metrics* metrics)
    : impl_(std::make_unique<Impl>(jobs, blobs, metrics)) {}

ServiceHost::~ServiceHost() { stop(absl::ZeroDuration()); }

absl::StatusOr<int> ServiceHost::start(const HostOptions& options) {
  if (!options.insecure_listen && !is_loopback(options.listen)) {
    return invalid_input("LISTEN_NOT_LOOPBACK", "--listen",
                         cat("without TLS the server listens on loopback only, not on ", options.listen),
                         "Put a proxy with TLS in front, or allow it with --insecure-listen.");
  }
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(options.listen, grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 100);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 16 << 10);
  builder.SetResourceQuota(grpc::ResourceQuota("tryon").SetMaxThreads(options.max_threads));
  impl_->slots = std::make_unique<StreamSlots>(StreamSlots::Limits{options.max_streams, options.stream_idle});
  impl_->services = make_services(&impl_->core, impl_->slots.get(), impl_->metrics);
  for (const auto& service : impl_->services) builder.RegisterService(service.get());
  impl_->server = builder.BuildAndStart();
  if (impl_->server == nullptr || (port == 0 && options.listen.rfind("unix:", 0) != 0)) {
    return make_error(absl::StatusCode::kUnavailable, "ADDRESS_IN_USE", "--listen",
                      cat("cannot listen on ", options.listen), "Choose a free port, or 0 to have one picked.");
  }
  impl_->server->GetHealthCheckService()->SetServingStatus(kDrapeServiceName, true);
  if (impl_->metrics != nullptr) {
    impl_->feeding = true;
    impl_->feed = std::thread([this] { impl_->feed_metrics(); });
  }
  return port;
}

void ServiceHost::stop(absl::Duration grace) {
  if (impl_->server != nullptr) {
    impl_->server->GetHealthCheckService()->SetServingStatus(false);
    impl_->core.stop();
    impl_->server->Shutdown(absl::ToChronoTime(absl::Now() + grace));
    impl_->server->Wait();
    impl_->server.reset();
  }
  impl_->feeding = false;
  if (impl_->feed.joinable()) impl_->feed.join();
}

}  // namespace tryon
