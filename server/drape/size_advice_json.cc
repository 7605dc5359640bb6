// size_advice.json (tryon.size_advice.v1): see size_advice.h.
#include <algorithm>
#include <cmath>

#include "nlohmann/json.hpp"
#include "server/base/version.h"
#include "server/drape/size_advice.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

double tenth(double value) { return std::round(10.0 * value) / 10.0; }
double fine(double value) { return std::round(1e4 * value) / 1e4; }

Json zone_json(const ZoneTrial& z) {
  Json out{{"zone", z.zone},
           {"verdict", verdict_name(z.verdict)},
           {"because", z.because},
           {"weight", z.weight},
           {"cost", fine(z.cost)},
           {"strain_of_limit", fine(z.strain_of_limit)},
           {"pressure_mean_pa", tenth(z.pressure_mean_pa)}};
  if (z.weight <= 0) return out;
  out["body_mm"] = tenth(z.body_mm);
  out["rest_ease_mm"] = tenth(z.rest_ease_mm);
  out["intended_ease_mm"] = tenth(z.intended_ease_mm);
  out["difference_mm"] = tenth(z.difference_mm());
  return out;
}

Json size_json(const SizeTrial& size, int rank) {
  Json zones = Json::array();
  for (const ZoneTrial& z : size.zones) zones.push_back(zone_json(z));
  return Json{{"size", size.size},           {"rank", rank},
              {"misfit", fine(size.misfit)}, {"grade", size.grade},
              {"carried", size.carried},     {"falls_off", size.falls_off()},
              {"says", size.says},           {"zones", std::move(zones)}};
}

const ZoneTrial* find_zone(const SizeAdvice& advice, const std::string& size, const std::string& zone) {
  for (const SizeTrial& s : advice.sizes) {
    if (s.size != size) continue;
    for (const ZoneTrial& z : s.zones) {
      if (z.zone == zone) return &z;
    }
  }
  return nullptr;
}

// Sizes side by side; null where a size does not reach the zone.
Json comparison_json(const std::vector<TriedSize>& tried, const SizeAdvice& advice) {
  Json out{{"columns", Json::array()}, {"rows", Json::array()}};
  std::vector<std::string> zones;
  for (const TriedSize& t : tried) {
    out["columns"].push_back(t.size);
    for (const ZoneReport& z : t.fit.zones) {
      if (std::find(zones.begin(), zones.end(), z.name) == zones.end()) zones.push_back(z.name);
    }
  }
  const auto add = [&](const std::string& zone, const char* quantity, const char* unit, auto value) {
    Json values = Json::array();
    for (const TriedSize& t : tried) {
      const ZoneTrial* z = find_zone(advice, t.size, zone);
      values.push_back(z == nullptr ? Json() : value(*z));
    }
    out["rows"].push_back({{"zone", zone}, {"quantity", quantity}, {"unit", unit}, {"values", std::move(values)}});
  };
  for (const std::string& zone : zones) {
    add(zone, "verdict", "", [](const ZoneTrial& z) { return Json(verdict_name(z.verdict)); });
    if (advice.intended_mm.count(zone)) {
      add(zone, "rest_ease", "mm",
          [](const ZoneTrial& z) { return z.weight > 0 ? Json(tenth(z.rest_ease_mm)) : Json(); });
    }
    add(zone, "pressure_mean", "Pa", [](const ZoneTrial& z) { return Json(tenth(z.pressure_mean_pa)); });
    add(zone, "strain_of_limit", "1", [](const ZoneTrial& z) { return Json(fine(z.strain_of_limit)); });
  }
  return out;
}

}  // namespace

std::string advice_json(const AdviceRequest& request, const FittedPerson& person, const std::vector<TriedSize>& tried,
                        const SizeAdvice& advice) {
  const GarmentRequest& garment = request.drape.garment;
  Json out;
  out["schema"] = "tryon.size_advice.v1";
  out["engine"] = {{"version", kEngineVersion}, {"request_digest", digest(request)}};
  out["garment"] = garment.draft ? garment.draft->name : garment.file_name;
  out["fabric"] = request.drape.settings.fabric;
  out["body"] = {{"height_m", fine(person.body.height_m)}, {"measurements", Json::object()}};
  for (const char* item : {"bust_girth", "waist_girth", "hip_girth", "upper_arm_girth", "neck_girth"}) {
    const auto found = person.body.measurements_mm.find(item);
    if (found != person.body.measurements_mm.end()) out["body"]["measurements"][item] = tenth(found->second);
  }
  out["advised"] = advice.sizes.front().size;
  out["confidence"] = fine(advice.confidence);
  if (advice.sizes.size() > 1) out["runner_up"] = advice.sizes[1].size;
  out["says"] = advice.says;
  out["intended"] = {{"source", advice.from_chart ? "chart" : "regular"}, {"ease_mm", Json::object()}};
  for (const auto& [zone, ease] : advice.intended_mm) out["intended"]["ease_mm"][zone] = tenth(ease);
  out["tolerance"] = Json::object();
  for (const auto& [zone, t] : advice.tolerance)
    out["tolerance"][zone] = {{"scan_mm", tenth(t.scan_mm)}, {"cloth_mm", tenth(t.cloth_mm)}};
  if (advice.chart) {
    out["chart"] = {{"size", advice.chart->size}, {"by", advice.chart->by}, {"agrees", advice.chart->agrees}};
    if (!advice.chart->why.empty()) out["chart"]["why"] = advice.chart->why;
  }
  out["sizes"] = Json::array();
  for (size_t i = 0; i < advice.sizes.size(); ++i)
    out["sizes"].push_back(size_json(advice.sizes[i], static_cast<int>(i) + 1));
  out["comparison"] = comparison_json(tried, advice);
  return out.dump(2);
}

}  // namespace tryon
