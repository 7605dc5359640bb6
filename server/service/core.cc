#include "server/service/core.h"

#include <utility>

#include "absl/time/clock.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/pipeline.h"
#include "server/drape/size_advice.h"
#include "server/service/convert/names.h"
#include "server/store/release.h"

namespace tryon {
namespace {

constexpr char kScanField[] = "source.mesh_sha256";

TaskRecord new_task(const std::string& id, const std::string& kind, std::string spec) {
  TaskRecord task;
  task.id = id;
  task.kind = kind;
  task.spec = std::move(spec);
  return task;
}

TaskRecord with_input(TaskRecord task, const std::string& blob) {
  if (!blob.empty()) task.inputs.push_back(blob);
  return task;
}

TaskRecord body_task(const std::string& tenant, const BodyRequest& request) {
  TaskRecord task = with_input(new_task(owned_id(tenant, digest(request)), "body", to_json(request)), request.blob);
  task.keep_inputs = request.keep_scan;
  return task;
}

}  // namespace

absl::Status ServiceCore::need_blob(const std::string& digest, std::string_view field) {
  if (digest.empty()) return absl::OkStatus();
  const absl::Status found = blobs_.blob_size(digest).status();
  if (found.code() != absl::StatusCode::kNotFound) return found;
  return make_error(absl::StatusCode::kFailedPrecondition, "BLOB_MISSING", field,
                    cat("the file with SHA-256 ", digest, " has not been uploaded"),
                    "Upload it first through google.bytestream.ByteStream, then send the request again.");
}

absl::Status ServiceCore::room_for(const std::string& id) {
  ASSIGN_OR_RETURN(const JobStats stats, jobs_.stats());
  if (stats.queued < max_queued_ || jobs_.get(id).ok()) return absl::OkStatus();
  return make_error(absl::StatusCode::kUnavailable, "QUEUE_FULL", "",
                    cat(stats.queued, " tasks are waiting, which is all that this server takes"),
                    "Send the request again after a while.");
}

absl::StatusOr<TaskRecord> ServiceCore::submit(const TaskRecord& task) {
  RETURN_IF_ERROR(room_for(task.id));
  ASSIGN_OR_RETURN(TaskRecord now, jobs_.submit(task));
  if (!now.cancel_requested || is_final(now.state)) return now;
  return make_error(absl::StatusCode::kUnavailable, "CANCEL_PENDING", "", "the same work is just being cancelled",
                    "Send the request again in a moment: it will be done afresh.");
}

absl::StatusOr<TaskRecord> ServiceCore::look_at_body(const BodyRequest& request) {
  const TaskRecord task = body_task(tenant(), request);
  const auto there = jobs_.get(task.id);
  if (there.ok() && there->state == TaskState::kSucceeded) return there;
  RETURN_IF_ERROR(need_blob(request.blob, kScanField));
  return task;
}

absl::StatusOr<TaskRecord> ServiceCore::create_body(const BodyRequest& request) {
  ASSIGN_OR_RETURN(const TaskRecord before, look_at_body(request));
  if (before.state == TaskState::kSucceeded) {  // made already: a scan that was uploaded again is not needed again
    if (!request.blob.empty()) (void)erase_unneeded(all_jobs_, all_blobs_, owned_name(tenant(), request.blob));
    return before;
  }
  ASSIGN_OR_RETURN(TaskRecord now, submit(body_task(tenant(), request)));
  if (is_final(now.state)) return now;
  const absl::Status still = need_blob(request.blob, kScanField);
  if (still.ok()) return now;
  // Either it has been read and made meanwhile, or another body of the same scan was finished and took the scan along.
  ASSIGN_OR_RETURN(now, jobs_.get(now.id));
  if (now.state != TaskState::kQueued) return now;
  (void)cancel(now.id);
  return still;
}

absl::StatusOr<std::vector<TaskRecord>> ServiceCore::list_bodies(const std::optional<TaskCursor>& after, int limit) {
  return jobs_.list(tenant(), "body", after, limit);
}

absl::Status ServiceCore::delete_body(const std::string& id) {
  RETURN_IF_ERROR(find(id, "body", "BODY_NOT_FOUND").status());
  return delete_with_drapes(id);
}

absl::Status ServiceCore::delete_with_drapes(const std::string& id) {
  ASSIGN_OR_RETURN(const std::vector<std::string> drapes, jobs_.made_from(id));
  absl::Status waiting;
  for (const std::string& drape : drapes) {
    const absl::Status deleted = delete_task(drape);
    if (!deleted.ok()) waiting = deleted;
  }
  RETURN_IF_ERROR(waiting);
  return delete_task(id);
}

absl::Status ServiceCore::delete_task(const std::string& id) {
  RETURN_IF_ERROR(cancel(id));
  ASSIGN_OR_RETURN(const TaskRecord task, jobs_.get(id));
  if (!is_final(task.state)) {
    return make_error(absl::StatusCode::kUnavailable, "CANCEL_PENDING", "", "work on it is just being cancelled",
                      "Send the request again in a moment.");
  }
  RETURN_IF_ERROR(jobs_.erase(id));
  return erase_spent();
}

absl::StatusOr<TaskRecord> ServiceCore::create_garment(const GarmentRequest& request) {
  RETURN_IF_ERROR(need_blob(request.blob, "source.pattern_sha256"));
  RETURN_IF_ERROR(need_blob(request.seams_blob, "source.seams_sha256"));
  RETURN_IF_ERROR(need_blob(request.grading_blob, "source.grading_sha256"));
  RETURN_IF_ERROR(need_tailored_body(request));
  TaskRecord task = new_task(own_id(digest(request)), request.check_only ? "check" : "garment", to_json(request));
  if (request.draft) task.subject = request.draft->body;
  for (const std::string& blob : {request.blob, request.seams_blob, request.grading_blob}) {
    task = with_input(std::move(task), blob);
  }
  return submit(task);
}

absl::Status ServiceCore::need_tailored_body(const GarmentRequest& request) {
  if (!request.draft || request.draft->body.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const TaskRecord body, find(request.draft->body, "body", "BODY_NOT_FOUND"));
  if (body.state == TaskState::kSucceeded) return absl::OkStatus();
  return make_error(absl::StatusCode::kFailedPrecondition, "BODY_NOT_READY", "source.template.body",
                    "the body is not made yet, so nothing can be drafted for it",
                    "Wait until its operation is done, then send the request again.");
}

absl::StatusOr<std::vector<TaskRecord>> ServiceCore::list_garments(const std::optional<TaskCursor>& after, int limit) {
  return jobs_.list(tenant(), "garment", after, limit);
}

absl::Status ServiceCore::delete_garment(const std::string& id) {
  RETURN_IF_ERROR(find(id, "garment", "GARMENT_NOT_FOUND").status());
  return delete_with_drapes(id);
}

absl::StatusOr<TaskRecord> ServiceCore::create_fabric(const FabricRequest& request) {
  RETURN_IF_ERROR(need_blob(request.blob, "source.file_sha256"));
  const char* kind = request.check_only ? "fabric_check" : "fabric";
  return submit(with_input(new_task(own_id(digest(request)), kind, to_json(request)), request.blob));
}

absl::StatusOr<std::vector<TaskRecord>> ServiceCore::list_fabrics(const std::optional<TaskCursor>& after, int limit) {
  return jobs_.list(tenant(), "fabric", after, limit);
}

absl::Status ServiceCore::delete_fabric(const std::string& id) {
  RETURN_IF_ERROR(find(id, "fabric", "FABRIC_NOT_FOUND").status());
  return delete_task(id);
}

// A drape keeps the numbers, not the name: erasing the fabric changes nothing that was asked for.
absl::Status ServiceCore::read_fabric(DrapeSettings* settings) {
  const std::string id = own_fabric_id(settings->fabric);
  if (id.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const TaskRecord fabric, find(id, "fabric", "FABRIC_NOT_FOUND"));
  settings->fabric = fabric.state == TaskState::kSucceeded ? fabric_document(fabric.summary) : std::string();
  if (!settings->fabric.empty()) return absl::OkStatus();
  return make_error(absl::StatusCode::kFailedPrecondition, "FABRIC_NOT_READY", "fabric",
                    "the fabric is not made yet, or its file could not be read",
                    "Wait until its operation is done and look at its result, then send the request again.");
}

namespace {

// The same garment in another size.
absl::Status set_size(const std::string& size, GarmentRequest* garment) {
  if (size.empty()) return absl::OkStatus();
  if (!garment->draft) {
    garment->size = size;
    return absl::OkStatus();
  }
  if (!garment->draft->body.empty()) {
    return invalid_input("SETTINGS_CONFLICT", "size", "the garment is made to measure: it has no sizes",
                         "Leave the size out, or draft the template in a size.");
  }
  garment->draft->size = size;
  return absl::OkStatus();
}

// The file that a drape has left for others.
absl::StatusOr<std::string> worn_of(const TaskRecord& drape, const char* field) {
  const auto file = drape.outputs.find(kWornName);
  if (drape.state == TaskState::kSucceeded && file != drape.outputs.end()) return file->second.digest;
  return make_error(absl::StatusCode::kFailedPrecondition, "DRAPE_NOT_READY", field,
                    cat("the drape that `", field, "` names is not made yet, or did not succeed"),
                    "Wait until its operation is done, then send the request again.");
}

}  // namespace

absl::StatusOr<std::string> ServiceCore::worn_beneath(const std::string& drape, const std::string& body) {
  if (drape.empty()) return std::string();
  ASSIGN_OR_RETURN(const TaskRecord task, find(drape, "drape", "DRAPE_NOT_FOUND", "over"));
  if (task.subject == body) return worn_of(task, "over");
  return invalid_input("OUTFIT_OF_ANOTHER_BODY", "over", "the drape beneath lies on another body",
                       "Drape both garments on the same body.");
}

absl::StatusOr<std::string> ServiceCore::start_of(const std::string& drape, const std::string& body,
                                                  const DrapeRequest& request) {
  if (drape.empty()) return std::string();
  ASSIGN_OR_RETURN(const TaskRecord task, find(drape, "drape", "DRAPE_NOT_FOUND", "starts_from"));
  if (task.subject != body) return start_of_another_body();
  ASSIGN_OR_RETURN(const DrapeRequest from, drape_request_from_json(task.spec));
  if (digest(in_size(from.garment, "")) != digest(in_size(request.garment, ""))) return start_of_another_garment();
  return worn_of(task, "starts_from");
}

absl::StatusOr<TaskRecord> ServiceCore::plan_drape(const DrapeOrder& order) {
  ASSIGN_OR_RETURN(const TaskRecord body, find(order.body, "body", "BODY_NOT_FOUND"));
  ASSIGN_OR_RETURN(const TaskRecord garment, find(order.garment, "garment", "GARMENT_NOT_FOUND"));
  DrapeRequest request;
  ASSIGN_OR_RETURN(request.body, body_request_from_json(body.spec));
  ASSIGN_OR_RETURN(request.garment, garment_request_from_json(garment.spec));
  RETURN_IF_ERROR(set_size(order.size, &request.garment));
  request.settings = order.settings;
  RETURN_IF_ERROR(read_fabric(&request.settings));
  ASSIGN_OR_RETURN(request.over, worn_beneath(order.over, body.id));
  ASSIGN_OR_RETURN(request.starts_from, start_of(order.starts_from, body.id, request));
  // A body that is being made, is made or failed needs nothing more from the caller.
  if (body.state == TaskState::kCancelled) RETURN_IF_ERROR(need_blob(request.body.blob, "body"));
  RETURN_IF_ERROR(need_blob(request.garment.blob, "garment"));
  RETURN_IF_ERROR(need_blob(request.garment.seams_blob, "garment"));
  RETURN_IF_ERROR(need_blob(request.garment.grading_blob, "garment"));
  if (request.garment.draft && !request.garment.draft->body.empty() && request.garment.draft->body != body.id) {
    return invalid_input("GARMENT_OF_ANOTHER_BODY", "garment",
                         "the garment was made to measure for another body, whose shape it would give away",
                         "Draft the template for this body, or in a size.");
  }
  TaskRecord task = with_input(new_task(own_id(digest(request)), "drape", to_json(request)), request.garment.blob);
  task = with_input(task, request.garment.seams_blob);
  task = with_input(task, request.garment.grading_blob);
  task = with_input(task, request.over);
  task = with_input(task, request.starts_from);
  task.subject = body.id;
  task.garment = garment.id;
  if (order.time_limit <= absl::ZeroDuration()) return task;
  const auto unlimited = jobs_.get(task.id);
  if (unlimited.ok() && unlimited->state == TaskState::kSucceeded) return task;  // better than asked for, and at once
  task.id = sha256_hex(cat(task.id, " within ", absl::ToInt64Milliseconds(order.time_limit), " ms"));
  task.deadline_us = absl::ToUnixMicros(absl::Now() + order.time_limit);
  return task;
}

absl::StatusOr<TaskRecord> ServiceCore::create_drape(const DrapeOrder& order) {
  ASSIGN_OR_RETURN(const TaskRecord task, plan_drape(order));
  std::lock_guard lock(mutex_);
  const auto claim = claims_.find(task.id);
  if (claim != claims_.end()) claim->second.kept = true;
  return submit(task);
}

absl::StatusOr<TaskRecord> ServiceCore::create_advice(DrapeOrder order, const std::vector<std::string>& sizes) {
  const absl::Duration limit = std::exchange(order.time_limit, absl::ZeroDuration());
  ASSIGN_OR_RETURN(TaskRecord task, plan_drape(order));
  AdviceRequest request;
  ASSIGN_OR_RETURN(request.drape, drape_request_from_json(task.spec));
  request.sizes = sizes;
  task.kind = "advice";
  task.id = own_id(digest(request));
  task.spec = to_json(request);
  if (limit <= absl::ZeroDuration()) return submit(task);
  task.id = sha256_hex(cat(task.id, " within ", absl::ToInt64Milliseconds(limit), " ms"));
  task.deadline_us = absl::ToUnixMicros(absl::Now() + limit);
  return submit(task);
}

absl::StatusOr<TaskRecord> ServiceCore::join_drape(const DrapeOrder& order) {
  ASSIGN_OR_RETURN(const TaskRecord task, plan_drape(order));
  std::lock_guard lock(mutex_);
  const auto before = jobs_.get(task.id);
  ASSIGN_OR_RETURN(TaskRecord now, submit(task));
  const auto [claim, is_first] = claims_.try_emplace(task.id);
  if (is_first) claim->second.kept = before.ok() && !is_final(before->state);
  ++claim->second.callers;
  return now;
}

void ServiceCore::leave_drape(const std::string& id, bool finished) {
  std::lock_guard lock(mutex_);
  const auto claim = claims_.find(id);
  if (claim == claims_.end() || --claim->second.callers > 0) return;
  const bool kept = claim->second.kept;
  claims_.erase(claim);
  // A server that stops leaves the work in the queue: only a caller's leaving cancels it.
  if (!kept && !finished && !stopping()) (void)cancel(id);
}

absl::StatusOr<TaskRecord> ServiceCore::find(const std::string& id, const std::string& kind, std::string_view reason,
                                             std::string_view field) {
  auto task = jobs_.get(id);
  if (task.ok() && (kind.empty() || task->kind == kind)) return task;
  if (!task.ok() && task.status().code() != absl::StatusCode::kNotFound) return task.status();
  return make_error(absl::StatusCode::kNotFound, reason, field, "there is nothing of that name",
                    "Create it first; the name is in the operation's metadata.");
}

absl::Status ServiceCore::cancel(const std::string& id) {
  ASSIGN_OR_RETURN(const TaskRecord task, find(id, "", "OPERATION_NOT_FOUND"));
  if (is_final(task.state)) return absl::OkStatus();
  const auto cancelled = jobs_.apply(id, CancelRequested{});
  if (cancelled.ok() && is_final(cancelled->state)) (void)erase_spent();
  // It may have ended between the look and the word: that is no error of the caller's.
  return cancelled.status().code() == absl::StatusCode::kFailedPrecondition ? absl::OkStatus() : cancelled.status();
}

absl::Status ServiceCore::watch(const std::string& id, const std::function<bool(const TaskRecord&)>& tell,
                                absl::Duration look, const std::function<bool()>& abandoned) {
  ASSIGN_OR_RETURN(TaskRecord task, find(id, "", "OPERATION_NOT_FOUND"));
  int64_t told = -1;
  for (;;) {
    if (task.version != told && !tell(task)) return absl::CancelledError("the watcher left");
    told = task.version;
    if (is_final(task.state)) return absl::OkStatus();
    if (abandoned()) return absl::CancelledError("the watcher left");
    if (stopping()) {
      return make_error(absl::StatusCode::kUnavailable, "SERVER_STOPPING", "", "the server is stopping",
                        "Watch the same operation again in a moment: the work goes on.");
    }
    ASSIGN_OR_RETURN(task, jobs_.wait(id, told, {look, [&] { return abandoned() || stopping(); }}));
  }
}

absl::Status ServiceCore::erase_spent() { return erase_spent_blobs(all_jobs_, all_blobs_); }
bool ServiceCore::stopping() const { return stopping_.cancelled(); }

}  // namespace tryon
