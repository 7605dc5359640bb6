#include "server/body/proxy_girth.h"

#include <algorithm>
#include <cmath>

#include "server/base/units.h"
#include "server/body/bounding.h"

namespace tryon {
namespace {

constexpr int kSides = 24;        // generators of an ellipse
constexpr double kBeyond = 0.05;  // metres past a strand's ends where tilted planes may still meet it
constexpr double kOnePercent = 0.01;
constexpr double kMostError = 0.10;  // beyond this a plane pulls no harder

template <int count>
std::array<Vec2, count> circle_of() {
  std::array<Vec2, count> out;
  for (int i = 0; i < count; ++i) out[i] = Vec2(std::cos(2.0 * kPi * i / count), std::sin(2.0 * kPi * i / count));
  return out;
}

const std::array<Vec2, kGirthDirections>& directions() {
  static const auto out = circle_of<kGirthDirections>();
  return out;
}

const std::array<Vec2, kSides>& sides() {
  static const auto out = circle_of<kSides>();
  return out;
}

double area_of(const TriangleMesh& mesh) {
  double area = 0.0;
  for (int t = 0; t < mesh.triangle_count(); ++t) area += 0.5 * triangle_normal(mesh, t).norm();
  return area;
}

// Above clip_above everything counts; below it, arms do not count for the trunk.
bool counts_at(BodyPart cut, BodyPart strand, bool clipped) {
  if (cut == BodyPart::kTorso) return clipped || !is_arm(strand);
  return strand == cut;
}

}  // namespace

GirthRuler::GirthRuler(const ProxyAnatomy& anatomy, double offset, double spacing)
    : spacing_(spacing), area_(area_of(anatomy.body().mesh)) {
  const TriangleMesh& mesh = anatomy.body().mesh;
  for (PartCuts& cuts : girth_cuts(anatomy)) {
    Family family{std::move(cuts), 0.0, {}};
    family.first = family.cuts.first + offset;
    const int count = static_cast<int>(std::floor((family.cuts.last - family.first) / spacing)) + 1;
    if (count < 1) continue;
    const SectionPlane& plane = family.cuts.plane;
    const auto outlines = section_triangles(mesh, family.cuts.triangles, plane, family.first, spacing, count);
    int clipped = 0;
    while (clipped < count && !is_clipped(family, clipped)) ++clipped;
    const auto everything = section_triangles(mesh, family.cuts.all_triangles, plane, family.first + clipped * spacing,
                                              spacing, count - clipped);
    for (int i = 0; i < count; ++i) {
      family.planes.push_back(make_plane(outlines[i], i < clipped ? nullptr : &everything[i - clipped]));
    }
    families_.push_back(std::move(family));
  }
}

bool GirthRuler::is_clipped(const Family& family, int index) const {
  return family.cuts.at(family.first + index * spacing_).origin.y() > family.cuts.clip_above;
}

GirthRuler::Plane GirthRuler::make_plane(const std::vector<Vec2>& outline, const std::vector<Vec2>* everything) const {
  Plane out;
  std::vector<Vec2> hull = convex_hull(outline);
  if (hull.size() < 8) return out;
  if (everything) {
    out.clipped = true, out.low = out.high = hull[0].x();
    for (const Vec2& q : hull) out.low = std::min(out.low, q.x()), out.high = std::max(out.high, q.x());
    std::vector<Vec2> between;
    for (size_t i = 0; i + 1 < everything->size(); i += 2) {
      append_between(out.low, out.high, (*everything)[i], (*everything)[i + 1], &between);
    }
    hull = convex_hull(between);
  }
  out.girth = polygon_perimeter(hull), out.share = out.girth * spacing_ / area_;
  for (int k = 0; k < kGirthDirections; ++k) {
    double most = hull[0].dot(directions()[k]);
    for (const Vec2& q : hull) most = std::max(most, q.dot(directions()[k]));
    out.supports[k] = most;
  }
  return out;
}

GirthRuler::View GirthRuler::view_of(const Family& family, const Strand& strand) const {
  const SectionPlane& plane = family.cuts.plane;
  const auto turned = [&](const Vec3& d) -> Vec3 { return {d.dot(plane.u), d.dot(plane.v), d.dot(plane.normal)}; };
  const Vec3 base = turned(strand.origin - plane.origin) - Vec3::UnitZ() * family.first;
  return {base, turned(strand.axis), turned(strand.u), turned(strand.v)};
}

// A strand that runs nearly across the planes: the point of a section that lies farthest in a direction is that of an
// ellipse at its own height, found in a few steps.
void GirthRuler::reach_upright(const Family& family, const Strand& strand, int index,
                               std::vector<Reaching>* out) const {
  const View at = view_of(family, strand);
  const std::vector<StrandLevel>& levels = strand.levels;
  const int top = static_cast<int>(levels.size()) - 2;
  std::array<Vec2, kGirthDirections> pulls;  // how the reach grows along u and v, the plane being kept to
  for (int k = 0; k < kGirthDirections; ++k) {
    const Vec2& d = directions()[k];
    const double along = d.dot(at.axis.head<2>()) / at.axis.z();
    pulls[k] = {d.dot(at.u.head<2>()) - along * at.u.z(), d.dot(at.v.head<2>()) - along * at.v.z()};
  }
  int below = 0;
  for (size_t i = 0; i < family.planes.size(); ++i) {
    const Plane& plane = family.planes[i];
    if (plane.girth <= 0.0 || !counts_at(family.cuts.part, strand.part, plane.clipped)) continue;
    const double z = static_cast<double>(i) * spacing_ - at.base.z();
    double h = (z - levels[below].center.x() * at.u.z() - levels[below].center.y() * at.v.z()) / at.axis.z();
    if (h < levels.front().height - kBeyond || h > levels.back().height + kBeyond) continue;
    for (int k = 0; k < kGirthDirections; ++k) {
      const Vec2& d = directions()[k];
      Vec2 q, unit, radii;
      for (int step = k == 0 ? 0 : 1; step < 2; ++step) {  // the next direction begins where this one ended
        while (below < top && levels[below + 1].height < h) ++below;
        while (below > 0 && levels[below].height > h) --below;
        const StrandLevel &a = levels[below], &b = levels[below + 1];
        const double share = std::clamp((h - a.height) / (b.height - a.height), 0.0, 1.0);
        radii = a.radii + share * (b.radii - a.radii);
        unit = pulls[k].cwiseProduct(radii).normalized();
        q = a.center + share * (b.center - a.center) + unit.cwiseProduct(radii);
        h = (z - q.x() * at.u.z() - q.y() * at.v.z()) / at.axis.z();
      }
      if (h < levels.front().height || h > levels.back().height) continue;
      Vec2 flat = (at.base + at.axis * h + at.u * q.x() + at.v * q.y()).head<2>();
      if (plane.clipped) flat.x() = std::clamp(flat.x(), plane.low, plane.high);
      const double reach = flat.dot(d);
      if (reach <= (*out)[i].supports[k]) continue;
      const Vec2 normal = unit.cwiseQuotient(radii).normalized();
      const double across = (at.u * normal.x() + at.v * normal.y()).head<2>().norm();
      (*out)[i].supports[k] = reach, (*out)[i].pulls[k] = {index, below, q.x(), q.y(), h, across, 0.0};
    }
  }
}

// Any other: where its generators meet the planes.
void GirthRuler::reach_oblique(const Family& family, const Strand& strand, int index,
                               std::vector<Reaching>* out) const {
  const View at = view_of(family, strand);
  const int plane_count = static_cast<int>(family.planes.size());
  const auto meet = [&](int below, const Vec2& unit, const Vec3& a, const Vec3& b) {
    const int begin = std::max(0, static_cast<int>(std::ceil(std::min(a.z(), b.z()) / spacing_)));
    const int end = std::min(plane_count - 1, static_cast<int>(std::floor(std::max(a.z(), b.z()) / spacing_)));
    for (int i = begin; i <= end; ++i) {
      const Plane& plane = family.planes[i];
      if (plane.girth <= 0.0 || !counts_at(family.cuts.part, strand.part, plane.clipped) || a.z() == b.z()) continue;
      const double share = (i * spacing_ - a.z()) / (b.z() - a.z());
      Vec2 flat = a.head<2>() + share * (b.head<2>() - a.head<2>());
      if (plane.clipped && is_arm(strand.part) && (flat.x() < plane.low || flat.x() > plane.high)) continue;
      if (plane.clipped) flat.x() = std::clamp(flat.x(), plane.low, plane.high);
      const StrandLevel &low = strand.levels[below], &high = strand.levels[below + 1];
      const Vec2 radii = low.radii + share * (high.radii - low.radii);
      const Vec2 q = low.center + share * (high.center - low.center) + unit.cwiseProduct(radii);
      const Vec2 normal = unit.cwiseQuotient(radii).normalized();
      const double across = (at.u * normal.x() + at.v * normal.y()).head<2>().norm();
      const double h = low.height + share * (high.height - low.height);
      for (int k = 0; k < kGirthDirections; ++k) {
        const double reach = flat.dot(directions()[k]);
        if (reach <= (*out)[i].supports[k]) continue;
        (*out)[i].supports[k] = reach, (*out)[i].pulls[k] = {index, below, q.x(), q.y(), h, across, 0.0};
      }
    }
  };
  const auto on = [&](const StrandLevel& level, const Vec2& unit) -> Vec3 {
    const Vec2 q = level.center + unit.cwiseProduct(level.radii);
    return at.base + at.axis * level.height + at.u * q.x() + at.v * q.y();
  };
  for (size_t l = 0; l + 1 < strand.levels.size(); ++l) {
    for (const Vec2& unit : sides()) {
      meet(static_cast<int>(l), unit, on(strand.levels[l], unit), on(strand.levels[l + 1], unit));
    }
  }
}

void GirthRuler::append_pulls(const Plane& plane, const Reaching& reaching, std::vector<GirthPull>* out) const {
  double sum = 0.0;
  for (int k = 0; k < kGirthDirections; ++k) {
    if (reaching.pulls[k].strand >= 0) sum += reaching.supports[k] - plane.supports[k];
  }
  const double error = sum * 2.0 * kPi / kGirthDirections / plane.girth;
  if (error <= 0.0) return;
  const double weight = plane.share / kGirthDirections * std::min(error, kMostError) / kOnePercent;
  for (int k = 0; k < kGirthDirections; ++k) {
    GirthPull pull = reaching.pulls[k];
    const double excess = reaching.supports[k] - plane.supports[k];
    if (pull.strand < 0 || excess <= 0.0) continue;
    pull.excess = excess * std::max(0.1, pull.excess), pull.weight = weight;
    out->push_back(pull);
  }
}

std::vector<GirthPull> GirthRuler::pulls(const std::vector<Strand>& strands) const {
  constexpr double kUpright = 0.9;
  std::vector<GirthPull> out;
  for (const Family& family : families_) {
    Reaching nothing;
    nothing.supports.fill(-std::numeric_limits<double>::infinity());
    for (GirthPull& pull : nothing.pulls) pull.strand = -1;
    std::vector<Reaching> reaching(family.planes.size(), nothing);
    for (size_t k = 0; k < strands.size(); ++k) {
      if (!counts_at(family.cuts.part, strands[k].part, true)) continue;
      const bool upright = std::abs(strands[k].axis.dot(family.cuts.plane.normal)) > kUpright;
      upright ? reach_upright(family, strands[k], static_cast<int>(k), &reaching)
              : reach_oblique(family, strands[k], static_cast<int>(k), &reaching);
    }
    for (size_t i = 0; i < family.planes.size(); ++i) {
      if (family.planes[i].girth > 0.0) append_pulls(family.planes[i], reaching[i], &out);
    }
  }
  return out;
}

}  // namespace tryon
