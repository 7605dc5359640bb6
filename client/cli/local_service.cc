#include "client/cli/local_service.h"

#include <thread>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/service/host.h"
#include "server/service/tasks/runner.h"

namespace tryon::cli {

struct LocalService::Impl {
  std::unique_ptr<JobStore> jobs = make_memory_job_store();
  std::unique_ptr<BlobStore> blobs = make_memory_blob_store();
  ServiceHost host{jobs.get(), blobs.get(), nullptr};
  TaskRunner runner{jobs.get(), blobs.get(), RunnerOptions{}};
  std::thread worker;
};

LocalService::LocalService() : impl_(std::make_unique<Impl>()) { set_log_quiet(true); }

LocalService::~LocalService() {
  impl_->runner.stop();
  if (impl_->worker.joinable()) impl_->worker.join();
  impl_->host.stop(absl::ZeroDuration());
}

absl::StatusOr<std::string> LocalService::start() {
  HostOptions options;
  options.listen = "127.0.0.1:0";
  ASSIGN_OR_RETURN(const int port, impl_->host.start(options));
  impl_->worker = std::thread([this] { (void)impl_->runner.run(); });
  return cat("127.0.0.1:", port);
}

}  // namespace tryon::cli
