#include "client/cli/local_service.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "server/app/stores.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/service/host.h"
#include "server/service/tasks/runner.h"

namespace tryon::cli {

struct LocalService::Impl {
  std::string folder;  // ours alone: no other user of the machine reaches the socket in it
  std::unique_ptr<JobStore> jobs;
  std::unique_ptr<BlobStore> blobs;
  std::optional<ServiceHost> host;
  std::vector<std::unique_ptr<TaskRunner>> runners;
  std::vector<std::thread> workers;

  absl::Status open_stores(const std::string& data) {
    jobs = make_memory_job_store();
    blobs = make_memory_blob_store();
    if (data.empty()) return absl::OkStatus();
    std::error_code error;
    std::filesystem::create_directories(data, error);
    ASSIGN_OR_RETURN(Stores kept, tryon::open_stores({data, "", "", ""}));
    jobs = std::move(kept.jobs), blobs = std::move(kept.blobs);
    return absl::OkStatus();
  }

  void start_worker(int number) {
    RunnerOptions options;
    options.worker = cat("local-", number);
    (void)jobs->expire_worker(options.worker);  // leases of a run that was killed
    runners.push_back(std::make_unique<TaskRunner>(jobs.get(), blobs.get(), options));
    workers.emplace_back([runner = runners.back().get()] { (void)runner->run(); });
  }
};

LocalService::LocalService() : impl_(std::make_unique<Impl>()) { set_log_quiet(true); }

LocalService::~LocalService() {
  for (const auto& runner : impl_->runners) runner->stop();
  for (std::thread& worker : impl_->workers) worker.join();
  if (impl_->host) impl_->host->stop(absl::ZeroDuration());
  std::error_code ignored;
  if (!impl_->folder.empty()) std::filesystem::remove_all(impl_->folder, ignored);
}

absl::StatusOr<std::string> LocalService::start(const std::string& data, int workers) {
  RETURN_IF_ERROR(impl_->open_stores(data));
  char folder[] = "/tmp/tryon-XXXXXX";  // a socket's path must be short, so no $TMPDIR
  if (mkdtemp(folder) == nullptr) return internal_fault("no folder for the in-process service can be made in /tmp");
  impl_->folder = folder;
  HostOptions options;
  options.listen = cat("unix:", impl_->folder, "/socket");
  impl_->host.emplace(impl_->jobs.get(), impl_->blobs.get(), nullptr);
  RETURN_IF_ERROR(impl_->host->start(options).status());
  if (workers == 0) workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int i = 0; i < workers; ++i) impl_->start_worker(i);
  return options.listen;
}

}  // namespace tryon::cli
