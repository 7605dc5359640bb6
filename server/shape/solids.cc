#include "server/shape/solids.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/shape/local_frustum.h"

namespace tryon {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;

SurfacePoint distance(const Sphere& sphere, const Vec3& point) {
  if (!is_somewhere(point)) return nowhere();
  const Vec3 offset = point - sphere.center;
  const double length = offset.norm();
  const double radius = sphere.radius > 0.0 ? sphere.radius : 0.0;
  return {length - radius, length > 1e-12 ? Vec3(offset / length) : Vec3::UnitY()};
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
    const Vec3 along_u = f->u * clamped_size(radii.x()), along_v = f->v * clamped_size(radii.y());
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
  const double height = clamped_size(span.dot(frustum.axis));
  const double t = (point - frustum.bottom).dot(frustum.axis) / height;
  if (!(t > 0.0 && t < 1.0)) return out;
  // Step 2: the bands at the particle's height; Q1 is the centre there, M the flank.
  const double bottom_radius = clamped_size(frustum.bottom_radii.x());
  const double top_radius = clamped_size(frustum.top_radii.x());
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

}  // namespace tryon
