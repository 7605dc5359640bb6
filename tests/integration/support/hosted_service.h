// What it is: the real gRPC service in this process over memory stores, with a worker whose physics the test plays.
// Frame: none. How it fails: the constructor throws when the host does not start. Thread rules: one test at a time;
// the play's members from any thread.
#pragma once

#include <grpcpp/channel.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "client/lib/client.h"
#include "server/ops/metrics.h"
#include "server/service/host.h"
#include "server/service/tasks/runner.h"

namespace tryon::testing {

// What the worker does: bodies and garments are done at once; a drape tells its stages, waits while `hold` is set, and
// ends as told. Cancellation and deadline end it as
// they end the pipeline.
struct Play {
  std::atomic<bool> hold{false};
  std::atomic<int> begun{0}, cut_short{0};  // drapes
  std::atomic<bool> settles{true};
  std::atomic<bool> wears{false};  // drapes leave what another can go over
  std::atomic<bool> shows{false};  // two previews and ten frames before they wait, three frames after
  absl::Status fault;              // of drapes; set before the first
};

class HostedService {
 public:
  explicit HostedService(HostOptions options = {}, bool with_worker = true);
  ~HostedService();
  HostedService(const HostedService&) = delete;
  HostedService& operator=(const HostedService&) = delete;

  void stop_host(absl::Duration grace = absl::Seconds(2));
  void start_host();  // again, at the same address, on the same stores

  const std::string& address() const { return options_.listen; }
  std::shared_ptr<grpc::Channel> channel() const { return channel_; }
  client::Client& client() { return *client_; }
  Play& play() { return play_; }
  Metrics& metrics() { return metrics_; }
  JobStore& jobs() { return *jobs_; }
  BlobStore& blobs() { return *blobs_; }

  // Names of a sample body and garment, and a drape of both.
  v1::CreateDrapeRequest drape_request();
  // Until the state, or the test fails after ten seconds.
  TaskRecord wait_for(const std::string& name, TaskState state);

 private:
  absl::Status wait_while_held(const RunContext& run);
  absl::StatusOr<PipelineResult> perform(const RunContext& run, const std::string& kind);

  HostOptions options_;
  std::string folder_;
  Play play_;
  Metrics metrics_;
  std::unique_ptr<JobStore> jobs_ = make_memory_job_store();
  std::unique_ptr<BlobStore> blobs_ = make_memory_blob_store();
  std::unique_ptr<ServiceHost> host_;
  std::unique_ptr<TaskRunner> runner_;
  std::thread worker_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<client::Client> client_;
};

// "drapes/{id}" -> "{id}".
std::string id_of(const std::string& name);
// ErrorInfo's reason in a gRPC status, or "" when there is none.
std::string reason_of(const grpc::Status& status);
std::string reason_of(const absl::Status& status);
// Waits until `holds()`, at most ten seconds; false if it never did.
bool eventually(const std::function<bool()>& holds);

}  // namespace tryon::testing
