// What it is: the gRPC server over any stores: services, health, reflection, limits, drain. Used by tryon-server and,
// in-process, by the tryon command.
// How it fails: an address in use is UNAVAILABLE; a non-loopback address without leave is INVALID_ARGUMENT;
// certificates and tokens as security/credentials.h says.
// Thread rules: start and stop from one thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/ops/metrics.h"
#include "server/service/security/credentials.h"
#include "server/store/blob_store.h"
#include "server/store/job_store.h"

namespace tryon {

struct HostOptions {
  std::string listen = "127.0.0.1:8001";  // port 0 picks one
  bool insecure_listen = false;           // allow an address that is not loopback to whoever reaches it
  SecurityOptions security;
  int max_watches = 1024;                           // at once: calls that wait for work and say little
  int max_transfers = 128;                          // at once: uploads, downloads, tables
  int short_calls = 128;                            // threads for the rest: a call that lasts holds one
  absl::Duration retention = absl::Hours(24 * 30);  // how long bodies and the drapes of them are kept
  absl::Duration stream_idle = absl::Seconds(60);   // one whose other end is silent for so long is cancelled
};

class ServiceHost {
 public:
  // `metrics` may be null.
  ServiceHost(JobStore* jobs, BlobStore* blobs, Metrics* metrics);
  ~ServiceHost();
  absl::StatusOr<int> start(const HostOptions& options);  // the bound port
  // Health says NOT_SERVING from now on, so that no new caller is sent here; all is served as before.
  void withdraw();
  // As withdraw(), then watches end with SERVER_STOPPING, calls get `grace` to end. The queue keeps the work.
  void stop(absl::Duration grace);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tryon
