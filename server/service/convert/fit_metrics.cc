#include "server/service/convert/fit_metrics.h"

#include <string>

#include "server/service/convert/summary.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

v1::GirthFit girth_of(const Json& json, const std::string& item) {
  v1::GirthFit out;
  out.set_item(item);
  out.set_level_m(number(json, "/level_m"));
  out.set_body_mm(number(json, "/body_mm"));
  out.set_garment_mm(number(json, "/garment_mm"));
  out.set_rest_mm(number(json, "/rest_mm"));
  out.set_ease_mm(number(json, "/ease_mm"));
  out.set_ease_percent(number(json, "/ease_percent"));
  out.set_rest_ease_mm(number(json, "/rest_ease_mm"));
  out.set_rest_ease_percent(number(json, "/rest_ease_percent"));
  if (json.contains("body_there_mm")) out.set_body_there_mm(number(json, "/body_there_mm"));
  if (json.contains("room_mm")) out.set_room_mm(number(json, "/room_mm"));
  return out;
}

v1::StrainRange strain_of(const Json& json) {
  v1::StrainRange out;
  out.set_p50_ratio(number(json, "/p50"));
  out.set_p95_ratio(number(json, "/p95"));
  out.set_max_ratio(number(json, "/max"));
  out.set_of_limit_ratio(number(json, "/of_limit"));
  return out;
}

v1::ContactPressure pressure_of(const Json& json) {
  v1::ContactPressure out;
  out.set_mean_pa(number(json, "/mean"));
  out.set_p95_pa(number(json, "/p95"));
  out.set_max_pa(number(json, "/max"));
  return out;
}

v1::FitThresholds thresholds_of(const Json& json) {
  v1::FitThresholds out;
  out.set_tight_above_pressure_pa(number(json, "/tight_above_pressure_pa"));
  out.set_tight_above_strain_of_limit_ratio(number(json, "/tight_above_strain_of_limit"));
  if (json.contains("rest_ease_percent")) {
    out.set_ease_tight_below_percent(number(json, "/rest_ease_percent/tight_below"));
    out.set_ease_fitted_below_percent(number(json, "/rest_ease_percent/fitted_below"));
    out.set_ease_regular_below_percent(number(json, "/rest_ease_percent/regular_below"));
  }
  if (json.contains("mean_distance_mm")) {
    out.set_distance_fitted_below_mm(number(json, "/mean_distance_mm/fitted_below"));
    out.set_distance_regular_below_mm(number(json, "/mean_distance_mm/regular_below"));
  }
  return out;
}

v1::SeamTension seam_of(const Json& json) {
  v1::SeamTension out;
  out.set_name(word(json, "/name"));
  out.set_length_mm(number(json, "/length_mm"));
  out.set_mean_n_per_m(number(json, "/mean"));
  out.set_p95_n_per_m(number(json, "/p95"));
  out.set_max_n_per_m(number(json, "/max"));
  return out;
}

v1::GarmentOpening opening_of(const Json& json) {
  v1::GarmentOpening out;
  out.set_kind(word(json, "/kind"));
  out.set_length_mm(number(json, "/length_mm"));
  out.set_rest_mm(number(json, "/rest_mm"));
  out.set_level_m(number(json, "/level_m"));
  out.set_uneven_mm(number(json, "/uneven_mm"));
  return out;
}

v1::HemFit hem_of(const Json& json) {
  v1::HemFit out;
  out.set_level_m(number(json, "/hem/level_m"));
  out.set_lowest_m(number(json, "/hem/lowest_m"));
  out.set_highest_m(number(json, "/hem/highest_m"));
  out.set_drop_mm(number(json, "/hem/drop_mm"));
  out.set_fold_count(static_cast<int>(number(json, "/folds/count")));
  out.set_fold_mean_depth_mm(number(json, "/folds/mean_depth_mm"));
  out.set_fold_max_depth_mm(number(json, "/folds/max_depth_mm"));
  return out;
}

Json part(const Json& json, const char* pointer) {
  const Json::json_pointer p(pointer);
  return json.contains(p) ? json[p] : Json::object();
}

template <typename Add>
void each_of(const Json& json, const char* pointer, Add add) {
  const Json list = part(json, pointer);
  if (!list.is_array()) return;
  for (const Json& item : list) {
    if (item.is_object()) add(item);
  }
}

}  // namespace

v1::FitVerdict to_verdict(std::string_view name) {
  if (name == "tight") return v1::FIT_VERDICT_TIGHT;
  if (name == "fitted") return v1::FIT_VERDICT_FITTED;
  if (name == "regular") return v1::FIT_VERDICT_REGULAR;
  return name == "loose" ? v1::FIT_VERDICT_LOOSE : v1::FIT_VERDICT_UNSPECIFIED;
}

v1::ZoneFit to_zone_fit(const Json& json) {
  v1::ZoneFit out;
  out.set_zone(word(json, "/name"));
  out.set_verdict(to_verdict(word(json, "/verdict")));
  out.set_because(word(json, "/because"));
  out.set_coverage_ratio(number(json, "/coverage"));
  out.set_cloth_area_m2(number(json, "/area_m2"));
  if (json.contains("ease")) *out.mutable_girth() = girth_of(json["ease"], word(json, "/ease/item"));
  v1::DistanceRange* distance = out.mutable_distance();
  distance->set_min_mm(number(json, "/distance_mm/min"));
  distance->set_mean_mm(number(json, "/distance_mm/mean"));
  distance->set_p5_mm(number(json, "/distance_mm/p5"));
  distance->set_p95_mm(number(json, "/distance_mm/p95"));
  *out.mutable_warp() = strain_of(part(json, "/strain/warp"));
  *out.mutable_weft() = strain_of(part(json, "/strain/weft"));
  *out.mutable_bias() = strain_of(part(json, "/strain/bias"));
  *out.mutable_pressure() = pressure_of(part(json, "/pressure_pa"));
  out.set_contact_ratio(number(json, "/contact_share"));
  *out.mutable_thresholds() = thresholds_of(part(json, "/thresholds"));
  return out;
}

v1::FitMetrics to_fit_metrics(const Json& json) {
  v1::FitMetrics out;
  if (const Json ease = part(json, "/ease"); ease.is_object()) {
    for (const auto& [item, girth] : ease.items()) *out.add_girths() = girth_of(girth, item);
  }
  each_of(json, "/zones", [&](const Json& zone) { *out.add_zones() = to_zone_fit(zone); });
  out.set_coverage_ratio(number(json, "/coverage/body"));
  *out.mutable_pressure() = pressure_of(part(json, "/pressure_pa"));
  out.set_contact_area_m2(number(json, "/contact_force/area_m2"));
  out.set_carried_n(number(json, "/contact_force/carried_n"));
  out.set_weight_n(number(json, "/contact_force/weight_n"));
  if (part(json, "/contact_force").contains("unbalanced_moment"))
    out.set_unbalanced_moment_ratio(number(json, "/contact_force/unbalanced_moment"));
  if (json.contains("seam_tension_n_per_m")) *out.mutable_seam_tension() = seam_of(json["seam_tension_n_per_m"]);
  each_of(json, "/seam_tension_n_per_m/by_seam", [&](const Json& seam) { *out.add_seams() = seam_of(seam); });
  each_of(json, "/openings", [&](const Json& opening) { *out.add_openings() = opening_of(opening); });
  out.set_slipped_mm(number(json, "/slipped_mm"));
  if (json.contains("hem")) *out.mutable_hem() = hem_of(json);
  if (json.contains("drape_coefficient")) out.set_drape_coefficient_ratio(number(json, "/drape_coefficient"));
  out.set_cloth_area_m2(number(json, "/area_m2/cloth"));
  out.set_rest_area_m2(number(json, "/area_m2/rest"));
  out.set_comfortable_warp_ratio(number(json, "/comfortable_strain/warp"));
  out.set_comfortable_weft_ratio(number(json, "/comfortable_strain/weft"));
  out.set_comfortable_bias_ratio(number(json, "/comfortable_strain/bias"));
  out.set_strain_bias_p95_ratio(number(json, "/strain/bias/p95"));
  return out;
}

namespace {

v1::SizeZone size_zone_of(const Json& json) {
  v1::SizeZone out;
  out.set_zone(word(json, "/zone"));
  out.set_verdict(to_verdict(word(json, "/verdict")));
  out.set_because(word(json, "/because"));
  out.set_weight(number(json, "/weight"));
  out.set_cost(number(json, "/cost"));
  out.set_body_mm(number(json, "/body_mm"));
  out.set_rest_ease_mm(number(json, "/rest_ease_mm"));
  out.set_intended_ease_mm(number(json, "/intended_ease_mm"));
  out.set_strain_of_limit_ratio(number(json, "/strain_of_limit"));
  out.set_pressure_mean_pa(number(json, "/pressure_mean_pa"));
  return out;
}

v1::SizeCandidate candidate_of(const Json& json) {
  v1::SizeCandidate out;
  out.set_size(word(json, "/size"));
  out.set_rank(static_cast<int>(number(json, "/rank")));
  out.set_misfit(number(json, "/misfit"));
  out.set_grade(word(json, "/grade"));
  out.set_falls_off(json.value("falls_off", false));
  add_words(json, "/says", [&](const std::string& text) { out.add_says(text); });
  each_of(json, "/zones", [&](const Json& zone) { *out.add_zones() = size_zone_of(zone); });
  return out;
}

}  // namespace

v1::SizeAdvice to_size_advice(const TaskRecord& task) {
  v1::SizeAdvice out;
  out.set_state(to_state(task.state));
  add_artifacts(task, &out);
  if (task.state != TaskState::kSucceeded) return out;
  const Json json = summary_of(task);
  out.set_advised_size(word(json, "/advised"));
  out.set_confidence_ratio(number(json, "/confidence"));
  out.set_runner_up_size(word(json, "/runner_up"));
  add_words(json, "/says", [&](const std::string& text) { out.add_says(text); });
  each_of(json, "/sizes", [&](const Json& size) { *out.add_sizes() = candidate_of(size); });
  if (!json.contains("chart")) return out;
  out.mutable_chart()->set_size(word(json, "/chart/size"));
  out.mutable_chart()->set_by(word(json, "/chart/by"));
  out.mutable_chart()->set_agrees(truth(json, "/chart/agrees"));
  out.mutable_chart()->set_why(word(json, "/chart/why"));
  return out;
}

}  // namespace tryon
