#include "server/service/convert/resources.h"

#include <algorithm>
#include <string>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/service/error_map.h"
#include "tryon/v1/operation.pb.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

std::string target_name(const TaskRecord& task) {
  return (task.kind == "body" ? "bodies/" : task.kind == "garment" ? "garments/" : "drapes/") + task.id;
}

v1::TaskState to_state(TaskState state) {
  switch (state) {
    case TaskState::kQueued:
      return v1::TASK_STATE_QUEUED;
    case TaskState::kRunning:
      return v1::TASK_STATE_RUNNING;
    case TaskState::kSucceeded:
      return v1::TASK_STATE_SUCCEEDED;
    case TaskState::kFailed:
      return v1::TASK_STATE_FAILED;
    case TaskState::kCancelled:
      return v1::TASK_STATE_CANCELLED;
  }
  return v1::TASK_STATE_UNSPECIFIED;
}

template <typename Resource>
void add_artifacts(const TaskRecord& task, Resource* out) {
  for (const auto& [name, blob] : task.outputs) {
    v1::Artifact* artifact = out->add_artifacts();
    artifact->set_file_name(name);
    artifact->set_sha256(blob.digest);
    artifact->set_size_bytes(blob.size);
    artifact->set_media_type(blob.media_type);
  }
}

Json summary_of(const TaskRecord& task) {
  Json json = Json::parse(task.summary, nullptr, false);
  return json.is_object() ? json : Json::object();
}

double number(const Json& json, const char* pointer) {
  const Json::json_pointer p(pointer);
  return json.contains(p) && json[p].is_number() ? json[p].get<double>() : 0.0;
}

std::string word(const Json& json, const char* pointer) {
  const Json::json_pointer p(pointer);
  return json.contains(p) && json[p].is_string() ? json[p].get<std::string>() : std::string();
}

v1::OperationMetadata metadata_of(const TaskRecord& task, int64_t now_us) {
  v1::OperationMetadata out;
  out.set_target(target_name(task));
  out.set_state(to_state(task.state));
  out.set_stage(task.stage);
  out.set_stage_fraction(task.fraction);
  out.set_attempt_count(task.attempt);
  const int64_t end = is_final(task.state) ? task.finished_us : now_us;
  if (task.started_us > 0) out.set_elapsed_seconds(std::max(0.0, static_cast<double>(end - task.started_us) * 1e-6));
  out.mutable_create_time()->set_seconds(task.created_us / 1'000'000);
  out.mutable_create_time()->set_nanos(static_cast<int>(task.created_us % 1'000'000) * 1000);
  return out;
}

absl::Status failure_of(const TaskRecord& task) {
  if (task.state == TaskState::kCancelled) {
    return make_error(absl::StatusCode::kCancelled, "CANCELLED", "", "the work was cancelled",
                      "Submit the request again if it is still wanted.");
  }
  const absl::Status status = decode_status(task.status);
  return status.ok() ? internal_fault("the task failed without a reason") : status;
}

}  // namespace

google::longrunning::Operation to_operation(const TaskRecord& task, int64_t now_us) {
  google::longrunning::Operation out;
  out.set_name("operations/" + task.id);
  out.mutable_metadata()->PackFrom(metadata_of(task, now_us));
  out.set_done(is_final(task.state));
  if (!out.done()) return out;
  if (task.state != TaskState::kSucceeded) {
    *out.mutable_error() = to_rpc_status(failure_of(task));
  } else if (task.kind == "body") {
    out.mutable_response()->PackFrom(to_body(task));
  } else if (task.kind == "garment") {
    out.mutable_response()->PackFrom(to_garment(task));
  } else {
    out.mutable_response()->PackFrom(to_drape(task));
  }
  return out;
}

v1::Body to_body(const TaskRecord& task) {
  v1::Body out;
  out.set_name(target_name(task));
  out.set_state(to_state(task.state));
  add_artifacts(task, &out);
  const Json json = summary_of(task);
  out.set_height_m(number(json, "/height_m"));
  const auto measurements = json.find("measurements");
  if (measurements == json.end() || !measurements->is_object()) return out;
  for (const auto& [name, value] : measurements->items()) {
    if (value.is_number()) (*out.mutable_measurements_mm())[name] = value.get<double>();
  }
  return out;
}

v1::Garment to_garment(const TaskRecord& task) {
  v1::Garment out;
  out.set_name(target_name(task));
  out.set_state(to_state(task.state));
  add_artifacts(task, &out);
  const Json json = summary_of(task);
  if (json.contains("panels")) out.set_panel_count(static_cast<int>(json["panels"].size()));
  if (json.contains("seams")) out.set_seam_count(static_cast<int>(json["seams"].size()));
  return out;
}

v1::Drape to_drape(const TaskRecord& task) {
  v1::Drape out;
  out.set_name(target_name(task));
  out.set_state(to_state(task.state));
  add_artifacts(task, &out);
  if (task.state != TaskState::kSucceeded) return out;
  out.set_settled(task.settled);
  const Json json = summary_of(task);
  v1::DrapeMetrics* m = out.mutable_metrics();
  m->set_vertex_count(static_cast<int>(number(json, "/mesh/vertices")));
  m->set_triangle_count(static_cast<int>(number(json, "/mesh/triangles")));
  m->set_termination(word(json, "/equilibrium/termination"));
  m->set_grade(word(json, "/equilibrium/grade"));
  m->set_residual_max_ratio(number(json, "/equilibrium/residual_max"));
  m->set_residual_rms_ratio(number(json, "/equilibrium/residual_rms"));
  m->set_seam_max_gap_mm(number(json, "/seams/max_gap_mm"));
  m->set_penetration_max_depth_mm(number(json, "/penetration/max_depth_mm"));
  m->set_self_intersection_count(static_cast<int>(number(json, "/self_intersections")));
  m->set_strain_warp_p95_ratio(number(json, "/strain/warp/p95"));
  m->set_strain_weft_p95_ratio(number(json, "/strain/weft/p95"));
  m->set_total_seconds(number(json, "/timing_s/total"));
  m->set_result_digest(word(json, "/engine/result_digest"));
  return out;
}

}  // namespace tryon
