#include "server/store/tenant_view.h"

#include <algorithm>
#include <utility>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/blob_rules.h"
#include "server/store/job_rules.h"

namespace tryon {
namespace {

std::map<std::string, BlobRef> owned_outputs(const std::string& tenant, std::map<std::string, BlobRef> outputs) {
  for (auto& [name, blob] : outputs) blob.digest = owned_name(tenant, blob.digest);
  return outputs;
}

// What a worker says about its blobs, with their owned names.
TaskEvent owned_event(const std::string& tenant, TaskEvent event) {
  if (auto* done = std::get_if<Completed>(&event)) done->outputs = owned_outputs(tenant, std::move(done->outputs));
  if (auto* failed = std::get_if<Failed>(&event)) failed->outputs = owned_outputs(tenant, std::move(failed->outputs));
  return event;
}

}  // namespace

std::string owned_name(const std::string& tenant, const std::string& name) {
  return tenant.empty() ? name : cat(tenant, "/", name);
}

Owned split_owned(const std::string& owned) {
  const size_t slash = owned.find('/');
  if (slash == std::string::npos) return {"", owned};
  return {owned.substr(0, slash), owned.substr(slash + 1)};
}

std::string owned_id(const std::string& tenant, const std::string& digest) {
  return tenant.empty() ? digest : sha256_hex(cat(tenant, "/", digest));
}

bool is_tenant_name(const std::string& name) {
  return name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                  c == '_';
         });
}

// ---- Blobs. A caller's name is looked at before the owner's stands before it.

absl::StatusOr<int64_t> TenantBlobStore::begin_upload(const std::string& upload, const std::string& digest,
                                                      int64_t size) {
  RETURN_IF_ERROR(check_new_upload(upload, digest, size));
  return blobs_->begin_upload(owned_name(tenant_, upload), owned_name(tenant_, digest), size);
}

absl::StatusOr<int64_t> TenantBlobStore::append_upload(const std::string& upload, int64_t offset,
                                                       std::string_view bytes) {
  RETURN_IF_ERROR(check_upload_name(upload));
  return blobs_->append_upload(owned_name(tenant_, upload), offset, bytes);
}

absl::StatusOr<int64_t> TenantBlobStore::upload_size(const std::string& upload) {
  RETURN_IF_ERROR(check_upload_name(upload));
  return blobs_->upload_size(owned_name(tenant_, upload));
}

absl::Status TenantBlobStore::finish_upload(const std::string& upload) {
  RETURN_IF_ERROR(check_upload_name(upload));
  return blobs_->finish_upload(owned_name(tenant_, upload));
}

absl::StatusOr<int64_t> TenantBlobStore::blob_size(const std::string& digest) {
  RETURN_IF_ERROR(check_digest(digest));
  return blobs_->blob_size(owned_name(tenant_, digest));
}

absl::StatusOr<std::string> TenantBlobStore::read(const std::string& digest, int64_t offset, int64_t limit) {
  RETURN_IF_ERROR(check_digest(digest));
  return blobs_->read(owned_name(tenant_, digest), offset, limit);
}

absl::Status TenantBlobStore::erase(const std::string& digest) {
  RETURN_IF_ERROR(check_digest(digest));
  return blobs_->erase(owned_name(tenant_, digest));
}

absl::Status TenantBlobStore::put_named(const std::string& digest, std::string_view bytes) {
  RETURN_IF_ERROR(check_digest(digest));
  return blobs_->put_named(owned_name(tenant_, digest), bytes);
}

// ---- Tasks.

absl::StatusOr<TaskRecord> TenantJobStore::shown(absl::StatusOr<TaskRecord> task, const std::string& id) const {
  if (!task.ok()) return task;
  if (task->tenant != tenant_) return task_not_found(id);
  for (std::string& input : task->inputs) input = split_owned(input).name;
  for (auto& [name, blob] : task->outputs) blob.digest = split_owned(blob.digest).name;
  return task;
}

TaskRecord TenantJobStore::owned(TaskRecord task) const {
  task.tenant = tenant_;
  for (std::string& input : task.inputs) input = owned_name(tenant_, input);
  return task;
}

absl::StatusOr<TaskRecord> TenantJobStore::submit(const TaskRecord& record) {
  return shown(jobs_->submit(owned(record)), record.id);
}

absl::StatusOr<std::optional<TaskRecord>> TenantJobStore::lease(const std::string& worker, absl::Duration ttl) {
  return jobs_->lease(worker, ttl);
}

absl::StatusOr<Directive> TenantJobStore::heartbeat(const std::string& id, int attempt, const std::string& stage,
                                                    double fraction, absl::Duration ttl) {
  return jobs_->heartbeat(id, attempt, stage, fraction, ttl);
}

absl::StatusOr<TaskRecord> TenantJobStore::apply(const std::string& id, const TaskEvent& event) {
  RETURN_IF_ERROR(get(id).status());
  return shown(jobs_->apply(id, owned_event(tenant_, event)), id);
}

absl::StatusOr<int> TenantJobStore::expire_worker(const std::string& worker) { return jobs_->expire_worker(worker); }

absl::StatusOr<TaskRecord> TenantJobStore::get(const std::string& id) { return shown(jobs_->get(id), id); }

absl::StatusOr<TaskRecord> TenantJobStore::wait(const std::string& id, int64_t seen_version, const Patience& patience) {
  RETURN_IF_ERROR(get(id).status());  // who may not see it does not hear when it changes
  return shown(jobs_->wait(id, seen_version, patience), id);
}

void TenantJobStore::wait_for_work(absl::Duration timeout) { jobs_->wait_for_work(timeout); }
absl::StatusOr<JobStats> TenantJobStore::stats() { return jobs_->stats(); }

absl::StatusOr<std::vector<FinishedTask>> TenantJobStore::finished_since(int64_t cursor, int limit) {
  return jobs_->finished_since(cursor, limit);
}

absl::StatusOr<int64_t> TenantJobStore::finished_cursor() { return jobs_->finished_cursor(); }

absl::StatusOr<std::vector<TaskRecord>> TenantJobStore::list(const std::string&, const std::string& kind,
                                                             const std::optional<TaskCursor>& after, int limit) {
  ASSIGN_OR_RETURN(std::vector<TaskRecord> tasks, jobs_->list(tenant_, kind, after, limit));
  for (TaskRecord& task : tasks) {
    ASSIGN_OR_RETURN(task, shown(std::move(task), task.id));
  }
  return tasks;
}

absl::StatusOr<std::vector<TaskRecord>> TenantJobStore::older(const std::string& kind, int64_t before_us, int limit) {
  return jobs_->older(kind, before_us, limit);
}

absl::StatusOr<std::vector<std::string>> TenantJobStore::made_from(const std::string& subject) {
  if (get(subject).status().code() == absl::StatusCode::kNotFound) return std::vector<std::string>();
  return jobs_->made_from(subject);
}

absl::StatusOr<bool> TenantJobStore::needs_blob(const std::string& digest) { return jobs_->needs_blob(digest); }

absl::StatusOr<std::vector<std::string>> TenantJobStore::spent_blobs(int limit) { return jobs_->spent_blobs(limit); }
absl::Status TenantJobStore::forget_blob(const std::string& digest) { return jobs_->forget_blob(digest); }

absl::StatusOr<std::vector<TaskRecord>> TenantJobStore::dead_letters(const std::string&,
                                                                     const std::optional<TaskCursor>& after,
                                                                     int limit) {
  ASSIGN_OR_RETURN(std::vector<TaskRecord> tasks, jobs_->dead_letters(tenant_, after, limit));
  for (TaskRecord& task : tasks) {
    ASSIGN_OR_RETURN(task, shown(std::move(task), task.id));
  }
  return tasks;
}

absl::Status TenantJobStore::erase(const std::string& id) {
  RETURN_IF_ERROR(get(id).status());
  return jobs_->erase(id);
}

// ---- Batches.

absl::StatusOr<BatchRecord> TenantJobStore::shown(absl::StatusOr<BatchRecord> batch, const std::string& id) const {
  if (!batch.ok()) return batch;
  if (batch->tenant != tenant_) return batch_not_found(id);
  for (std::string& blob : batch->blobs) blob = split_owned(blob).name;
  return batch;
}

absl::Status TenantJobStore::need_batch(const std::string& id) { return get_batch(id).status(); }

absl::StatusOr<BatchRecord> TenantJobStore::submit_batch(const BatchRecord& record) {
  BatchRecord batch = record;
  batch.tenant = tenant_;
  for (std::string& blob : batch.blobs) blob = owned_name(tenant_, blob);
  return shown(jobs_->submit_batch(batch), record.id);
}

absl::StatusOr<BatchRecord> TenantJobStore::get_batch(const std::string& id) { return shown(jobs_->get_batch(id), id); }

absl::StatusOr<std::vector<BatchRecord>> TenantJobStore::list_batches(const std::string&,
                                                                      const std::optional<TaskCursor>& after,
                                                                      int limit) {
  ASSIGN_OR_RETURN(std::vector<BatchRecord> batches, jobs_->list_batches(tenant_, after, limit));
  for (BatchRecord& batch : batches) {
    ASSIGN_OR_RETURN(batch, shown(std::move(batch), batch.id));
  }
  return batches;
}

absl::StatusOr<std::vector<std::string>> TenantJobStore::live_batches() { return jobs_->live_batches(); }

absl::StatusOr<BatchRecord> TenantJobStore::move_batch(const std::string& id, BatchEvent event) {
  RETURN_IF_ERROR(need_batch(id));
  return shown(jobs_->move_batch(id, event), id);
}

absl::StatusOr<BatchRecord> TenantJobStore::advance_batch(const std::string& id, const BatchStep& step) {
  RETURN_IF_ERROR(need_batch(id));
  BatchStep ours = step;
  for (BatchStep::Item& item : ours.items) {
    if (item.task) item.task = owned(*std::move(item.task));
  }
  return shown(jobs_->advance_batch(id, ours), id);
}

absl::StatusOr<BatchRecord> TenantJobStore::settle_batch(const std::string& id) {
  RETURN_IF_ERROR(need_batch(id));
  return shown(jobs_->settle_batch(id), id);
}

absl::StatusOr<std::vector<BatchItem>> TenantJobStore::batch_items(const std::string& id, int64_t from, int limit,
                                                                   std::optional<ItemOutcome> outcome) {
  RETURN_IF_ERROR(need_batch(id));
  return jobs_->batch_items(id, from, limit, outcome);
}

absl::Status TenantJobStore::erase_batch(const std::string& id) {
  RETURN_IF_ERROR(need_batch(id));
  return jobs_->erase_batch(id);
}

absl::StatusOr<Seal> TenantJobStore::keep_seal(const Seal& seal) { return jobs_->keep_seal(seal); }
absl::StatusOr<std::optional<Seal>> TenantJobStore::find_seal(const std::string& name) {
  return jobs_->find_seal(name);
}
absl::Status TenantJobStore::forget_seal(const std::string& name) { return jobs_->forget_seal(name); }
absl::StatusOr<std::vector<std::string>> TenantJobStore::unneeded_seals(int64_t before_us, int limit) {
  return jobs_->unneeded_seals(before_us, limit);
}

}  // namespace tryon
