#include "server/garment/separate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/crossings.h"

namespace tryon {
namespace {

constexpr double kWays[] = {0.004, 0.01, 0.02, 0.04, 0.07, 0.11, 0.16, 0.22, 0.35};  // m

struct Separation {
  const SolidSet& solids;
  double clearance;
  GarmentMesh& garment;
  PanelCrossings crossings;
  std::vector<std::vector<int>> vertices;  // [panel]
  std::vector<Vec3> normals;               // [panel]
  std::vector<double> areas;               // [panel]

  void shift(int panel, const Vec3& by) {
    for (const int v : vertices[panel]) garment.placed[v] += by;
    crossings.moved(panel);
  }
  int crossed_by(int panel) const {
    int count = 0;
    for (int q = 0; q < crossings.panel_count(); ++q) count += q != panel && crossings.cross(panel, q);
    return count;
  }
  Vec3 centre(int panel) const {
    Vec3 sum = Vec3::Zero();
    for (const int v : vertices[panel]) sum += garment.placed[v];
    return sum / static_cast<double>(std::max<size_t>(vertices[panel].size(), 1));
  }
};

// Away from the body first, then off the other panel's face, sideways and towards the body.
std::vector<Vec3> directions(const Separation& s, int panel, int other) {
  const Vec3 out = s.normals[panel], face = s.normals[other];
  Vec3 apart = s.centre(panel) - s.centre(other);
  apart -= apart.dot(out) * out;
  std::vector<Vec3> ways = {out, face, -face};
  if (apart.norm() > 1e-4) ways.push_back(apart.normalized());
  ways.push_back(-out);
  return ways;
}

// No place on the way is nearer to the body than the panel is now: it does not pass through.
bool way_is_clear(const Separation& s, int panel, const Vec3& by, double gap) {
  const int steps = std::max(1, static_cast<int>(std::ceil(by.norm() / 0.02)));
  for (int k = steps; k > 0; --k) {
    const Vec3 part = by * (static_cast<double>(k) / steps);
    if (panel_gap(s.solids, s.garment, s.vertices[panel], part, s.clearance) < gap - 1e-9) return false;
  }
  return true;
}

// Moves the panel to the nearest place where it crosses fewer panels than here.
std::optional<double> free_panel(Separation* s, int panel, int other) {
  const int before = s->crossed_by(panel);
  const double gap = panel_gap(s->solids, s->garment, s->vertices[panel], Vec3::Zero(), s->clearance);
  const std::vector<Vec3> ways = directions(*s, panel, other);
  for (const double length : kWays) {
    for (const Vec3& way : ways) {
      const Vec3 by = length * way;
      if (!way_is_clear(*s, panel, by, gap)) continue;
      const std::vector<Vec3> kept = s->garment.placed;
      s->shift(panel, by);
      if (!s->crossings.cross(panel, other) && s->crossed_by(panel) < before) return length;
      s->garment.placed = kept;
      s->crossings.moved(panel);
    }
  }
  return std::nullopt;
}

std::optional<std::pair<int, int>> first_crossing(const Separation& s) {
  for (int p = 0; p < s.crossings.panel_count(); ++p) {
    for (int q = p + 1; q < s.crossings.panel_count(); ++q) {
      if (s.crossings.cross(p, q)) return std::make_pair(p, q);
    }
  }
  return std::nullopt;
}

std::vector<double> panel_areas(const GarmentMesh& garment) {
  std::vector<double> areas(garment.panel_names.size(), 0.0);
  for (size_t t = 0; t < garment.triangles.size(); ++t) {
    const Triangle& tri = garment.triangles[t];
    const Vec3& a = garment.placed[tri[0]];
    areas[garment.triangle_panel[t]] += 0.5 * (garment.placed[tri[1]] - a).cross(garment.placed[tri[2]] - a).norm();
  }
  return areas;
}

absl::Status cannot_part(const GarmentMesh& garment, int p, int q) {
  return invalid_input("PANELS_CROSS", cat("pattern.panels[", garment.panel_names[p], "]"),
                       cat("panels ", garment.panel_names[p], " and ", garment.panel_names[q],
                           " start through one another and no move of up to ", to_mm(kWays[8]), " mm parts them"),
                       "Place the panels apart from each other.");
}

}  // namespace

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

std::vector<std::vector<int>> panel_vertices(const GarmentMesh& garment) {
  std::vector<std::vector<int>> vertices(garment.panel_names.size());
  for (int v = 0; v < garment.vertex_count(); ++v) vertices[garment.panel[v]].push_back(v);
  return vertices;
}

double panel_gap(const SolidSet& solids, const GarmentMesh& garment, const std::vector<int>& vertices,
                 const Vec3& shift, double reach) {
  double gap = reach;
  for (const int v : vertices) {
    const SolidSet::Hit hit = solids.nearest(garment.placed[v] + shift, std::max(gap, 0.0));
    if (hit.solid >= 0) gap = std::min(gap, hit.surface.distance);
  }
  return gap;
}

absl::StatusOr<std::vector<std::string>> separate_panels(const RunContext& run, const SolidSet& solids,
                                                         double clearance_m, GarmentMesh* garment) {
  Separation s{solids,
               clearance_m,
               *garment,
               PanelCrossings(*garment),
               panel_vertices(*garment),
               outer_normals(*garment),
               panel_areas(*garment)};
  std::vector<std::string> told;
  const int most = 4 * s.crossings.panel_count();
  for (int round = 0; round < most; ++round) {
    RETURN_IF_ERROR(run.check());
    const auto pair = first_crossing(s);
    if (!pair) return told;
    auto [mover, other] = *pair;
    if (s.areas[other] < s.areas[mover] * 0.999) std::swap(mover, other);  // the smaller one moves
    auto way = free_panel(&s, mover, other);
    if (!way) {
      std::swap(mover, other);
      way = free_panel(&s, mover, other);
    }
    if (!way) return cannot_part(*garment, pair->first, pair->second);
    told.push_back(cat("panel ", garment->panel_names[mover], ": ", std::lround(to_mm(*way)), " mm away from ",
                       garment->panel_names[other]));
  }
  const auto pair = first_crossing(s);
  if (pair) return cannot_part(*garment, pair->first, pair->second);
  return told;
}

}  // namespace tryon
