#include "server/service/core.h"

#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr absl::Duration kWatchSlice = absl::Milliseconds(200);  // how soon a stop or a lost client is noticed

}  // namespace

absl::Status ServiceCore::need_blob(const std::string& digest, std::string_view field) {
  if (digest.empty() || blobs_->blob_size(digest).ok()) return absl::OkStatus();
  return make_error(absl::StatusCode::kFailedPrecondition, "BLOB_MISSING", field,
                    cat("the file with SHA-256 ", digest, " has not been uploaded"),
                    "Upload it through google.bytestream.ByteStream, then send the request again.");
}

absl::StatusOr<TaskRecord> ServiceCore::submit(const std::string& id, const std::string& kind, std::string spec,
                                               absl::Duration time_limit) {
  TaskRecord task;
  task.id = id;
  task.kind = kind;
  task.spec = std::move(spec);
  if (time_limit > absl::ZeroDuration()) task.deadline_us = absl::ToUnixMicros(absl::Now() + time_limit);
  return jobs_->submit(task);
}

absl::StatusOr<TaskRecord> ServiceCore::create_body(const BodyRequest& request) {
  RETURN_IF_ERROR(need_blob(request.blob, "source.mesh_sha256"));
  return submit(digest(request), "body", to_json(request), absl::ZeroDuration());
}

absl::StatusOr<TaskRecord> ServiceCore::create_garment(const GarmentRequest& request) {
  RETURN_IF_ERROR(need_blob(request.blob, "source.pattern_sha256"));
  return submit(digest(request), "garment", to_json(request), absl::ZeroDuration());
}

absl::StatusOr<TaskRecord> ServiceCore::create_drape(const std::string& body, const std::string& garment,
                                                     const DrapeSettings& settings, absl::Duration time_limit) {
  ASSIGN_OR_RETURN(const TaskRecord body_task, find(body, "body", "BODY_NOT_FOUND"));
  ASSIGN_OR_RETURN(const TaskRecord garment_task, find(garment, "garment", "GARMENT_NOT_FOUND"));
  DrapeRequest request;
  ASSIGN_OR_RETURN(request.body, body_request_from_json(body_task.spec));
  ASSIGN_OR_RETURN(request.garment, garment_request_from_json(garment_task.spec));
  request.settings = settings;
  RETURN_IF_ERROR(need_blob(request.body.blob, "body"));
  RETURN_IF_ERROR(need_blob(request.garment.blob, "garment"));
  return submit(digest(request), "drape", to_json(request), time_limit);
}

absl::StatusOr<TaskRecord> ServiceCore::find(const std::string& id, const std::string& kind, std::string_view reason) {
  auto task = jobs_->get(id);
  if (task.ok() && (kind.empty() || task->kind == kind)) return task;
  if (!task.ok() && task.status().code() != absl::StatusCode::kNotFound) return task.status();
  return make_error(absl::StatusCode::kNotFound, reason, "name", "there is nothing of that name",
                    "Create it first; the name is in the operation's metadata.");
}

absl::Status ServiceCore::cancel(const std::string& id) {
  ASSIGN_OR_RETURN(const TaskRecord task, find(id, "", "OPERATION_NOT_FOUND"));
  if (is_final(task.state)) return absl::OkStatus();
  const auto cancelled = jobs_->apply(id, CancelRequested{});
  // It may have ended between the look and the word: that is no error of the caller's.
  return cancelled.status().code() == absl::StatusCode::kFailedPrecondition ? absl::OkStatus() : cancelled.status();
}

absl::Status ServiceCore::watch(const std::string& id, const std::function<bool(const TaskRecord&)>& tell,
                                const std::function<bool()>& abandoned) {
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
    ASSIGN_OR_RETURN(task, jobs_->wait(id, told, kWatchSlice));
  }
}

void ServiceCore::join(const std::string& id) {
  std::lock_guard lock(mutex_);
  ++owners_[id];
}

void ServiceCore::leave(const std::string& id, bool finished) {
  bool last = false;
  {
    std::lock_guard lock(mutex_);
    last = --owners_[id] <= 0;
    if (last) owners_.erase(id);
  }
  // A server that stops leaves the work in the queue: only a caller's leaving cancels it.
  if (last && !finished && !stopping()) (void)cancel(id);
}

void ServiceCore::stop() { stopping_.cancel(); }
bool ServiceCore::stopping() const { return stopping_.cancelled(); }

}  // namespace tryon
