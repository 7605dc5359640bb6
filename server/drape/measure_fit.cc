#include "server/drape/measure_fit.h"

#include <algorithm>
#include <cmath>

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/metrics/balance.h"
#include "server/metrics/metrics.h"
#include "server/sim/constraints/edge_side.h"

namespace tryon {
namespace {

constexpr double kCovered = 0.1;                    // of a zone's skin: less is not covered
constexpr double kFloor = 4e-3;                     // m: what is pressed below lies on the floor
constexpr double kCuffDepth = 0.02;                 // of the height, along which a cuff is measured
constexpr double kMuchCloth = 1e-3;                 // m2 of cloth that a zone must have
constexpr double kNearWaist = 0.04, kSlips = 0.01;  // of the height

std::vector<BodyZone> zones_of_cloth(const FittedPerson& person, const std::vector<BodyZone>& skin,
                                     const std::vector<ClosestPoint>& nearest) {
  std::vector<BodyZone> out;
  for (const ClosestPoint& near : nearest) {
    const Triangle& t = person.body.mesh.triangles[std::max(near.triangle, 0)];
    int best = t[0];
    for (int corner : t) {
      if ((person.body.mesh.positions[corner] - near.point).squaredNorm() <
          (person.body.mesh.positions[best] - near.point).squaredNorm())
        best = corner;
    }
    out.push_back(skin[best]);
  }
  return out;
}

std::vector<double> body_press(const Settled& settled) {
  std::vector<double> press = settled.report.forces.press;
  press.resize(settled.cloth.mesh.positions.size(), 0.0);
  for (size_t v = 0; v < press.size(); ++v) {
    if (settled.cloth.mesh.positions[v].y() < kFloor) press[v] = 0.0;
  }
  return press;
}

// The tape that speaks for a zone: the first that could be taken.
const GirthFit* girth_of_zone(const std::vector<GirthFit>& girths, std::string_view zone) {
  struct Row {
    std::string_view zone, first, second;
  };
  static constexpr Row kRows[] = {{"neck", "neck_girth", "neck_base_girth"},
                                  {"bust", "bust_girth", "under_bust_girth"},
                                  {"thigh", "thigh_girth", "mid_thigh_girth"}};
  for (const Row& row : kRows) {
    if (row.zone != zone) continue;
    const GirthFit* first = find_girth(girths, row.first);
    return first != nullptr ? first : find_girth(girths, row.second);
  }
  if (zone == "cuff" || zone == "leg_hem") return find_girth(girths, zone);
  return find_girth(girths, cat(zone, "_girth"));
}

double level_when_put_on(const GarmentMesh& garment, const WeldedMesh& cloth, const Rim& rim) {
  std::vector<char> on_rim(cloth.mesh.positions.size(), 0);
  for (int v : rim.vertices) on_rim[v] = 1;
  double sum = 0.0;
  int count = 0;
  for (size_t v = 0; v < garment.placed.size(); ++v) {
    if (on_rim[cloth.source[v]]) sum += garment.placed[v].y(), ++count;
  }
  return count > 0 ? sum / count : rim.middle.y();
}

Hang hang_of(const Body& body, const GarmentMesh& garment, const WeldedMesh& cloth,
             const std::vector<Opening>& openings) {
  Hang out;
  for (const Opening& o : openings) {
    if (o.kind != OpeningKind::kTop) continue;
    out.top = &o;
    const double put_on = level_when_put_on(garment, cloth, o.rim);
    const auto waist = body.curves.find("waist_girth");
    out.from_waist =
        waist != body.curves.end() && std::abs(put_on - waist->second.height_m) < kNearWaist * body.height_m;
    out.slipped_m = std::max(0.0, put_on - o.rim.middle.y());
    break;
  }
  return out;
}

// Whether the garment is held by its upper edge in this zone, or is meant to be.
bool hangs_from(const Hang& hang, const std::vector<BodyZone>& zone, BodyZone here) {
  if (hang.top == nullptr || hang.from_waist) return hang.from_waist && here == BodyZone::kWaist;
  const std::vector<int>& rim = hang.top->rim.vertices;
  const auto inside = std::count_if(rim.begin(), rim.end(), [&](int v) { return zone[v] == here; });
  return 2 * static_cast<size_t>(inside) >= rim.size();
}

ZoneReport zone_report(std::string name, const ZoneFit& fit, double coverage, const FitReport& report) {
  ZoneReport out;
  out.name = std::move(name);
  out.coverage = coverage;
  out.fit = fit;
  if (const GirthFit* girth = girth_of_zone(report.girths, out.name)) out.girth = *girth;
  return out;
}

// Cuffs and the legs' hems: cloth near such a rim, whatever skin lies beneath.
void add_rim_zone(const ClothOnBody& all, const FibreStrain& strain, OpeningKind kind, FitReport* report) {
  ClothOnBody cloth = all;
  std::fill(cloth.zone.begin(), cloth.zone.end(), -1);
  for (const Opening& o : report->openings) {
    if (o.kind != kind) continue;
    for (size_t v = 0; v < cloth.zone.size(); ++v) {
      const Vec3& p = cloth.mesh.positions[v];
      if ((p - o.rim.middle).norm() > o.rim.length) continue;
      for (int r : o.rim.vertices) {
        if ((cloth.mesh.positions[r] - p).norm() < kCuffDepth * report->height_m) cloth.zone[v] = 0;
      }
    }
  }
  const ZoneFit fit = fit_by_zone(cloth, strain, 1).front();
  ZoneReport zone = zone_report(std::string(opening_kind_name(kind)), fit, 1.0, *report);
  if (fit.area < kMuchCloth * report->height_m * report->height_m || !zone.girth) return;
  judge(report->comfortable, report->height_m, false, &zone);
  report->zones.push_back(std::move(zone));
}

void add_zones(const RunContext& run, const FittedPerson& person, const ClothOnBody& cloth, const FibreStrain& strain,
               const std::vector<BodyZone>& skin, const std::vector<BodyZone>& zone_of_vertex, const Hang& hang,
               FitReport* report) {
  const auto coverage =
      coverage_by_zone(run, person.body.mesh, triangle_zones(person.body, skin), cloth.mesh, kBodyZoneCount);
  report->coverage = coverage.back();
  const auto fits = fit_by_zone(cloth, strain, kBodyZoneCount);
  for (int z = 0; z < kBodyZoneCount; ++z) {
    const BodyZone zone = static_cast<BodyZone>(z);
    if (coverage[z] < kCovered || fits[z].area < kMuchCloth * report->height_m * report->height_m) continue;
    ZoneReport entry = zone_report(std::string(body_zone_name(zone)), fits[z], coverage[z], *report);
    judge(report->comfortable, report->height_m, hangs_from(hang, zone_of_vertex, zone), &entry);
    report->zones.push_back(std::move(entry));
  }
  add_rim_zone(cloth, strain, OpeningKind::kCuff, report);
  add_rim_zone(cloth, strain, OpeningKind::kLegHem, report);
}

void add_seams(const GarmentMesh& garment, const Settled& settled, FitReport* report) {
  const WeldedMesh& cloth = settled.cloth;
  const auto& tension = settled.report.forces.tension;
  if (tension.size() != cloth.mesh.triangles.size()) return;
  std::vector<std::pair<double, double>> all;
  for (const Seam& seam : garment.seams) {
    std::vector<std::pair<int, int>> edges;
    for (size_t k = 0; k + 1 < seam.left.size(); ++k) {
      const int a = cloth.source[seam.left[k]], b = cloth.source[seam.left[k + 1]];
      if (a != b) edges.emplace_back(a, b);
    }
    auto values = seam_tension(cloth.mesh, tension, edges);
    if (values.empty()) continue;
    all.insert(all.end(), values.begin(), values.end());
    const auto panel = [&](const std::vector<int>& side) { return garment.panel_names[garment.panel[side.front()]]; };
    report->seams.push_back({cat(panel(seam.left), " - ", panel(seam.right)), distribution(std::move(values))});
  }
  report->seam_tension = distribution(std::move(all));
}

void add_whole_cloth(const Settled& settled, const FibreStrain& strain, const Fabric& fabric,
                     const std::vector<double>& press, FitReport* report) {
  const TriangleMesh& mesh = settled.cloth.mesh;
  std::vector<std::pair<double, double>> warp, weft, bias;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const double rest = std::abs(sim::signed_rest_area(settled.cloth.corner_flat[t]));
    report->area += 0.5 * triangle_normal(mesh, t).norm();
    report->rest_area += rest;
    warp.emplace_back(strain.warp[t], rest);
    weft.emplace_back(strain.weft[t], rest);
    bias.emplace_back(strain.bias[t], rest);
  }
  report->warp = distribution(std::move(warp));
  report->weft = distribution(std::move(weft));
  report->bias = distribution(std::move(bias));
  report->weight_n = report->rest_area * fabric.areal_density * kGravity;
  report->contact = contact_pressure(mesh, press);
  const auto& reaction = settled.report.forces.reaction;
  for (const Vec3& force : reaction) report->carried_n += force.y();
}

bool still_moves(const SettleReport& report) {
  return !report.blown.empty() && (report.termination == "blown" || report.termination == "deadline");
}

// What lies on the floor is carried too.
std::optional<double> moment_left(const Settled& settled, const Fabric& fabric) {
  const WeldedMesh& cloth = settled.cloth;
  const auto& reaction = settled.report.forces.reaction;
  if (reaction.size() != cloth.mesh.positions.size() || still_moves(settled.report)) return std::nullopt;
  std::vector<double> weight(reaction.size(), 0.0);
  for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
    for (const int corner : cloth.mesh.triangles[t])
      weight[corner] += std::abs(sim::signed_rest_area(cloth.corner_flat[t])) / 3.0 * fabric.areal_density * kGravity;
  }
  return unbalanced_moment(cloth.mesh.positions, weight, reaction);
}

}  // namespace

const GirthFit* find_girth(const std::vector<GirthFit>& girths, std::string_view item) {
  for (const GirthFit& g : girths) {
    if (g.item == item) return &g;
  }
  return nullptr;
}

FitReport measure_fit(const RunContext& run, const FittedPerson& person, const GarmentMesh& garment,
                      const Settled& settled, const Fabric& fabric) {
  const WeldedMesh& cloth = settled.cloth;
  FitReport out;
  out.height_m = person.body.height_m;
  out.comfortable = fabric.comfortable_strain;
  const std::vector<ClosestPoint> nearest = nearest_points(run, cloth.mesh.positions, *person.surface);
  const std::vector<BodyZone> skin = body_zones(person.body);
  const std::vector<BodyZone> zone_of_vertex = zones_of_cloth(person, skin, nearest);
  ClothOnBody on_body{cloth.mesh, cloth.corner_flat, {}, {}, body_press(settled)};
  for (size_t v = 0; v < nearest.size(); ++v) {
    on_body.zone.push_back(static_cast<int>(zone_of_vertex[v]));
    on_body.distance.push_back(nearest[v].signed_distance);
  }
  const FibreStrain strain = fibre_strain(cloth.mesh, cloth.corner_flat);
  out.openings = find_openings(cloth, zone_of_vertex);
  const Hang hang = hang_of(person.body, garment, cloth, out.openings);
  if (hang.slipped_m >= kSlips * person.body.height_m) out.slipped_m = hang.slipped_m;
  out.girths = measure_girths(person.body, cloth, out.openings, hang);
  add_whole_cloth(settled, strain, fabric, on_body.press, &out);
  out.unbalanced_moment = moment_left(settled, fabric);
  add_zones(run, person, on_body, strain, skin, zone_of_vertex, hang, &out);
  add_seams(garment, settled, &out);
  out.hem = measure_hem(cloth, out.openings);
  out.drape_coefficient = measure_drape_coefficient(cloth, out.openings, on_body.press);
  return out;
}

}  // namespace tryon
