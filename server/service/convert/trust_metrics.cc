#include "server/service/convert/trust_metrics.h"

#include "server/service/convert/summary.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

int count(const Json& json, const char* pointer) { return static_cast<int>(number(json, pointer)); }

void set_penetration(const Json& json, v1::PenetrationMetrics* out) {
  out->set_sample_count(count(json, "/samples"));
  out->set_deepest_mm(number(json, "/deepest_mm"));
  out->set_mean_depth_mm(number(json, "/mean_depth_mm"));
  out->set_deeper_area_ratio(number(json, "/share"));
  out->set_volume_cm3(number(json, "/volume_cm3"));
  if (json.contains("samples_in_proxies_too")) out->set_in_proxies_too_count(count(json, "/samples_in_proxies_too"));
}

void set_percentiles(const Json& json, v1::Percentiles* out) {
  out->set_p50(number(json, "/p50"));
  out->set_p95(number(json, "/p95"));
  out->set_p99(number(json, "/p99"));
  out->set_max(number(json, "/max"));
}

void set_stretch(const Json& strain, const Json& tension, v1::StretchMetrics* out) {
  set_percentiles(strain["first"], out->mutable_first_ratio());
  set_percentiles(strain.value("second", Json::object()), out->mutable_second_ratio());
  set_percentiles(strain.value("shear_deg", Json::object()), out->mutable_shear_deg());
  out->set_area_min_ratio(number(strain, "/area_ratio_min"));
  if (tension.contains("max")) out->set_line_tension_max_n_per_m(number(tension, "/max"));
  if (tension.contains("own_weight")) out->set_own_weight_n_per_m(number(tension, "/own_weight"));
}

void set_seam_strain(const Json& json, v1::SeamStrain* out) {
  out->set_p95_ratio(number(json, "/p95"));
  out->set_max_ratio(number(json, "/max"));
  out->set_side_max_ratio(number(json, "/side_max"));
  out->set_length_mm(number(json, "/length_mm"));
}

void set_seams(const Json& json, v1::SeamMetrics* out) {
  out->set_mean_gap_mm(number(json, "/mean_gap_mm"));
  if (json.contains("mean_gap_before_weld_mm"))
    out->set_mean_gap_before_weld_mm(number(json, "/mean_gap_before_weld_mm"));
  if (json.contains("strain_along")) set_seam_strain(json["strain_along"], out->mutable_strain());
  if (json.contains("gathered_strain_along"))
    set_seam_strain(json["gathered_strain_along"], out->mutable_gathered_strain());
}

void set_motion(const Json& json, v1::MotionMetrics* out) {
  out->set_frame_count(count(json, "/frames"));
  out->set_frame_seconds(number(json, "/frame_seconds"));
  out->set_self_intersection_max_count(count(json, "/self_intersections_max"));
  out->set_self_intersection_frame_count(count(json, "/self_intersections_frames"));
  out->set_self_intersection_max_at_seconds(number(json, "/self_intersections_max_at_s"));
  if (json.contains("end_speed_p99_5_mm_per_s"))
    out->set_end_speed_p99_5_mm_per_s(number(json, "/end_speed_p99_5_mm_per_s"));
  if (json.contains("end_kinetic_energy_j_per_kg"))
    out->set_end_kinetic_energy_j_per_kg(number(json, "/end_kinetic_energy_j_per_kg"));
}

// A part of the summary, if a figure of it that is newer than the part was measured.
Json part_with(const Json& metrics, const char* name, const char* figure) {
  const auto found = metrics.find(name);
  return found != metrics.end() && found->contains(figure) ? *found : Json();
}

}  // namespace

void add_trust_metrics(const Json& metrics, v1::DrapeMetrics* out) {
  const Json depth = part_with(metrics, "penetration", "samples"), strain = part_with(metrics, "strain", "first"),
             seams = part_with(metrics, "seams", "mean_gap_mm"),
             motion = part_with(metrics, "motion", "self_intersections_max");
  if (!depth.is_null()) set_penetration(depth, out->mutable_penetration());
  if (!strain.is_null())
    set_stretch(strain, metrics.value("line_tension_n_per_m", Json::object()), out->mutable_stretch());
  if (!seams.is_null()) set_seams(seams, out->mutable_seams());
  if (!motion.is_null()) set_motion(motion, out->mutable_motion());
}

}  // namespace tryon
