// What it is: one tenant's view of the stores: tasks, batches and blobs of others are not there, and what is made
// belongs to the tenant. The stores keep blobs under owned names; through the view they have their digests alone.
// How it fails: as the stores; what belongs to another is NOT_FOUND as if it had never been.
// Thread rules: as the stores, which outlive the view.
#pragma once

#include <string>

#include "server/store/blob_store.h"
#include "server/store/job_store.h"

namespace tryon {

inline constexpr char kUploadSeal[] = "upload:";  // begins the names of seals that are no blob's but an upload's

// "tenant/name", or the name alone of the tenant "".
std::string owned_name(const std::string& tenant, const std::string& name);
struct Owned {
  std::string tenant, name;
};
Owned split_owned(const std::string& owned);
// The id of a tenant's task for a request with that digest: so that no two tenants ever share one.
std::string owned_id(const std::string& tenant, const std::string& digest);
// 1 to 64 of A-Z a-z 0-9 . _ -, or empty.
bool is_tenant_name(const std::string& name);

class TenantBlobStore : public BlobStore {
 public:
  TenantBlobStore(BlobStore* blobs, std::string tenant) : blobs_(blobs), tenant_(std::move(tenant)) {}
  absl::StatusOr<int64_t> begin_upload(const std::string& upload, const std::string& digest, int64_t size) override;
  absl::StatusOr<int64_t> append_upload(const std::string& upload, int64_t offset, std::string_view bytes) override;
  absl::StatusOr<int64_t> upload_size(const std::string& upload) override;
  absl::Status finish_upload(const std::string& upload) override;
  absl::StatusOr<int64_t> blob_size(const std::string& digest) override;
  absl::StatusOr<std::string> read(const std::string& digest, int64_t offset, int64_t limit) override;
  absl::Status erase(const std::string& digest) override;
  absl::Status put_named(const std::string& digest, std::string_view bytes) override;

 private:
  BlobStore* const blobs_;
  const std::string tenant_;
};

// What is for workers and housekeeping (leases, counts, finishes, spent blobs, seals) passes through as it is, with
// owned names; list(), dead_letters() and list_batches() answer for the view's tenant, whichever is named.
class TenantJobStore : public JobStore {
 public:
  TenantJobStore(JobStore* jobs, std::string tenant) : jobs_(jobs), tenant_(std::move(tenant)) {}
  const std::string& tenant() const { return tenant_; }

  absl::StatusOr<TaskRecord> submit(const TaskRecord& record) override;
  absl::StatusOr<std::optional<TaskRecord>> lease(const std::string& worker, absl::Duration ttl) override;
  absl::StatusOr<Directive> heartbeat(const std::string& id, int attempt, const std::string& stage, double fraction,
                                      absl::Duration ttl) override;
  absl::StatusOr<TaskRecord> apply(const std::string& id, const TaskEvent& event) override;
  absl::StatusOr<int> expire_worker(const std::string& worker) override;
  absl::StatusOr<TaskRecord> get(const std::string& id) override;
  absl::StatusOr<TaskRecord> wait(const std::string& id, int64_t seen_version, const Patience& patience) override;
  void wait_for_work(absl::Duration timeout) override;
  absl::StatusOr<JobStats> stats() override;
  absl::StatusOr<std::vector<FinishedTask>> finished_since(int64_t cursor, int limit) override;
  absl::StatusOr<int64_t> finished_cursor() override;
  absl::StatusOr<std::vector<TaskRecord>> list(const std::string& tenant, const std::string& kind,
                                               const std::optional<TaskCursor>& after, int limit) override;
  absl::StatusOr<std::vector<TaskRecord>> older(const std::string& kind, int64_t before_us, int limit) override;
  absl::StatusOr<std::vector<std::string>> made_from(const std::string& subject) override;
  absl::StatusOr<bool> needs_blob(const std::string& digest) override;
  absl::StatusOr<std::vector<std::string>> spent_blobs(int limit) override;
  absl::Status forget_blob(const std::string& digest) override;
  absl::StatusOr<std::vector<TaskRecord>> dead_letters(const std::string& tenant,
                                                       const std::optional<TaskCursor>& after, int limit) override;
  absl::Status erase(const std::string& id) override;
  absl::StatusOr<BatchRecord> submit_batch(const BatchRecord& record) override;
  absl::StatusOr<BatchRecord> get_batch(const std::string& id) override;
  absl::StatusOr<std::vector<BatchRecord>> list_batches(const std::string& tenant,
                                                        const std::optional<TaskCursor>& after, int limit) override;
  absl::StatusOr<std::vector<std::string>> live_batches() override;
  absl::StatusOr<BatchRecord> move_batch(const std::string& id, BatchEvent event) override;
  absl::StatusOr<BatchRecord> advance_batch(const std::string& id, const BatchStep& step) override;
  absl::StatusOr<BatchRecord> settle_batch(const std::string& id) override;
  absl::StatusOr<std::vector<BatchItem>> batch_items(const std::string& id, int64_t from, int limit,
                                                     std::optional<ItemOutcome> outcome) override;
  absl::Status erase_batch(const std::string& id) override;
  absl::StatusOr<Seal> keep_seal(const Seal& seal) override;
  absl::StatusOr<std::optional<Seal>> find_seal(const std::string& name) override;
  absl::Status forget_seal(const std::string& name) override;
  absl::StatusOr<std::vector<std::string>> unneeded_seals(int64_t before_us, int limit) override;

 private:
  absl::StatusOr<TaskRecord> shown(absl::StatusOr<TaskRecord> task, const std::string& id) const;
  absl::StatusOr<BatchRecord> shown(absl::StatusOr<BatchRecord> batch, const std::string& id) const;
  TaskRecord owned(TaskRecord task) const;
  absl::Status need_batch(const std::string& id);

  JobStore* const jobs_;
  const std::string tenant_;
};

}  // namespace tryon
