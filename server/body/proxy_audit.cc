#include "server/body/proxy_audit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/base/units.h"
#include "server/body/bounding.h"
#include "server/body/proxy_cuts.h"
#include "server/body/proxy_strand.h"

namespace tryon {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kUncovered = 0.0005;  // metres: a vertex farther outside counts as uncovered
constexpr double kCutSpacing = 0.02;

// The solids that count at a part's cuts.
struct CutSolids {
  std::vector<const Solid*> solids;  // below clip_above
  std::vector<const Solid*> all;     // above it
};

CutSolids solids_at(const PartCuts& cuts, const ProxyAnatomy& anatomy, const std::vector<Proxy>& proxies) {
  CutSolids out;
  const double hip = is_leg(cuts.part) ? anatomy.leg(cuts.part).hip.x() : 0.0;
  for (const Proxy& proxy : proxies) {
    const double side = (bounds(proxy.solid).center().x() - hip) * (cuts.part == BodyPart::kLeftLeg ? 1.0 : -1.0);
    const bool beside = is_leg(cuts.part) && proxy.part == BodyPart::kTorso && side > -0.02;
    const bool counts = cuts.part == BodyPart::kTorso ? !is_arm(proxy.part) : proxy.part == cuts.part || beside;
    if (counts) out.solids.push_back(&proxy.solid);
    out.all.push_back(&proxy.solid);
  }
  return out;
}

std::vector<Vec2> clip_polygon(const std::vector<Vec2>& polygon, double low, double high) {
  std::vector<Vec2> out;
  for (size_t i = 0; i < polygon.size(); ++i) {
    append_between(low, high, polygon[i], polygon[(i + 1) % polygon.size()], &out);
  }
  return out;
}

// Hull perimeters of the body's section and of the union's, both between the walls of the trunk's own skin.
double clipped_error(const std::vector<Vec2>& trunk, const std::vector<Vec2>& everything, const CutSolids& at,
                     const SectionPlane& plane) {
  Eigen::AlignedBox2d box;
  for (const Vec2& q : trunk) box.extend(q);
  const double low = box.min().x(), high = box.max().x();
  std::vector<Vec2> body, solids;
  for (size_t i = 0; i + 1 < everything.size(); i += 2) {
    append_between(low, high, everything[i], everything[i + 1], &body);
  }
  for (const Solid* solid : at.all) {
    std::vector<Vec2> points;
    append_section(plane, *solid, &points);
    const std::vector<Vec2> clipped = clip_polygon(convex_hull(points), low, high);
    solids.insert(solids.end(), clipped.begin(), clipped.end());
  }
  return polygon_perimeter(convex_hull(solids)) / polygon_perimeter(convex_hull(body)) - 1.0;
}

void append_cuts(const TriangleMesh& mesh, const PartCuts& cuts, const CutSolids& at, std::vector<GirthCut>* out) {
  const int count = static_cast<int>((cuts.last - cuts.first) / kCutSpacing) + 1;
  if (cuts.last <= cuts.first) return;
  const auto outlines = section_triangles(mesh, cuts.triangles, cuts.plane, cuts.first, kCutSpacing, count);
  const auto everything = section_triangles(mesh, cuts.all_triangles, cuts.plane, cuts.first, kCutSpacing, count);
  for (int i = 0; i < count; ++i) {
    const std::vector<Vec2> body = convex_hull(outlines[i]);
    if (body.size() < 8) continue;
    const SectionPlane plane = cuts.at(cuts.first + kCutSpacing * i);
    Eigen::AlignedBox2d box;
    for (const Vec2& q : body) box.extend(q);
    const Vec3 center = plane.origin + plane.u * box.center().x() + plane.v * box.center().y();
    if (plane.origin.y() > cuts.clip_above) {
      out->push_back({cuts.part, center, clipped_error(outlines[i], everything[i], at, plane)});
      continue;
    }
    std::vector<Vec2> points;
    for (const Solid* solid : at.solids) append_section(plane, *solid, &points);
    out->push_back({cuts.part, center, polygon_perimeter(convex_hull(points)) / polygon_perimeter(body) - 1.0});
  }
}

Vec3 middle_of(const Solid& solid) {
  if (const auto* f = std::get_if<Frustum>(&solid)) return 0.5 * (f->bottom + f->top);
  return std::get_if<Sphere>(&solid)->center;
}

GirthErrors summarise(const std::vector<GirthCut>& cuts, bool trunk) {
  std::vector<double> errors;
  for (const GirthCut& cut : cuts) {
    if ((cut.part == BodyPart::kTorso) == trunk) errors.push_back(std::abs(cut.error));
  }
  GirthErrors out;
  out.cuts = static_cast<int>(errors.size());
  if (errors.empty()) return out;
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return errors[static_cast<size_t>(std::ceil(share * static_cast<double>(errors.size()))) - 1];
  };
  out.median = at(0.5), out.p95 = at(0.95), out.largest = errors.back();
  return out;
}

void audit_gaps(const Body& body, ProxySet* set) {
  const SolidSet solids(set->solids());
  const Skin skin = vertex_skin(body);
  std::vector<double> weight(set->proxies.size(), 0.0), sum(set->proxies.size(), 0.0), most(set->proxies.size(), -1.0);
  double mean = 0.0;
  for (size_t v = 0; v < skin.points.size(); ++v) {
    const SolidSet::Hit hit = solids.nearest(skin.points[v], 1.0);
    if (hit.solid < 0) continue;
    const double gap = std::abs(hit.surface.distance);
    set->uncovered_vertices += hit.surface.distance > kUncovered;
    mean += skin.area[v] * gap;
    set->max_gap_mm = std::max(set->max_gap_mm, to_mm(gap));
    weight[hit.solid] += skin.area[v], sum[hit.solid] += skin.area[v] * gap;
    most[hit.solid] = std::max(most[hit.solid], gap);
  }
  set->mean_gap_mm = to_mm(mean);
  for (size_t i = 0; i < set->proxies.size(); ++i) {
    if (weight[i] <= 0.0) continue;
    set->proxies[i].mean_gap_mm = to_mm(sum[i] / weight[i]), set->proxies[i].max_gap_mm = to_mm(most[i]);
  }
}

// How far the rims of ends that should be buried stand out of all other solids.
double largest_step(const std::vector<Proxy>& proxies) {
  double largest = 0.0;
  for (size_t i = 0; i < proxies.size(); ++i) {
    const auto* f = std::get_if<Frustum>(&proxies[i].solid);
    if (!f) continue;
    for (const bool top : {false, true}) {
      if (!(top ? f->open_top : f->open_bottom)) continue;
      for (int k = 0; k < 24; ++k) {
        const Vec2 q =
            (top ? f->top_radii : f->bottom_radii).cwiseProduct(Vec2(std::cos(k * kPi / 12), std::sin(k * kPi / 12)));
        const Vec3 p = (top ? f->top : f->bottom) + f->u * q.x() + f->v * q.y();
        double out = kFar;
        for (size_t j = 0; j < proxies.size() && out > 0.0; ++j) {
          if (j == i || bounds(proxies[j].solid).exteriorDistance(p) >= out) continue;
          out = std::min(out, distance(proxies[j].solid, p).distance);
        }
        if (out < kFar) largest = std::max(largest, out);
      }
    }
  }
  return largest;
}

}  // namespace

std::vector<GirthCut> audit_girths(const ProxyAnatomy& anatomy, const std::vector<Proxy>& proxies) {
  std::vector<GirthCut> cuts;
  for (const PartCuts& part : girth_cuts(anatomy)) {
    append_cuts(anatomy.body().mesh, part, solids_at(part, anatomy, proxies), &cuts);
  }
  return cuts;
}

void audit_proxies(const ProxyAnatomy& anatomy, ProxySet* set) {
  audit_gaps(anatomy.body(), set);
  set->largest_step_mm = to_mm(largest_step(set->proxies));
  const std::vector<GirthCut> cuts = audit_girths(anatomy, set->proxies);
  set->torso_girth = summarise(cuts, true), set->limb_girth = summarise(cuts, false);
  set->girth_error_p95 = std::max(set->torso_girth.p95, set->limb_girth.p95);
  for (Proxy& proxy : set->proxies) {
    if (proxy.kind == Proxy::Kind::kSphere) continue;
    const Vec3 middle = middle_of(proxy.solid);
    double nearest = 2.0 * kCutSpacing;
    for (const GirthCut& cut : cuts) {
      if (cut.part != proxy.part) continue;
      const double apart = (cut.center - middle).norm();
      if (apart < nearest) nearest = apart, proxy.girth_error_ratio = cut.error;
    }
  }
}

}  // namespace tryon
