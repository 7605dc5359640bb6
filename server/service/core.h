// What it is: what every handler calls: requests into tasks, tasks by name, watching, cancelling. Knows no gRPC.
// Times: microseconds since the epoch. How it fails: BLOB_MISSING, BODY_NOT_FOUND, GARMENT_NOT_FOUND, ...
// Thread rules: all methods from any thread.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/drape/request.h"
#include "server/store/blob_store.h"
#include "server/store/job_store.h"

namespace tryon {

class ServiceCore {
 public:
  ServiceCore(JobStore* jobs, BlobStore* blobs) : jobs_(jobs), blobs_(blobs) {}

  absl::StatusOr<TaskRecord> create_body(const BodyRequest& request);
  absl::StatusOr<TaskRecord> create_garment(const GarmentRequest& request);
  // `body` and `garment` are ids; time_limit of zero means none.
  absl::StatusOr<TaskRecord> create_drape(const std::string& body, const std::string& garment,
                                          const DrapeSettings& settings, absl::Duration time_limit);

  // A task of that kind ("" for any), or NOT_FOUND with `reason`.
  absl::StatusOr<TaskRecord> find(const std::string& id, const std::string& kind, std::string_view reason);
  absl::Status cancel(const std::string& id);
  // Calls `tell` with every change until the task is final, `tell` returns false, or the server stops.
  absl::Status watch(const std::string& id, const std::function<bool(const TaskRecord&)>& tell,
                     const std::function<bool()>& abandoned);

  // RunDrape calls own their drape together: the last one to leave early cancels it.
  void join(const std::string& id);
  void leave(const std::string& id, bool finished);

  void stop();  // ends all watches
  bool stopping() const;
  JobStore& jobs() { return *jobs_; }
  BlobStore& blobs() { return *blobs_; }

 private:
  absl::Status need_blob(const std::string& digest, std::string_view field);
  absl::StatusOr<TaskRecord> submit(const std::string& id, const std::string& kind, std::string spec,
                                    absl::Duration time_limit);

  JobStore* const jobs_;
  BlobStore* const blobs_;
  CancelFlag stopping_;
  std::mutex mutex_;
  std::map<std::string, int> owners_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tryon
