#include "server/service/convert/resources.h"

#include <algorithm>
#include <set>
#include <string>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/body/body_from_measurements.h"
#include "server/body/items.h"
#include "server/service/convert/fabrics.h"
#include "server/service/convert/fit_metrics.h"
#include "server/service/convert/garments.h"
#include "server/service/convert/summary.h"
#include "server/service/convert/trust_metrics.h"
#include "server/service/error_map.h"
#include "tryon/v1/operation.pb.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

v1::ScanReport scan_report(const Json& json) {
  v1::ScanReport out;
  out.set_unit(word(json, "/source/unit"));
  out.set_up_axis(word(json, "/source/up_axis"));
  out.set_facing(word(json, "/source/facing"));
  out.set_metres_per_unit(number(json, "/source/scale_m"));
  out.set_unit_declared(truth(json, "/source/unit_declared"));
  out.set_up_axis_declared(truth(json, "/source/up_axis_declared"));
  out.set_facing_declared(truth(json, "/source/facing_declared"));
  out.set_pose_declared(truth(json, "/source/pose_declared"));
  out.set_pose(word(json, "/pose"));
  out.set_point_count(static_cast<int64_t>(number(json, "/source/point_count")));
  out.set_filled_ratio(number(json, "/source/filled_ratio"));
  add_words(json, "/source/healed", [&](const std::string& text) { out.add_healed(text); });
  add_words(json, "/source/completed", [&](const std::string& text) { out.add_completed(text); });
  return out;
}

void add_outcome(const Json& json, v1::Body* out) {
  const auto items = json.find("outcome");
  if (items == json.end() || !items->is_object()) return;
  for (const auto& [name, item] : items->items()) {
    v1::MeasurementOutcome& to = (*out->mutable_outcome())[name];
    to.set_wanted_mm(number(item, "/wanted_mm"));
    to.set_achieved_mm(number(item, "/achieved_mm"));
    to.set_predicted(truth(item, "/predicted"));
    to.set_deviation_mm(number(item, "/deviation_mm"));
  }
}

v1::ProxySummary proxy_summary(const Json& json) {
  v1::ProxySummary out;
  out.set_shape(word(json, "/proxy_shape") == "circular" ? v1::PROXY_SHAPE_CIRCULAR : v1::PROXY_SHAPE_ELLIPTIC);
  out.set_proxy_count(static_cast<int>(number(json, "/summary/proxy_count")));
  out.set_girth_error_p95_ratio(number(json, "/summary/girth_error_p95"));
  out.set_mean_gap_mm(number(json, "/summary/mean_gap_mm"));
  out.set_uncovered_vertex_count(static_cast<int>(number(json, "/summary/uncovered_vertices")));
  return out;
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
  set_create_time(task, out.mutable_create_time());
  if (is_final(task.state)) return out;
  for (const auto& [name, blob] : task.outputs) set_artifact(name, blob, out.add_files());
  return out;
}

}  // namespace

absl::Status failure_of(const TaskRecord& task) {
  if (task.state == TaskState::kCancelled) {
    return make_error(absl::StatusCode::kCancelled, "CANCELLED", "", "the work was cancelled",
                      "Submit the request again if it is still wanted.");
  }
  const absl::Status status = decode_status(task.status);
  return status.ok() ? internal_fault("the task failed without a reason") : status;
}

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
  } else if (task.kind == "garment" || task.kind == "check") {
    out.mutable_response()->PackFrom(to_garment(task));
  } else if (task.kind == "fabric" || task.kind == "fabric_check") {
    out.mutable_response()->PackFrom(to_fabric(task));
  } else if (task.kind == "advice") {
    out.mutable_response()->PackFrom(to_size_advice(task));
  } else {
    out.mutable_response()->PackFrom(to_drape(task));
  }
  return out;
}

v1::Body to_listed_body(const TaskRecord& task) {
  v1::Body out;
  out.set_name(target_name(task));
  out.set_state(to_state(task.state));
  set_create_time(task, out.mutable_create_time());
  const Json json = summary_of(task);
  out.set_height_m(number(json, "/height_m"));
  out.set_pose(word(json, "/pose"));
  out.set_has_head_and_hands(truth(json, "/has_head_and_hands"));
  return out;
}

v1::Body to_body(const TaskRecord& task) {
  v1::Body out = to_listed_body(task);
  add_artifacts(task, &out);
  if (task.state != TaskState::kSucceeded) return out;
  const Json json = summary_of(task);
  *out.mutable_source() = scan_report(json);
  *out.mutable_proxies() = proxy_summary(json);
  for (const auto& [name, value] : numbers(json, "measurements")) (*out.mutable_measurements_mm())[name] = value;
  for (const auto& [name, value] : numbers(json, "levels_m")) (*out.mutable_measurement_level_m())[name] = value;
  add_outcome(json, &out);
  const auto landmarks = json.find("landmarks");
  if (landmarks == json.end() || !landmarks->is_object()) return out;
  for (const auto& [name, at] : landmarks->items()) {
    if (!at.is_array() || at.size() != 3) continue;
    v1::Point& point = (*out.mutable_landmarks())[name];
    point.set_x_m(number(at, "/0")), point.set_y_m(number(at, "/1")), point.set_z_m(number(at, "/2"));
  }
  return out;
}

v1::ListMeasurementItemsResponse listed_measurement_items() {
  v1::ListMeasurementItemsResponse out;
  std::set<std::string> asked_for = {"height"};
  for (const BodyTableItem& item : body_table_items(FigureType::kNeutral)) asked_for.insert(item.name);
  for (const MeasurementItem& item : measurement_items()) {
    v1::MeasurementItem* to = out.add_items();
    to->set_name(std::string(item.name));
    to->set_standard_name(std::string(item.standard));
    to->set_definition(std::string(item.definition));
    to->set_kind(std::string(item_kind_name(item.kind)));
    to->set_paired(item.paired);
    to->set_can_be_asked_for(asked_for.count(to->name()) > 0);
  }
  return out;
}

v1::Drape to_drape(const TaskRecord& task) {
  v1::Drape out;
  out.set_name(target_name(task));
  out.set_state(to_state(task.state));
  if (is_final(task.state)) add_artifacts(task, &out);
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
  m->set_body_yielded_mm(number(json, "/penetration/yielded_mm"));
  m->set_carried(truth(json, "/carried"));
  m->set_self_intersection_count(static_cast<int>(number(json, "/self_intersections")));
  m->set_strain_warp_p95_ratio(number(json, "/strain/warp/p95"));
  m->set_strain_weft_p95_ratio(number(json, "/strain/weft/p95"));
  m->set_total_seconds(number(json, "/timing_s/total"));
  m->set_result_digest(word(json, "/engine/result_digest"));
  add_trust_metrics(json, m);
  *out.mutable_fit() = to_fit_metrics(json);
  return out;
}

}  // namespace tryon
