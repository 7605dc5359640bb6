#include "server/drape/measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "nlohmann/json.hpp"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/base/version.h"
#include "server/drape/body_pictures.h"
#include "server/drape/measure_trust.h"
#include "server/drape/outfit.h"
#include "server/fabric/fabric.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

Json json_of(const Vec3& v) { return Json{v.x(), v.y(), v.z()}; }

// The digest of what a client receives: positions in single precision, vertex by vertex.
std::string result_digest(const TriangleMesh& cloth) {
  Sha256 hash;
  for (const Vec3& p : cloth.positions) {
    const Eigen::Vector3f f = p.cast<float>();
    hash.update(std::string_view(reinterpret_cast<const char*>(f.data()), sizeof(float) * 3));
  }
  return hash.finish_hex();
}

Json hang_json(const WeldedMesh& cloth) {
  Vec3 center = Vec3::Zero();
  double area = 0.0;
  for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
    const Triangle& tri = cloth.mesh.triangles[t];
    const double a = 0.5 * triangle_normal(cloth.mesh, t).norm();
    center += a * (cloth.mesh.positions[tri[0]] + cloth.mesh.positions[tri[1]] + cloth.mesh.positions[tri[2]]) / 3.0;
    area += a;
  }
  const Box3 box = bounds(cloth.mesh);
  return Json{{"center_of_gravity_m", json_of(Vec3(center / std::max(area, 1e-12)))},
              {"top_m", box.max().y()},
              {"hem_m", box.min().y()},
              {"area_m2", area}};
}

Json beneath_json(const Settled& settled) {
  Json out = Json::array();
  for (const Worn& worn : settled.beneath) {
    out.push_back({{"garment", worn.garment.name},
                   {"fabric", worn.fabric.name},
                   {"vertices", worn.garment.cloth.mesh.vertex_count()}});
  }
  return out;
}

Json measurements_json(const Body& body) {
  Json out = Json::object();
  for (const auto& [name, value] : body.measurements_mm) out[name] = std::round(value * 10.0) / 10.0;
  return out;
}

std::string_view kind_name(Proxy::Kind kind) {
  switch (kind) {
    case Proxy::Kind::kSphere:
      return "sphere";
    case Proxy::Kind::kCylinder:
      return "cylinder";
    case Proxy::Kind::kFrustum:
      return "frustum";
  }
  return "";
}

Json solid_json(const Sphere& s) { return Json{{"center", json_of(s.center)}, {"radius", s.radius}}; }

Json solid_json(const Frustum& f) {
  return Json{{"bottom", json_of(f.bottom)},
              {"top", json_of(f.top)},
              {"axis", json_of(f.axis)},
              {"u", json_of(f.u)},
              {"v", json_of(f.v)},
              {"bottom_radii", {f.bottom_radii.x(), f.bottom_radii.y()}},
              {"top_radii", {f.top_radii.x(), f.top_radii.y()}}};
}

Json proxy_json(const Proxy& proxy) {
  Json out = std::visit([](const auto& solid) { return solid_json(solid); }, proxy.solid);
  out["kind"] = kind_name(proxy.kind);
  out["part"] = body_part_name(proxy.part);
  if (proxy.girth_error_ratio > -1.0) out["girth_error_ratio"] = proxy.girth_error_ratio;
  if (proxy.mean_gap_mm >= 0.0) out["mean_gap_mm"] = proxy.mean_gap_mm;
  if (proxy.max_gap_mm >= 0.0) out["max_gap_mm"] = proxy.max_gap_mm;
  return out;
}

Json source_json(const ScanSource& s) {
  Json out{{"unit", s.unit},
           {"up_axis", s.up_axis},
           {"scale_m", s.scale_m},
           {"unit_declared", s.declared_unit},
           {"up_axis_declared", s.declared_up},
           {"facing_declared", s.declared_facing},
           {"pose_declared", s.declared_pose},
           {"filled_ratio", s.filled_ratio},
           {"healed", s.healed},
           {"completed", s.completed}};
  if (!s.facing.empty()) out["facing"] = s.facing;
  if (s.point_count > 0) out["point_count"] = s.point_count;
  return out;
}

Json segments_json(const Body& body) {
  Json out = Json::object();
  for (const BodySegment segment : body.segment) {
    Json& count = out[std::string(body_segment_name(segment))];
    count = (count.is_null() ? 0 : count.get<int>()) + 1;
  }
  return out;
}

Json curve_json(const MeasureCurve& curve) {
  Json points = Json::array();
  for (const Vec3& p : curve.points) points.push_back(json_of(p));
  return Json{{"closed", curve.closed}, {"height_m", curve.height_m}, {"points", std::move(points)}};
}

Json outcome_json(const MeasurementOutcome& item) {
  Json out{{"wanted_mm", item.wanted_mm}, {"achieved_mm", item.achieved_mm}, {"predicted", item.predicted}};
  if (item.predicted) out["deviation_mm"] = item.deviation_mm;
  return out;
}

// What body.json and the stored summary share.
Json body_facts(const FittedPerson& person) {
  const Body& body = person.body;
  const ProxySet& proxies = person.proxies;
  Json out;
  out["schema"] = "tryon.body.v1";
  out["source"] = source_json(body.source);
  out["has_head_and_hands"] = person.has_head_and_hands;
  out["height_m"] = body.height_m;
  out["pose"] = pose_name(body.pose);
  out["arm_angle_deg"] = body.arm_angle_deg;
  out["measurements"] = measurements_json(body);
  out["levels_m"] = Json::object();
  for (const auto& [name, curve] : body.curves) out["levels_m"][name] = curve.height_m;
  for (const auto& [name, item] : person.outcome) out["outcome"][name] = outcome_json(item);
  out["landmarks"] = Json::object();
  for (const auto& [name, point] : body.landmarks) out["landmarks"][name] = json_of(point);
  out["proxy_shape"] = proxies.shape == ProxyShape::kCircular ? "circular" : "elliptic";
  out["summary"] = {{"proxy_count", proxies.proxies.size()},
                    {"girth_error_p95", proxies.girth_error_p95},
                    {"torso_girth_error_p95", proxies.torso_girth.p95},
                    {"limb_girth_error_p95", proxies.limb_girth.p95},
                    {"mean_gap_mm", proxies.mean_gap_mm},
                    {"max_gap_mm", proxies.max_gap_mm},
                    {"uncovered_vertices", proxies.uncovered_vertices},
                    {"vertices", body.mesh.vertex_count()},
                    {"triangles", body.mesh.triangle_count()}};
  return out;
}

Json findings_json(const std::vector<Finding>& findings) {
  Json out = Json::array();
  for (const Finding& f : findings) out.push_back({{"code", f.code}, {"message", f.message}, {"remedy", f.remedy}});
  return out;
}

}  // namespace

std::string metrics_json(const RunContext& run, const DrapeFacts& facts, StageClock* clock) {
  const WeldedMesh& cloth = facts.settled.cloth;
  const TriangleMesh all = outfit_mesh(facts.settled);
  const SettleReport& report = facts.settled.report;
  Json out;
  out["schema"] = "tryon.metrics.v1";
  out["engine"] = {{"version", kEngineVersion},
                   {"solver", facts.settings.solver},
                   {"threads", facts.settings.threads},
                   {"request_digest", facts.request_digest},
                   {"result_digest", result_digest(all)}};
  out["mesh"] = {{"vertices", cloth.mesh.vertex_count()},
                 {"triangles", cloth.mesh.triangle_count()},
                 {"edge_mm", facts.settings.resolution_mm}};
  const auto fabric = fabric_by_name(facts.settings.fabric);
  out["fabric"] = fabric.ok() && !fabric->name.empty() ? fabric->name : "of the request";
  out["contact"] = facts.settings.contact_scan ? "scan" : "proxies";
  out["layers_kept_apart"] = report.layers_kept_apart;
  if (report.carried) out["carried"] = true;
  out.update(trust_json(run, facts, all));
  if (!facts.settled.beneath.empty()) out["beneath"] = beneath_json(facts.settled);
  out["hang"] = hang_json(cloth);
  out.update(fit_json(facts.fit));
  if (const Json findings = findings_json(facts.arranged.findings); !findings.empty()) out["findings"] = findings;
  out["arranged"] = {{"lifted_mm", to_mm(facts.arranged.lifted_m)}, {"moved", facts.arranged.moved}};
  out["body"] = {{"height_m", facts.person.body.height_m}, {"measurements", measurements_json(facts.person.body)}};
  if (report.drape_s > 0.0) out["collision_share"] = report.collision_s / report.drape_s;
  clock->enter("");
  for (const auto& [stage, seconds] : clock->seconds()) out["timing_s"][stage] = seconds;
  out["timing_s"]["total"] = clock->total();
  return out.dump(2);
}

std::string body_json(const FittedPerson& person) {
  Json out = body_facts(person);
  out["segments"] = segments_json(person.body);
  out["curves"] = Json::object();
  for (const auto& [name, curve] : person.body.curves) {
    out["curves"][name] = curve_json(curve);
    out["curves"][name]["colour"] = hex_colour(curve_colour(name));
  }
  out["proxies"] = Json::array();
  for (const Proxy& proxy : person.proxies.proxies) out["proxies"].push_back(proxy_json(proxy));
  return out.dump(2);
}

std::string body_summary_json(const FittedPerson& person) { return body_facts(person).dump(); }

}  // namespace tryon
