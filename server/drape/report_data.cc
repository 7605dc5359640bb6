#include "server/drape/report_data.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "absl/strings/escaping.h"
#include "nlohmann/json.hpp"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/drape/body_pictures.h"
#include "server/drape/cloth_fields.h"
#include "server/drape/cross_sections.h"
#include "server/drape/shown_garment.h"
#include "server/io/pattern_svg.h"
#include "server/mesh/simplify.h"

namespace tryon {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kSteps = 65535.0;
constexpr int kBodyTriangles = 30'000;  // enough for a page; the files have them all

Json json_of(const Vec3& v) { return Json{v.x(), v.y(), v.z()}; }

template <typename T>
std::string packed(const std::vector<T>& values) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  return absl::Base64Escape(absl::string_view(bytes, values.size() * sizeof(T)));
}

uint16_t step_of(double value, double low, double size) {
  const double share = size > 0.0 ? std::clamp((value - low) / size, 0.0, 1.0) : 0.0;
  return static_cast<uint16_t>(std::lround(kSteps * share));
}

std::string packed_places(const std::vector<Vec3>& positions, const Box3& box) {
  std::vector<uint16_t> steps;
  steps.reserve(3 * positions.size());
  for (const Vec3& p : positions) {
    for (int k = 0; k < 3; ++k) steps.push_back(step_of(p[k], box.min()[k], box.sizes()[k]));
  }
  return packed(steps);
}

Json json_of(const Box3& box) { return Json{{"low", json_of(box.min())}, {"size", json_of(Vec3(box.sizes()))}}; }

Json mesh_json(const TriangleMesh& mesh, const Vec3& colour) {
  std::vector<uint32_t> corners;
  corners.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) corners.push_back(static_cast<uint32_t>(t[k]));
  }
  const Box3 box = bounds(mesh);
  return Json{{"colour", json_of(colour)},
              {"box", json_of(box)},
              {"positions", packed_places(mesh.positions, box)},
              {"triangles", packed(corners)}};
}

Json field_json(const ClothField& field) {
  const auto [least, most] = std::minmax_element(field.values.begin(), field.values.end());
  const double low = *least, size = *most - *least;
  std::vector<uint16_t> steps;
  steps.reserve(field.values.size());
  for (const double v : field.values) steps.push_back(step_of(v, low, size));
  return Json{{"key", field.key},
              {"title", field.title},
              {"unit", field.unit},
              {"map", field.about_zero ? "about_zero" : "viridis"},
              {"low", field.low * field.scale},
              {"high", field.high * field.scale},
              {"least", low * field.scale},
              {"most", *most * field.scale},
              {"values", packed(steps)}};
}

Json fields_json(const RunContext& run, const DrapeFacts& facts) {
  Json out = Json::array();
  for (const ClothField& field : cloth_fields(run, facts.person, facts.settled)) {
    if (!field.values.empty()) out.push_back(field_json(field));
  }
  return out;
}

std::string packed_map(ColourMap map) {
  std::vector<uint8_t> table;
  for (int i = 0; i < 256; ++i) {
    for (const uint8_t c : map_srgb(map, i / 255.0)) table.push_back(c);
  }
  return packed(table);
}

Json solid_json(const Sphere& s) {
  return Json{{"kind", "sphere"}, {"center", json_of(s.center)}, {"radius", s.radius}};
}

Json solid_json(const Frustum& f) {
  return Json{{"kind", "frustum"},
              {"bottom", json_of(f.bottom)},
              {"top", json_of(f.top)},
              {"u", json_of(f.u)},
              {"v", json_of(f.v)},
              {"bottom_radii", {f.bottom_radii.x(), f.bottom_radii.y()}},
              {"top_radii", {f.top_radii.x(), f.top_radii.y()}}};
}

Json proxies_json(const ProxySet& proxies) {
  Json out = Json::array();
  for (const Proxy& proxy : proxies.proxies) {
    out.push_back(std::visit([](const auto& solid) { return solid_json(solid); }, proxy.solid));
    out.back()["colour"] = json_of(part_colour(proxy.part));
  }
  return out;
}

Json frames_json(const SettleReport& report) {
  Box3 box;
  for (const auto& frame : report.blown) {
    for (const Vec3& p : frame) box.extend(p);
  }
  const ShownFrames taken = shown_frames(report.blown.size(), report.blown_step_s);
  Json out{{"seconds", taken.seconds}, {"box", json_of(box)}, {"positions", Json::array()}};
  for (const size_t k : taken.index) out["positions"].push_back(packed_places(report.blown[k], box));
  return out;
}

double tenth_mm(double metres) { return std::round(to_mm(metres) * 10.0) / 10.0; }

Json lines_json(const std::vector<SectionLine>& lines) {
  Json out = Json::array();
  for (const SectionLine& line : lines) {
    Json points = Json::array();
    for (const Vec2& p : line.points) {
      points.push_back(tenth_mm(p.x()));
      points.push_back(tenth_mm(p.y()));
    }
    out.push_back({{"closed", line.closed}, {"points", std::move(points)}});
  }
  return out;
}

Json sections_json(const DrapeFacts& facts) {
  Json out = Json::array();
  for (const CrossSection& cut : cross_sections(facts.person.body, facts.settled.cloth.mesh)) {
    Json section{{"level", cut.level}, {"height_mm", tenth_mm(cut.height_m)}};
    if (cut.body_girth) section["body_girth_mm"] = tenth_mm(*cut.body_girth);
    if (cut.cloth_girth) section["cloth_girth_mm"] = tenth_mm(*cut.cloth_girth);
    section["body"] = lines_json(cut.body);
    section["cloth"] = lines_json(cut.cloth);
    out.push_back(std::move(section));
  }
  return out;
}

// What differs between two runs of one drape is no part of its report.
Json lasting(const std::string& metrics_json) {
  Json metrics = Json::parse(metrics_json, nullptr, false);
  if (!metrics.is_object()) return Json::object();
  metrics.erase("timing_s");
  metrics.erase("collision_share");
  if (metrics.contains("engine")) metrics["engine"].erase("threads");
  return metrics;
}

std::string title_of(const Pattern& pattern) {
  std::string title = pattern.name.empty() ? "garment" : pattern.name;
  for (char& c : title) c = c == '_' ? ' ' : c;
  return title;
}

Json subtitle_of(const ReportSource& source) {
  Json out = Json::array();
  if (!source.pattern.size.empty()) out.push_back(cat("size ", source.pattern.size));
  out.push_back(source.fabric.title.empty() ? source.fabric.name : source.fabric.title);
  const Vec3& wind = source.facts.settings.wind_mps;
  if (!wind.isZero()) out.push_back(cat("wind ", std::round(10.0 * wind.norm()) / 10.0, " m/s"));
  return out;
}

Json pictures_json(const Artifacts& pictures) {
  Json out = Json::object();
  for (const char* view : {"front", "back"}) {
    const auto picture = pictures.find(cat("preview_", view, ".png"));
    if (picture != pictures.end()) out[view] = absl::Base64Escape(picture->second.bytes);
  }
  return out;
}

}  // namespace

std::string report_data_json(const RunContext& run, const ReportSource& source) {
  const DrapeFacts& facts = source.facts;
  Json out;
  out["schema"] = "tryon.report.v1";
  out["title"] = title_of(source.pattern);
  out["subtitle"] = subtitle_of(source);
  out["garment"] = mesh_json(facts.settled.cloth.mesh, source.fabric.colour);
  out["body"] = mesh_json(simplify_mesh(facts.person.skin.mesh, kBodyTriangles).mesh, skin_colour());
  out["proxies"] = proxies_json(facts.person.proxies);
  out["colour_maps"] = {{"viridis", packed_map(ColourMap::kViridis)},
                        {"about_zero", packed_map(ColourMap::kAboutZero)}};
  out["fields"] = fields_json(run, facts);
  if (facts.settled.report.blown.size() > 1) out["frames"] = frames_json(facts.settled.report);
  out["sections"] = sections_json(facts);
  if (!source.pattern.panels.empty()) out["pattern_svg"] = pattern_svg(source.pattern);
  out["metrics"] = lasting(source.metrics_json);
  if (!source.size_advice_json.empty()) out["size_advice"] = Json::parse(source.size_advice_json, nullptr, false);
  out["pictures"] = pictures_json(source.pictures);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tryon
