#include "server/garment/arrange.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/arrange_roles.h"
#include "server/garment/pleats.h"
#include "server/garment/separate.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

constexpr double kClearance = 0.012;     // m kept between a panel and the body at the start
constexpr double kMaxPush = 0.5;         // m
constexpr double kStep = 0.005;          // m
constexpr double kShoulderDepth = 0.08;  // m below the top in which shoulder seams lie
constexpr double kMaxOverhead = 0.14;    // m a garment is held above its place
constexpr double kPelvisRatio = 0.676;   // origin height over body height of the 2021 templates (1.121 m of 1.658 m)

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

// Share of the topmost seam pairs whose straight way to each other passes through the body when the garment is lifted.
double blocked_share(const SolidSet& solids, const std::vector<std::pair<Vec3, Vec3>>& pairs, double lift) {
  constexpr int kSamples = 16;
  int blocked = 0;
  for (const auto& [a, b] : pairs) {
    bool hit = false;
    for (int k = 0; k <= kSamples && !hit; ++k) {
      const Vec3 p = a + (b - a) * (static_cast<double>(k) / kSamples) + Vec3(0, lift, 0);
      hit = solids.nearest(p, 1e-3).solid >= 0;
    }
    blocked += hit;
  }
  return pairs.empty() ? 0.0 : static_cast<double>(blocked) / static_cast<double>(pairs.size());
}

// Seam pairs near the top that join a panel in front with one behind: shoulder seams.
std::vector<std::pair<Vec3, Vec3>> shoulder_pairs(const GarmentMesh& garment, double top) {
  std::vector<std::pair<Vec3, Vec3>> pairs;
  for (const Seam& seam : garment.seams) {
    for (size_t k = 0; k < seam.left.size(); ++k) {
      const Vec3 &a = garment.placed[seam.left[k]], &b = garment.placed[seam.right[k]];
      if (std::min(a.y(), b.y()) > top - kShoulderDepth && a.z() * b.z() < 0) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

// Shoulder seams close straight through the air: a garment that would close through the shoulders is held higher, as
// one pulls it over the head, and falls into place once sewn.
double overhead_lift(const ArrangeTarget& body, const GarmentMesh& garment) {
  double top = -1e30;
  for (const Vec3& p : garment.placed) top = std::max(top, p.y());
  if (top < 0.5 * (body.shoulder_height_m + body.waist_height_m)) return 0.0;
  const auto pairs = shoulder_pairs(garment, top);
  double best_lift = 0.0, best_share = blocked_share(*body.solids, pairs, 0.0);
  for (double lift = 0.01; lift <= kMaxOverhead && best_share > 0.02; lift += 0.01) {
    const double share = blocked_share(*body.solids, pairs, lift);
    if (share < best_share - 1e-9) best_share = share, best_lift = lift;
  }
  return best_lift;
}

// Pleats are laid in the place that the file gives their panel.
void lay_pleats(const Pattern& pattern, GarmentMesh* garment) {
  for (size_t p = 0; p < pattern.panels.size(); ++p) {
    const Panel& panel = pattern.panels[p];
    const LaidPanel laid(panel);
    if (!laid.has_pleats()) continue;
    const double outer = signed_area(outline_points(panel)) < 0.0 ? -1.0 : 1.0;
    for (int v = 0; v < garment->vertex_count(); ++v) {
      if (garment->panel[v] != static_cast<int>(p)) continue;
      const Vec2 at = laid.at(garment->flat[v]);
      const Vec3 place(at.x(), at.y(), outer * laid.height(garment->flat[v]));
      garment->placed[v] = panel.rotation * place + panel.translation;
    }
  }
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
  for (const Panel& panel : pattern.panels) report.by_roles |= !panel.placed;
  std::vector<bool> on_arm(pattern.panels.size(), false);
  if (report.by_roles) {
    ASSIGN_OR_RETURN(on_arm, place_by_roles(run, body, pattern, garment));
  } else {
    lay_pleats(pattern, garment);
    report.lifted_m = lift_needed(body, pattern, *garment);
  }
  for (Vec3& p : garment->placed) p.y() += report.lifted_m;
  const double overhead = overhead_lift(body, *garment);
  for (int v = 0; v < garment->vertex_count(); ++v) {  // sleeves stay round their arms
    if (!on_arm[static_cast<size_t>(garment->panel[v])]) garment->placed[v].y() += overhead;
  }
  report.lifted_m += overhead;
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
  ASSIGN_OR_RETURN(const std::vector<std::string> parted, separate_panels(run, *body.solids, kClearance, garment));
  report.moved.insert(report.moved.end(), parted.begin(), parted.end());
  return report;
}

}  // namespace tryon
