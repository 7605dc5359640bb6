#include "client/cli/local_service.h"

#include <stdlib.h>

#include <filesystem>
#include <thread>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/service/host.h"
#include "server/service/tasks/runner.h"

namespace tryon::cli {

struct LocalService::Impl {
  std::string folder;  // ours alone: no other user of the machine reaches the socket in it
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
  std::error_code ignored;
  if (!impl_->folder.empty()) std::filesystem::remove_all(impl_->folder, ignored);
}

absl::StatusOr<std::string> LocalService::start() {
  char folder[] = "/tmp/tryon-XXXXXX";  // a socket's path must be short, so no $TMPDIR
  if (mkdtemp(folder) == nullptr) return internal_fault("no folder for the in-process service can be made in /tmp");
  impl_->folder = folder;
  HostOptions options;
  options.listen = cat("unix:", impl_->folder, "/socket");
  RETURN_IF_ERROR(impl_->host.start(options).status());
  impl_->worker = std::thread([this] { (void)impl_->runner.run(); });
  return options.listen;
}

}  // namespace tryon::cli
