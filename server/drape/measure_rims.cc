// Free edges of the cloth: which opening each is, how the hem hangs.
#include <algorithm>
#include <cmath>
#include <functional>

#include "server/drape/measure_fit.h"
#include "server/metrics/section.h"

namespace tryon {
namespace {

constexpr double kSmallest = 0.05;  // of the longest rim: a shorter one is a gap, not an opening
constexpr double kOneSided = 0.95;  // share of a rim on one side of the person
constexpr double kFrontEdge = 0.5;  // of the cloth's height: a rim that spans more runs along an open front

struct Shares {  // of a rim's vertices
  double arm = 0, leg = 0, collar = 0, left = 0;
};

Shares shares_of(const WeldedMesh& cloth, const Rim& rim, const std::vector<BodyZone>& zone) {
  Shares out;
  const double each = 1.0 / static_cast<double>(rim.vertices.size());
  for (int v : rim.vertices) {
    const BodyZone z = zone[v];
    if (z >= BodyZone::kUpperArm && z <= BodyZone::kHand) out.arm += each;
    if (z >= BodyZone::kThigh) out.leg += each;
    if (z <= BodyZone::kUpperChest) out.collar += each;
    if (cloth.mesh.positions[v].x() > 0) out.left += each;
  }
  return out;
}

OpeningKind kind_of(const Shares& s, const Rim& rim, double bottom, double top, double middle) {
  if (!rim.closed || rim.highest - rim.lowest > kFrontEdge * (top - bottom)) {
    const bool level = rim.closed && s.leg + s.arm > 0.5;  // a short garment's uneven hem
    if (!level) return OpeningKind::kEdge;
  }
  if (s.arm >= 0.5) return OpeningKind::kCuff;
  const bool one_sided = std::max(s.left, 1.0 - s.left) >= kOneSided;
  if (one_sided) return s.leg >= 0.5 || rim.middle.y() < middle ? OpeningKind::kLegHem : OpeningKind::kArmhole;
  if (s.collar >= 0.5) return OpeningKind::kNeckline;
  return rim.middle.y() > middle ? OpeningKind::kTop : OpeningKind::kHem;
}

std::vector<Vec3> points_of(const WeldedMesh& cloth, const Rim& rim) {
  std::vector<Vec3> out;
  for (int v : rim.vertices) out.push_back(cloth.mesh.positions[v]);
  return out;
}

std::vector<const Rim*> hems_of(const std::vector<Opening>& openings) {
  std::vector<const Rim*> hems;
  for (const OpeningKind kind : {OpeningKind::kHem, OpeningKind::kLegHem}) {
    for (const Opening& o : openings) {
      if (o.kind == kind) hems.push_back(&o.rim);
    }
    if (!hems.empty()) return hems;
  }
  return hems;
}

double rest_area_below(const WeldedMesh& cloth, double level) {
  double sum = 0;
  for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
    const Triangle& tri = cloth.mesh.triangles[t];
    const Vec3 middle =
        (cloth.mesh.positions[tri[0]] + cloth.mesh.positions[tri[1]] + cloth.mesh.positions[tri[2]]) / 3;
    if (middle.y() >= level) continue;
    const auto& f = cloth.corner_flat[t];
    const Vec2 a = f[1] - f[0], b = f[2] - f[0];
    sum += 0.5 * std::abs(a.x() * b.y() - a.y() * b.x());
  }
  return sum;
}

}  // namespace

std::string_view opening_kind_name(OpeningKind kind) {
  static constexpr std::string_view kNames[] = {"neckline", "armhole", "cuff", "top", "hem", "leg_hem", "edge"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<Opening> find_openings(const WeldedMesh& cloth, const std::vector<BodyZone>& zone_of_vertex) {
  const Box3 box = bounds(cloth.mesh);
  Vec3 middle = Vec3::Zero();
  double area = 0;
  for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
    const double a = triangle_normal(cloth.mesh, t).norm();
    for (int v : cloth.mesh.triangles[t]) middle += a / 3 * cloth.mesh.positions[v];
    area += a;
  }
  middle /= std::max(area, 1e-12);
  std::vector<Opening> out;
  for (Rim& rim : find_rims(cloth.mesh, cloth.corner_flat)) {
    if (!out.empty() && rim.length < kSmallest * out.front().rim.length) break;
    const Shares shares = shares_of(cloth, rim, zone_of_vertex);
    const OpeningKind kind = kind_of(shares, rim, box.min().y(), box.max().y(), middle.y());
    out.push_back({kind, std::move(rim)});
  }
  return out;
}

std::optional<HemFit> measure_hem(const WeldedMesh& cloth, const std::vector<Opening>& openings) {
  const std::vector<const Rim*> hems = hems_of(openings);
  if (hems.empty()) return std::nullopt;
  HemFit out;
  out.lowest_m = 1e30, out.highest_m = -1e30;
  double length = 0;
  for (const Rim* rim : hems) {
    out.level_m += rim->length * rim->middle.y();
    length += rim->length;
    out.lowest_m = std::min(out.lowest_m, rim->lowest);
    out.highest_m = std::max(out.highest_m, rim->highest);
    const Folds folds = find_folds(points_of(cloth, *rim));
    out.folds.mean_depth += folds.count * folds.mean_depth;
    out.folds.count += folds.count;
    out.folds.max_depth = std::max(out.folds.max_depth, folds.max_depth);
  }
  out.level_m /= length;
  out.folds.mean_depth /= std::max(out.folds.count, 1);
  out.drop_m = bounds(cloth.mesh).max().y() - out.level_m;
  return out;
}

// The support is the cut of the cloth at the lowest level at which anything presses: below it, cloth only hangs.
std::optional<double> measure_drape_coefficient(const WeldedMesh& cloth, const std::vector<Opening>& openings,
                                                const std::vector<double>& press) {
  const std::vector<const Rim*> hems = hems_of(openings);
  if (hems.empty()) return std::nullopt;
  double hem_area = 0, hem_top = -1e30, total = 0;
  for (const Rim* rim : hems) {
    hem_area += area_along(points_of(cloth, *rim), Vec3::UnitY());
    hem_top = std::max(hem_top, rim->highest);
  }
  // Stray touches below (a knee against the cloth) carry next to nothing: the lowest twentieth of the load is left out.
  std::vector<std::pair<double, double>> load;
  for (size_t v = 0; v < press.size(); ++v) {
    if (press[v] > 0) load.emplace_back(cloth.mesh.positions[v].y(), press[v]);
    total += press[v];
  }
  if (total <= 0) return std::nullopt;
  const double support = distribution(std::move(load)).p5;
  if (support <= hem_top) return std::nullopt;
  std::vector<double> areas;  // the largest cuts stand for the hems; what else there is belongs to sleeves
  for (const ClothLoop& loop : cut_cloth(cloth.mesh, cloth.corner_flat, Vec3(0, support, 0), Vec3::UnitY())) {
    if (loop.closed) areas.push_back(loop.area);
  }
  if (areas.empty()) return std::nullopt;
  std::sort(areas.begin(), areas.end(), std::greater<>());
  double support_area = 0;
  for (size_t i = 0; i < std::min(areas.size(), hems.size()); ++i) support_area += areas[i];
  return drape_coefficient(hem_area, support_area, rest_area_below(cloth, support));
}

}  // namespace tryon
