#include "server/garment/arrange.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"

namespace tryon {
namespace {

constexpr double kClearance = 0.012;    // m kept between a panel and the body at the start
constexpr double kMaxPush = 0.5;        // m
constexpr double kStep = 0.005;         // m
constexpr double kPelvisRatio = 0.676;  // origin height over body height of the 2021 templates (1.121 m of 1.658 m)

// How far the whole garment must rise: templates are drawn round the pelvis; a garment drafted for another height
// is brought to this body's shoulder or waist, but only where it is clearly off.
double lift_needed(const ArrangeTarget& body, const Pattern& pattern, const GarmentMesh& garment) {
  const double origin = pattern.origin == PatternOrigin::kPelvis ? kPelvisRatio * body.height_m : 0.0;
  double top = -1e30;
  for (const Vec3& p : garment.placed) top = std::max(top, p.y() + origin);
  const double middle = 0.5 * (body.shoulder_height_m + body.waist_height_m);
  if (top > middle) {
    const double low = body.shoulder_height_m - 0.02, high = body.height_m + 0.12;
    return origin + std::clamp(top, low, high) - top;
  }
  const double slack = 0.08;
  return origin + std::clamp(top, body.waist_height_m - slack, body.waist_height_m + slack) - top;
}

std::vector<Vec3> outer_normals(const GarmentMesh& garment) {
  std::vector<Vec3> normals(garment.panel_names.size(), Vec3::Zero());
  for (size_t t = 0; t < garment.triangles.size(); ++t) {
    const Triangle& tri = garment.triangles[t];
    const Vec3& a = garment.placed[tri[0]];
    normals[garment.triangle_panel[t]] += (garment.placed[tri[1]] - a).cross(garment.placed[tri[2]] - a);
  }
  for (Vec3& n : normals) n = n.norm() > 0 ? Vec3(n.normalized()) : Vec3(Vec3::UnitZ());
  return normals;
}

// The smallest push along `direction`, in steps no longer than what is missing, that frees all points.
absl::StatusOr<double> push_needed(const SolidSet& solids, const std::vector<Vec3>& points, const Vec3& direction) {
  double push = 0.0;
  while (push <= kMaxPush) {
    double missing = 0.0;
    for (const Vec3& p : points) {
      const SolidSet::Hit hit = solids.nearest(p + push * direction, kClearance);
      if (hit.solid >= 0) missing = std::max(missing, kClearance - hit.surface.distance);
    }
    if (missing <= 1e-6) return push;
    push += std::clamp(missing, 1e-3, kStep * 4);
  }
  return absl::OutOfRangeError("no push frees it");
}

}  // namespace

absl::StatusOr<ArrangeReport> arrange(const RunContext& run, const ArrangeTarget& body, const Pattern& pattern,
                                      GarmentMesh* garment) {
  ArrangeReport report;
  report.lifted_m = lift_needed(body, pattern, *garment);
  for (Vec3& p : garment->placed) p.y() += report.lifted_m;
  const std::vector<Vec3> normals = outer_normals(*garment);
  for (size_t panel = 0; panel < garment->panel_names.size(); ++panel) {
    RETURN_IF_ERROR(run.check());
    std::vector<Vec3> points;
    for (int v = 0; v < garment->vertex_count(); ++v) {
      if (garment->panel[v] == static_cast<int>(panel)) points.push_back(garment->placed[v]);
    }
    const auto push = push_needed(*body.solids, points, normals[panel]);
    if (!push.ok()) {
      const std::string& name = garment->panel_names[panel];
      return invalid_input("PANEL_INSIDE_BODY", cat("pattern.panels[", name, "]"),
                           cat("panel ", name, " starts inside the body and a push of ", to_mm(kMaxPush),
                               " mm along its outer side does not free it"),
                           "Place the panel outside the body, its outer side away from it.");
    }
    if (*push == 0.0) continue;
    for (int v = 0; v < garment->vertex_count(); ++v) {
      if (garment->panel[v] == static_cast<int>(panel)) garment->placed[v] += *push * normals[panel];
    }
    report.moved.push_back(cat("panel ", garment->panel_names[panel], ": ", std::lround(to_mm(*push)), " mm outward"));
  }
  return report;
}

}  // namespace tryon
