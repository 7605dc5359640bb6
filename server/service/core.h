// What it is: what every handler calls: requests into tasks, tasks by name, watching, cancelling; for one tenant, whose
// own is all that it sees. Knows no gRPC.
// Times: microseconds since the epoch. How it fails: BLOB_MISSING, BODY_NOT_FOUND, GARMENT_NOT_FOUND, ...
// Thread rules: all methods from any thread.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/drape/fabric_request.h"
#include "server/drape/request.h"
#include "server/store/tenant_view.h"

namespace tryon {

// What a drape is made of: ids of a body's and a garment's task. A time limit of zero means none. With a limit the
// result may be worse, so the limit (in whole milliseconds) is part of the drape's identity.
struct DrapeOrder {
  std::string body, garment;
  std::string size = {};         // another of the garment's sizes; empty: as it was created
  std::string over = {};         // id of the drape beneath; empty: none
  std::string starts_from = {};  // id of the drape that this one starts from; empty: none
  DrapeSettings settings;
  absl::Duration time_limit = absl::ZeroDuration();
};

class ServiceCore {
 public:
  // With `max_queued` tasks waiting, new ones are refused (QUEUE_FULL) before memory or disk grow.
  ServiceCore(JobStore* jobs, BlobStore* blobs, const std::string& tenant, CancelFlag stopping,
              int64_t max_queued = 10'000)
      : all_jobs_(jobs),
        all_blobs_(blobs),
        jobs_(jobs, tenant),
        blobs_(blobs, tenant),
        max_queued_(max_queued),
        stopping_(std::move(stopping)) {}

  absl::StatusOr<TaskRecord> create_body(const BodyRequest& request);
  // The task that create_body would give, without making anything.
  absl::StatusOr<TaskRecord> look_at_body(const BodyRequest& request);
  // Newest first.
  absl::StatusOr<std::vector<TaskRecord>> list_bodies(const std::optional<TaskCursor>& after, int limit);
  // With all drapes of it.
  absl::Status delete_body(const std::string& id);
  // check_only requests give a task of kind "check", which is no garment.
  absl::StatusOr<TaskRecord> create_garment(const GarmentRequest& request);
  absl::StatusOr<std::vector<TaskRecord>> list_garments(const std::optional<TaskCursor>& after, int limit);
  // With all drapes of it.
  absl::Status delete_garment(const std::string& id);
  // A task of any kind, alone.
  absl::Status delete_task(const std::string& id);
  // check_only requests give a task of kind "fabric_check", which is no fabric.
  absl::StatusOr<TaskRecord> create_fabric(const FabricRequest& request);
  absl::StatusOr<std::vector<TaskRecord>> list_fabrics(const std::optional<TaskCursor>& after, int limit);
  absl::Status delete_fabric(const std::string& id);
  // The drape belongs to the server from here on: no caller's leaving cancels it.
  absl::StatusOr<TaskRecord> create_drape(const DrapeOrder& order);
  // A task of kind "advice": all of the garment's sizes, or those named, on the body.
  absl::StatusOr<TaskRecord> create_advice(DrapeOrder order, const std::vector<std::string>& sizes);
  // The drape belongs to the RunDrape calls that share it: each must leave(), and the last one to leave early cancels
  // it, unless create_drape was asked for the same.
  absl::StatusOr<TaskRecord> join_drape(const DrapeOrder& order);
  void leave_drape(const std::string& id, bool finished);
  // The task of a drape, not submitted.
  absl::StatusOr<TaskRecord> plan_drape(const DrapeOrder& order);

  // A task of that kind ("" for any), or NOT_FOUND with `reason` and the field that named it.
  absl::StatusOr<TaskRecord> find(const std::string& id, const std::string& kind, std::string_view reason,
                                  std::string_view field = "name");
  absl::Status cancel(const std::string& id);
  // Calls `tell` with every change until the task is final, `tell` returns false, or the server stops; asks `abandoned`
  // as often as `look` says, though nothing changes.
  absl::Status watch(const std::string& id, const std::function<bool(const TaskRecord&)>& tell, absl::Duration look,
                     const std::function<bool()>& abandoned);

  bool stopping() const;  // then all watches end
  const std::string& tenant() const { return jobs_.tenant(); }
  JobStore& jobs() { return jobs_; }
  BlobStore& blobs() { return blobs_; }
  // Erases what nobody needs any more, whoever had it.
  absl::Status erase_spent();

  // BLOB_MISSING unless it was uploaded (or the digest is empty).
  absl::Status need_blob(const std::string& digest, std::string_view field);

 private:
  absl::Status room_for(const std::string& id);
  absl::StatusOr<TaskRecord> submit(const TaskRecord& task);
  absl::Status delete_with_drapes(const std::string& id);
  absl::Status need_tailored_body(const GarmentRequest& request);
  absl::Status read_fabric(DrapeSettings* settings);
  absl::StatusOr<std::string> worn_beneath(const std::string& drape, const std::string& body);
  absl::StatusOr<std::string> start_of(const std::string& drape, const std::string& body, const DrapeRequest& request);

  struct Claim {
    int callers = 0;    // RunDrape calls that watch it now
    bool kept = false;  // somebody else wants it too
  };

  std::string own_id(const std::string& digest) const { return owned_id(tenant(), digest); }

  JobStore* const all_jobs_;
  BlobStore* const all_blobs_;
  TenantJobStore jobs_;
  TenantBlobStore blobs_;
  const int64_t max_queued_;
  const CancelFlag stopping_;
  std::mutex mutex_;
  std::map<std::string, Claim> claims_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tryon
