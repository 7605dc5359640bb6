// A FitReport as keys of metrics.json (tryon.metrics.v1).
#include <algorithm>
#include <cmath>

#include "nlohmann/json.hpp"
#include "server/base/units.h"
#include "server/drape/measure_fit.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

double metres(double value) { return std::round(1e4 * value) / 1e4; }
double mm(double value_mm) { return std::round(10.0 * value_mm) / 10.0; }
double percent(double ratio) { return std::round(1000.0 * ratio) / 10.0; }
double ratio(double value) { return std::round(1e5 * value) / 1e5; }
double pascal(double value) { return std::round(10.0 * value) / 10.0; }

Json girth_json(const GirthFit& g) {
  return Json{{"level_m", metres(g.level_m)},         {"body_mm", mm(g.body_mm)},
              {"body_there_mm", mm(g.there_mm)},      {"room_mm", mm(g.room_mm())},
              {"garment_mm", mm(g.cloth_mm)},         {"rest_mm", mm(g.rest_mm)},
              {"ease_mm", mm(g.ease_mm())},           {"ease_percent", percent(g.ease_mm() / g.body_mm)},
              {"rest_ease_mm", mm(g.rest_ease_mm())}, {"rest_ease_percent", percent(g.rest_ease_ratio())}};
}

Json strain_json(const Distribution& d, double comfortable) {
  return Json{
      {"p50", ratio(d.p50)}, {"p95", ratio(d.p95)}, {"max", ratio(d.max)}, {"of_limit", ratio(d.p95 / comfortable)}};
}

Json pressure_json(const Distribution& d) {
  return Json{{"mean", pascal(d.mean)}, {"p95", pascal(d.p95)}, {"max", pascal(d.max)}};
}

Json thresholds_json(const FitThresholds& t, double height_m) {
  Json out{{"tight_above_pressure_pa", t.tight_above_pressure_pa},
           {"tight_above_strain_of_limit", t.tight_above_strain}};
  const char* key = t.by_ease ? "rest_ease_percent" : "mean_distance_mm";
  const auto value = [&](double v) { return t.by_ease ? percent(v) : mm(to_mm(v * height_m)); };
  out[key] = {{"tight_below", value(t.tight_below)},
              {"fitted_below", value(t.fitted_below)},
              {"regular_below", value(t.regular_below)}};
  return out;
}

Json zone_json(const ZoneReport& zone, const FitReport& fit) {
  Json out{{"name", zone.name},
           {"verdict", verdict_name(zone.verdict)},
           {"because", zone.because},
           {"coverage", ratio(zone.coverage)},
           {"area_m2", ratio(zone.fit.area)},
           {"distance_mm",
            {{"min", mm(to_mm(zone.fit.distance.min))},
             {"mean", mm(to_mm(zone.fit.distance.mean))},
             {"p5", mm(to_mm(zone.fit.distance.p5))},
             {"p95", mm(to_mm(zone.fit.distance.p95))}}},
           {"strain",
            {{"warp", strain_json(zone.fit.warp, fit.comfortable.warp)},
             {"weft", strain_json(zone.fit.weft, fit.comfortable.weft)},
             {"bias", strain_json(zone.fit.bias, fit.comfortable.bias)}}},
           {"pressure_pa", pressure_json(zone.fit.contact.pressure)},
           {"contact_share", ratio(zone.fit.contact.contact_area / std::max(zone.fit.distance.weight, 1e-12))},
           {"thresholds", thresholds_json(zone.thresholds, fit.height_m)}};
  if (!zone.girth) return out;
  out["ease"] = girth_json(*zone.girth);
  out["ease"]["item"] = zone.girth->item;
  return out;
}

Json seams_json(const FitReport& fit) {
  Json list = Json::array();
  for (const SeamFit& seam : fit.seams) {
    list.push_back({{"name", seam.name},
                    {"length_mm", mm(to_mm(seam.tension.weight))},
                    {"mean", ratio(seam.tension.mean)},
                    {"p95", ratio(seam.tension.p95)},
                    {"max", ratio(seam.tension.max)}});
  }
  return Json{{"mean", ratio(fit.seam_tension.mean)},
              {"p95", ratio(fit.seam_tension.p95)},
              {"max", ratio(fit.seam_tension.max)},
              {"by_seam", std::move(list)}};
}

void add_hem(const FitReport& fit, Json* out) {
  if (fit.drape_coefficient) (*out)["drape_coefficient"] = ratio(*fit.drape_coefficient);
  if (!fit.hem) return;
  const HemFit& hem = *fit.hem;
  (*out)["hem"] = {{"level_m", metres(hem.level_m)},
                   {"lowest_m", metres(hem.lowest_m)},
                   {"highest_m", metres(hem.highest_m)},
                   {"uneven_mm", mm(to_mm(hem.highest_m - hem.lowest_m))},
                   {"drop_mm", mm(to_mm(hem.drop_m))}};
  (*out)["folds"] = {{"count", hem.folds.count},
                     {"mean_depth_mm", mm(to_mm(hem.folds.mean_depth))},
                     {"max_depth_mm", mm(to_mm(hem.folds.max_depth))}};
}

}  // namespace

Json fit_json(const FitReport& fit) {
  Json out;
  for (const GirthFit& g : fit.girths) {
    out["ease_mm"][g.item] = mm(g.ease_mm());
    out["ease"][g.item] = girth_json(g);
  }
  out["zones"] = Json::array();
  for (const ZoneReport& zone : fit.zones) {
    out["zones"].push_back(zone_json(zone, fit));
    out["coverage"]["zones"][zone.name] = ratio(zone.coverage);
  }
  out["slipped_mm"] = mm(to_mm(fit.slipped_m));
  out["coverage"]["body"] = ratio(fit.coverage);
  out["comfortable_strain"] = {
      {"warp", fit.comfortable.warp}, {"weft", fit.comfortable.weft}, {"bias", fit.comfortable.bias}};
  out["strain_of_limit"] = {{"warp", ratio(fit.warp.p95 / fit.comfortable.warp)},
                            {"weft", ratio(fit.weft.p95 / fit.comfortable.weft)},
                            {"bias", ratio(fit.bias.p95 / fit.comfortable.bias)}};
  out["pressure_pa"] = pressure_json(fit.contact.pressure);
  out["contact_force"] = {{"area_m2", ratio(fit.contact.contact_area)},
                          {"normal_n", ratio(fit.contact.force)},
                          {"carried_n", ratio(fit.carried_n)},
                          {"weight_n", ratio(fit.weight_n)}};
  if (fit.unbalanced_moment) out["contact_force"]["unbalanced_moment"] = ratio(*fit.unbalanced_moment);
  if (!fit.seams.empty()) out["seam_tension_n_per_m"] = seams_json(fit);
  out["area_m2"] = {{"cloth", ratio(fit.area)}, {"rest", ratio(fit.rest_area)}};
  out["openings"] = Json::array();
  for (const Opening& o : fit.openings) {
    out["openings"].push_back({{"kind", opening_kind_name(o.kind)},
                               {"length_mm", mm(to_mm(o.rim.length))},
                               {"rest_mm", mm(to_mm(o.rim.rest_length))},
                               {"level_m", metres(o.rim.middle.y())},
                               {"uneven_mm", mm(to_mm(o.rim.highest - o.rim.lowest))}});
  }
  add_hem(fit, &out);
  return out;
}

}  // namespace tryon
