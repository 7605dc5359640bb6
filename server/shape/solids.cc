#include "server/shape/solids.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tryon {
namespace {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;

constexpr double kMinSize = 1e-9;  // metres: smaller heights and radii are clamped to it

// The frustum in its own frame: x along u, y along v, z along the axis, origin at the centre of the bottom.
struct LocalFrustum {
  double ex, ey, height;  // the top centre
  double a0, b0, da, db;  // radii at the bottom and their growth to the top
  bool circular() const { return a0 == b0 && da == db; }
  double level_squared(double t, double x, double y) const {  // 1 on the ellipse at height t
    const double px = (x - ex * t) / (a0 + da * t), py = (y - ey * t) / (b0 + db * t);
    return px * px + py * py;
  }
};

double clamped_radius(double radius) { return radius > kMinSize ? radius : kMinSize; }  // NaN becomes kMinSize

LocalFrustum local_frustum(const Frustum& f) {
  const Vec3 span = f.top - f.bottom;
  const double a0 = clamped_radius(f.bottom_radii.x()), b0 = clamped_radius(f.bottom_radii.y());
  return {span.dot(f.u),
          span.dot(f.v),
          clamped_radius(span.dot(f.axis)),
          a0,
          b0,
          clamped_radius(f.top_radii.x()) - a0,
          clamped_radius(f.top_radii.y()) - b0};
}

// A point of the flank: height t in [0, 1] and the angle's cosine and sine.
struct FlankPoint {
  double t = 0.0, c = 1.0, s = 0.0;
  double squared = std::numeric_limits<double>::infinity();  // squared distance
};

Vec3 flank_position(const LocalFrustum& f, const FlankPoint& at) {
  return {f.ex * at.t + (f.a0 + f.da * at.t) * at.c, f.ey * at.t + (f.b0 + f.db * at.t) * at.s, f.height * at.t};
}

Vec3 flank_normal(const LocalFrustum& f, const FlankPoint& at) {
  const Vec3 around(-(f.a0 + f.da * at.t) * at.s, (f.b0 + f.db * at.t) * at.c, 0.0);
  const Vec3 along(f.ex + f.da * at.c, f.ey + f.db * at.s, f.height);
  return around.cross(along).normalized();
}

// --- Circular sections: one unknown, the height. -------------------------------------------------------------------
// phi(t) = (H t - z)^2 + f(t)^2 with f(t) = rho(t) - r(t), rho(t) = |q - e t|: f is convex, so phi is where f >= 0.
struct CircleTerms {
  double value, slope, curvature;  // of phi / 2
};

CircleTerms circle_terms(const LocalFrustum& f, const Vec3& p, double t) {
  const double qx = p.x() - f.ex * t, qy = p.y() - f.ey * t;
  const double rho = std::max(std::sqrt(qx * qx + qy * qy), 1e-150);
  const double rise = f.height * t - p.z(), gap = rho - (f.a0 + f.da * t);
  const double rho_slope = -(qx * f.ex + qy * f.ey) / rho;
  const double slope = rho_slope - f.da;
  const double bend = (f.ex * f.ex + f.ey * f.ey - rho_slope * rho_slope) / rho;
  return {0.5 * (rise * rise + gap * gap), f.height * rise + gap * slope,
          f.height * f.height + slope * slope + gap * bend};
}

FlankPoint circle_point(const LocalFrustum& f, const Vec3& p, double t) {
  const double qx = p.x() - f.ex * t, qy = p.y() - f.ey * t, rho = std::sqrt(qx * qx + qy * qy);
  FlankPoint at{t, 1.0, 0.0, 0.0};
  if (rho > 1e-14) at.c = qx / rho, at.s = qy / rho;
  const double rise = f.height * t - p.z(), gap = rho - (f.a0 + f.da * t);
  at.squared = rise * rise + gap * gap;
  return at;
}

// The minimum of phi in [low, high] by Newton's method, kept in the bracket by the sign of the slope.
double minimise_circle(const LocalFrustum& f, const Vec3& p, double low, double high, double t) {
  for (int i = 0; i < 60 && high - low > 1e-14; ++i) {
    const CircleTerms at = circle_terms(f, p, t);
    (at.slope > 0.0 ? high : low) = t;
    double next = at.curvature > 0.0 ? t - at.slope / at.curvature : 0.5 * (low + high);
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const double step = std::abs(next - t);
    t = next;
    if (step < 1e-8) break;  // Newton's error is then of the order of its square
  }
  return t;
}

FlankPoint closest_circular_oblique(const LocalFrustum& f, const Vec3& p) {
  constexpr int kSamples = 16;
  // phi'' / 2 >= H^2 - (r - rho) |e|^2 / rho, so this makes phi convex with one minimum.
  const double lean = f.ex * f.ex + f.ey * f.ey;
  const double nearest = std::clamp((p.x() * f.ex + p.y() * f.ey) / lean, 0.0, 1.0);
  const double qx = p.x() - f.ex * nearest, qy = p.y() - f.ey * nearest, rho = std::sqrt(qx * qx + qy * qy);
  if ((std::max(f.a0, f.a0 + f.da) - rho) * lean < rho * f.height * f.height) {
    return circle_point(f, p, minimise_circle(f, p, 0.0, 1.0, std::clamp(p.z() / f.height, 0.0, 1.0)));
  }
  // Deep inside phi may have several minima: every bracket of a coarse sampling is searched.
  std::array<double, kSamples + 1> value;
  for (int i = 0; i <= kSamples; ++i) value[i] = circle_terms(f, p, double(i) / kSamples).value;
  FlankPoint best;
  for (int i = 0; i <= kSamples; ++i) {
    const int before = std::max(i - 1, 0), after = std::min(i + 1, kSamples);
    if (value[before] < value[i] || value[after] < value[i]) continue;
    const double t = minimise_circle(f, p, double(before) / kSamples, double(after) / kSamples, double(i) / kSamples);
    const FlankPoint at = circle_point(f, p, t);
    if (at.squared < best.squared) best = at;
  }
  return best;
}

FlankPoint closest_circular(const LocalFrustum& f, const Vec3& p) {
  const double lean = f.ex * f.ex + f.ey * f.ey;
  if (lean > 1e-18) return closest_circular_oblique(f, p);
  // A right frustum: phi is a parabola.
  const double rho = std::sqrt(p.x() * p.x() + p.y() * p.y());
  const double t = (f.height * p.z() + f.da * (rho - f.a0)) / (f.height * f.height + f.da * f.da);
  return circle_point(f, p, std::clamp(t, 0.0, 1.0));
}

// --- Elliptic sections: one unknown, the angle; on each generator (a straight line) the height is linear. ------------
struct GeneratorTerms {
  FlankPoint at;
  double slope = 0.0, curvature = 0.0;  // of half the squared distance, by the angle
};

GeneratorTerms generator_terms(const LocalFrustum& f, const Vec3& p, double c, double s) {
  const double gx = f.ex + f.da * c, gy = f.ey + f.db * s, gz = f.height;  // along the generator
  const double length_squared = gx * gx + gy * gy + gz * gz;
  const double dx = f.a0 * c - p.x(), dy = f.b0 * s - p.y(), dz = -p.z();
  const double free_t = -(dx * gx + dy * gy + dz * gz) / length_squared;
  const double t = std::clamp(free_t, 0.0, 1.0);
  const double rx = dx + gx * t, ry = dy + gy * t, rz = dz + gz * t;  // from the point to the flank
  const double a = f.a0 + f.da * t, b = f.b0 + f.db * t;
  GeneratorTerms out;
  out.at = {t, c, s, rx * rx + ry * ry + rz * rz};
  out.slope = -rx * a * s + ry * b * c;
  out.curvature = -rx * a * c - ry * b * s + a * a * s * s + b * b * c * c;
  if (t == free_t) {  // the height follows the angle
    const double cross = -rx * f.da * s + ry * f.db * c - gx * a * s + gy * b * c;
    out.curvature -= cross * cross / length_squared;
  }
  return out;
}

// Newton's method from the given angle; a step that does not descend is halved.
FlankPoint descend(const LocalFrustum& f, const Vec3& p, double c, double s) {
  GeneratorTerms now = generator_terms(f, p, c, s);
  for (int i = 0; i < 40; ++i) {
    const double steepest = -now.slope / (f.a0 * f.a0 + f.b0 * f.b0 + now.at.squared);
    double step = now.curvature > 0.0 ? -now.slope / now.curvature : 4.0 * steepest;
    step = std::clamp(step, -0.5, 0.5);
    GeneratorTerms next;
    for (int halving = 0; halving < 12; ++halving, step *= 0.5) {
      const double nc = now.at.c - step * now.at.s, ns = now.at.s + step * now.at.c;
      const double scale = 1.0 / std::sqrt(nc * nc + ns * ns);
      next = generator_terms(f, p, nc * scale, ns * scale);
      if (next.at.squared <= now.at.squared) break;
    }
    if (next.at.squared > now.at.squared) break;
    now = next;
    if (std::abs(step) < 1e-4) break;  // Newton's error is then of the order of its square
  }
  return now.at;
}

// The angle to start from: of the normal on the ellipse at the point's own height, for a point near or outside it.
Vec2 start_angle(const LocalFrustum& f, const Vec3& p, double t) {
  const double a = f.a0 + f.da * t, b = f.b0 + f.db * t;
  const double x = p.x() - f.ex * t, y = p.y() - f.ey * t;
  Vec2 angle(x / a, y / b);
  const double level = angle.norm();
  if (level > 1.0)
    angle = Vec2(x * a, y * b) / (a * b) * (1.0 - 1.0 / level) + angle / level;  // far: the normal's angle
  const double length = angle.norm();
  if (!(length > 1e-12)) return a < b ? Vec2(1.0, 0.0) : Vec2(0.0, 1.0);
  return angle / length;
}

FlankPoint closest_elliptic(const LocalFrustum& f, const Vec3& p) {
  const double t = std::clamp(p.z() / f.height, 0.0, 1.0);
  const Vec2 start = start_angle(f, p, t);
  FlankPoint best = descend(f, p, start.x(), start.y());
  if (f.level_squared(t, p.x(), p.y()) > 0.5) return best;
  constexpr int kSamples = 16;  // deep inside several generators may be locally nearest: try every sampled minimum
  static const std::array<Vec2, kSamples> angles = [] {
    std::array<Vec2, kSamples> out;
    for (int i = 0; i < kSamples; ++i) out[i] = Vec2(std::cos(i * M_PI / 8.0), std::sin(i * M_PI / 8.0));
    return out;
  }();
  std::array<double, kSamples> value;
  for (int i = 0; i < kSamples; ++i) value[i] = generator_terms(f, p, angles[i].x(), angles[i].y()).at.squared;
  for (int i = 0; i < kSamples; ++i) {
    if (value[(i + kSamples - 1) % kSamples] < value[i] || value[(i + 1) % kSamples] < value[i]) continue;
    const FlankPoint at = descend(f, p, angles[i].x(), angles[i].y());
    if (at.squared < best.squared) best = at;
  }
  return best;
}

// The nearer of the flank and the closed ends, in the local frame. The ends' rims belong to the flank.
SurfacePoint local_distance(const LocalFrustum& f, const Vec3& p, bool open_bottom, bool open_top) {
  const FlankPoint flank = f.circular() ? closest_circular(f, p) : closest_elliptic(f, p);
  const double t = p.z() / f.height;
  const bool inside = t >= 0.0 && t <= 1.0 && f.level_squared(t, p.x(), p.y()) <= 1.0;
  const double sign = inside ? -1.0 : 1.0;
  SurfacePoint out{std::sqrt(flank.squared), Vec3::UnitZ()};
  if (out.distance > 1e-10) {
    out.normal = sign * (p - flank_position(f, flank)) / out.distance;
  } else {
    out.normal = flank_normal(f, flank);
  }
  if (!open_bottom && std::abs(p.z()) < out.distance && f.level_squared(0.0, p.x(), p.y()) <= 1.0) {
    out = {std::abs(p.z()), -Vec3::UnitZ()};
  }
  const double below_top = f.height - p.z();
  if (!open_top && std::abs(below_top) < out.distance && f.level_squared(1.0, p.x(), p.y()) <= 1.0) {
    out = {std::abs(below_top), Vec3::UnitZ()};
  }
  out.distance *= sign;
  return out;
}

double box_distance_squared(const Eigen::AlignedBox3d& box, const Vec3& p) { return box.squaredExteriorDistance(p); }

}  // namespace

SurfacePoint distance(const Sphere& sphere, const Vec3& point) {
  const Vec3 offset = point - sphere.center;
  const double length = offset.norm();
  const double radius = sphere.radius > 0.0 ? sphere.radius : 0.0;
  return {length - radius, length > 1e-12 ? Vec3(offset / length) : Vec3::UnitY()};
}

SurfacePoint distance(const Frustum& frustum, const Vec3& point) {
  const Vec3 from = point - frustum.bottom;
  const Vec3 local(from.dot(frustum.u), from.dot(frustum.v), from.dot(frustum.axis));
  SurfacePoint out = local_distance(local_frustum(frustum), local, frustum.open_bottom, frustum.open_top);
  const Vec3 n = out.normal;
  out.normal = frustum.u * n.x() + frustum.v * n.y() + frustum.axis * n.z();
  return out;
}

SurfacePoint distance(const Solid& solid, const Vec3& point) {
  if (const auto* frustum = std::get_if<Frustum>(&solid)) return distance(*frustum, point);
  return distance(*std::get_if<Sphere>(&solid), point);
}

Eigen::AlignedBox3d bounds(const Solid& solid) {
  Eigen::AlignedBox3d box;
  if (const auto* sphere = std::get_if<Sphere>(&solid)) {
    const Vec3 reach = Vec3::Constant(std::max(sphere->radius, 0.0));
    box.extend(Vec3(sphere->center - reach));
    box.extend(Vec3(sphere->center + reach));
    return box;
  }
  const auto* f = std::get_if<Frustum>(&solid);
  const auto extend = [&](const Vec3& center, const Vec2& radii) {
    const Vec3 along_u = f->u * clamped_radius(radii.x()), along_v = f->v * clamped_radius(radii.y());
    const Vec3 reach = (along_u.array().square() + along_v.array().square()).sqrt();
    box.extend(Vec3(center - reach));
    box.extend(Vec3(center + reach));
  };
  extend(f->bottom, f->bottom_radii);
  extend(f->top, f->top_radii);
  return box;
}

JiContact ji_contact(const Frustum& frustum, const Vec3& point, const Vec3& velocity, double delta, double alpha) {
  JiContact out;
  // Step 1: between the ends.
  const Vec3 span = frustum.top - frustum.bottom;
  const double height = clamped_radius(span.dot(frustum.axis));
  const double t = (point - frustum.bottom).dot(frustum.axis) / height;
  if (!(t > 0.0 && t < 1.0)) return out;
  // Step 2: the bands at the particle's height; Q1 is the centre there, M the flank.
  const double bottom_radius = clamped_radius(frustum.bottom_radii.x());
  const double top_radius = clamped_radius(frustum.top_radii.x());
  const Vec3 q1 = frustum.bottom + span * t, outward = point - q1;
  const double radius = bottom_radius + (top_radius - bottom_radius) * t, reach = outward.norm();
  const Vec3 direction = reach > 1e-12 ? Vec3(outward / reach) : frustum.u;
  const double excess = reach - radius;
  out.band = excess < -alpha * delta ? JiContact::Band::kPenetrating
             : excess > delta        ? JiContact::Band::kOutside
                                     : JiContact::Band::kNear;
  // Step 3: the generator through M in the plane of P and the line of centres; it meets the apex O when extended.
  const Vec3 m = q1 + direction * radius;
  const Vec3 generator = (span + direction * (top_radius - bottom_radius)).normalized();
  const Vec3 foot = m + generator * (point - m).dot(generator);
  const Vec3 np = point - foot;
  const double length = np.norm(), sign = excess < 0.0 ? -1.0 : 1.0;
  out.gap = sign * length;
  out.normal =
      length > 1e-12 ? Vec3(sign * np / length) : Vec3((direction - generator * direction.dot(generator)).normalized());
  // Step 4: moving inward.
  out.contact = out.band == JiContact::Band::kNear && velocity.dot(out.normal) < 0.0;
  return out;
}

SolidSet::SolidSet(std::vector<Solid> solids) : solids_(std::move(solids)) {
  for (size_t i = 0; i < solids_.size(); ++i) {
    boxes_.push_back(bounds(solids_[i]));
    order_.push_back(static_cast<int>(i));
  }
  if (!solids_.empty()) build(0, static_cast<int>(solids_.size()));
}

// Splits at the median of the box centres along the widest direction; leaves hold up to two solids.
void SolidSet::build(int begin, int end) {
  const size_t self = nodes_.size();
  nodes_.emplace_back();
  Eigen::AlignedBox3d centers;
  for (int i = begin; i < end; ++i) {
    nodes_[self].box.extend(boxes_[order_[i]]);
    centers.extend(boxes_[order_[i]].center());
  }
  if (end - begin <= 2) {
    nodes_[self].begin = begin, nodes_[self].end = end;
    return;
  }
  int axis = 0;
  centers.sizes().maxCoeff(&axis);
  std::sort(order_.begin() + begin, order_.begin() + end, [&](int a, int b) {
    const double ca = boxes_[a].center()[axis], cb = boxes_[b].center()[axis];
    return ca != cb ? ca < cb : a < b;
  });
  const int middle = (begin + end) / 2;
  build(begin, middle);
  nodes_[self].right = static_cast<int>(nodes_.size());
  build(middle, end);
}

SolidSet::Hit SolidSet::nearest(const Vec3& point, double max_distance) const {
  Hit hit;
  if (nodes_.empty()) return hit;
  double best = max_distance;
  std::array<int, 64> stack;
  int depth = 0;
  stack[depth++] = 0;
  const auto out_of_reach = [&](const Eigen::AlignedBox3d& box) {
    const double reach = std::max(best, 0.0);
    return box_distance_squared(box, point) > reach * reach;
  };
  while (depth > 0) {
    const int index = stack[--depth];
    const Node& node = nodes_[index];
    if (out_of_reach(node.box)) continue;
    if (node.begin == node.end) {
      const int first = index + 1, second = node.right;
      const bool second_nearer =
          box_distance_squared(nodes_[second].box, point) < box_distance_squared(nodes_[first].box, point);
      stack[depth++] = second_nearer ? first : second;
      stack[depth++] = second_nearer ? second : first;
      continue;
    }
    for (int i = node.begin; i < node.end; ++i) {
      const int solid = order_[i];
      if (out_of_reach(boxes_[solid])) continue;
      const SurfacePoint surface = distance(solids_[solid], point);
      if (surface.distance > best || (surface.distance == best && hit.solid >= 0 && solid > hit.solid)) continue;
      best = surface.distance;
      hit = {solid, surface};
    }
  }
  return hit;
}

template <typename Visit>
void SolidSet::visit_within(const Vec3& point, double reach, Visit visit) const {
  std::array<int, 64> stack;
  int depth = 0;
  if (!nodes_.empty()) stack[depth++] = 0;
  while (depth > 0) {
    const int index = stack[--depth];
    const Node& node = nodes_[index];
    if (box_distance_squared(node.box, point) > reach * reach) continue;
    if (node.begin == node.end) {
      stack[depth++] = node.right;
      stack[depth++] = index + 1;
      continue;
    }
    for (int i = node.begin; i < node.end; ++i) {
      const int solid = order_[i];
      if (box_distance_squared(boxes_[solid], point) > reach * reach) continue;
      visit(solid, distance(solids_[solid], point));
    }
  }
}

SurfacePoint SolidSet::rounded(const Vec3& point, double max_distance, double width) const {
  constexpr double kWidths = 8.0;  // further solids weigh less than 4e-4
  const Hit first = nearest(point, max_distance);
  if (first.solid < 0) return {max_distance, Vec3::UnitY()};
  const double limit = first.surface.distance + kWidths * width;
  double sum = 0.0;
  Vec3 normal = Vec3::Zero();
  visit_within(point, std::max(limit, 0.0), [&](int, const SurfacePoint& surface) {
    if (surface.distance > limit) return;
    const double weight = std::exp((first.surface.distance - surface.distance) / width);
    sum += weight;
    normal += weight * surface.normal;
  });
  const double length = normal.norm();
  return {first.surface.distance - width * std::log(sum), length > 1e-6 ? Vec3(normal / length) : first.surface.normal};
}

}  // namespace tryon
