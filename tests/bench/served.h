// What it is: the real service over SQLite and a folder of its own, in this process, for the studies of calls.
// How it fails: false where the host does not start. Thread rules: one at a time; `measure` runs on the caller's
// thread.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/ops/metrics.h"
#include "server/service/host.h"
#include "server/store/job_store.h"
#include "server/store/sealed_blob_store.h"

namespace tryon {

struct Served {
  std::string address;
  JobStore* jobs;
  BlobStore* blobs;
};

inline bool with_service(const std::function<bool(const Served&)>& measure) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / cat("tryon-bench-", random_hex(4));
  std::filesystem::create_directories(folder);
  bool done = false;
  {
    const auto jobs = open_sqlite_job_store(folder / "tasks.sqlite").value();
    const auto blobs = make_sealed_blob_store(jobs.get(), open_directory_object_store(folder / "blobs").value());
    Metrics metrics;
    ServiceHost host(jobs.get(), blobs.get(), &metrics);
    HostOptions options;
    options.listen = "127.0.0.1:0";
    const auto port = host.start(options);
    if (port.ok()) done = measure({cat("127.0.0.1:", *port), jobs.get(), blobs.get()});
    host.stop(absl::Seconds(5));
  }
  std::filesystem::remove_all(folder);
  return done;
}

}  // namespace tryon
