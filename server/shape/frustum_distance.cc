#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "server/shape/local_frustum.h"

namespace tryon {
namespace {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;

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

// The minimum of phi in [low, high] by Newton's method, kept in the bracket by the sign of the slope. A step that
// leaves the bracket tries its end, where the minimum may well be.
double minimise_circle(const LocalFrustum& f, const Vec3& p, double low, double high, double t) {
  bool low_known = false, high_known = false;
  for (int i = 0; i < 60 && high - low > 1e-14; ++i) {
    const CircleTerms at = circle_terms(f, p, t);
    (at.slope > 0.0 ? high : low) = t;
    (at.slope > 0.0 ? high_known : low_known) = true;
    double next = at.curvature > 0.0 ? t - at.slope / at.curvature : 0.5 * (low + high);
    if (!(next > low)) next = low_known ? 0.5 * (low + high) : low;
    if (!(next < high)) next = high_known ? 0.5 * (low + high) : high;
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
  if (!f.upright()) return closest_circular_oblique(f, p);
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
FlankPoint descend(const LocalFrustum& f, const Vec3& p, double c, double s, double longest_step) {
  GeneratorTerms now = generator_terms(f, p, c, s);
  for (int i = 0; i < 40; ++i) {
    const bool convex = now.curvature > 0.0;
    double step = convex ? -now.slope / now.curvature : std::copysign(0.5 * longest_step, -now.slope);
    step = std::clamp(step, -longest_step, longest_step);
    GeneratorTerms next;
    for (int halving = 0; halving < 12; ++halving, step *= 0.5) {
      const double nc = now.at.c - step * now.at.s, ns = now.at.s + step * now.at.c;
      const double scale = 1.0 / std::sqrt(nc * nc + ns * ns);
      next = generator_terms(f, p, nc * scale, ns * scale);
      if (next.at.squared <= now.at.squared) break;
    }
    if (next.at.squared > now.at.squared) break;
    now = next;
    if (convex && std::abs(step) < 1e-4) break;  // Newton's error is then of the order of its square
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

// How finely the angle must be sampled: every stride-th of kFine.
constexpr int kFine = 144;
int sampling_stride(const LocalFrustum& f) {
  if (f.tame()) return 6;
  const double least = std::min({f.a0, f.b0, f.a0 + f.da, f.b0 + f.db});
  const double most = std::max({f.a0, f.b0, f.a0 + f.da, f.b0 + f.db});
  return most < 12.0 * least && f.ex * f.ex + f.ey * f.ey < 4.0 * f.height * f.height ? 3 : 1;
}

// Tries every minimum of a sampling of the angle that may be better than the best so far.
FlankPoint search_angles(const LocalFrustum& f, const Vec3& p, FlankPoint best) {
  static const std::array<Vec2, kFine> angles = [] {
    std::array<Vec2, kFine> out;
    for (int i = 0; i < kFine; ++i) out[i] = Vec2(std::cos(i * 2.0 * M_PI / kFine), std::sin(i * 2.0 * M_PI / kFine));
    return out;
  }();
  const int stride = sampling_stride(f), count = kFine / stride;
  std::array<double, kFine> value;
  const auto at_angle = [&](int i) -> const Vec2& { return angles[i * stride]; };
  for (int i = 0; i < count; ++i) value[i] = generator_terms(f, p, at_angle(i).x(), at_angle(i).y()).at.squared;
  // Between samples a generator moves by no more than this.
  const double sway = std::max({f.a0, f.b0, f.a0 + f.da, f.b0 + f.db}) * M_PI / count;
  for (int i = 0; i < count; ++i) {
    if (value[(i + count - 1) % count] < value[i] || value[(i + 1) % count] < value[i]) continue;
    if (std::sqrt(value[i]) - sway > std::sqrt(best.squared)) continue;
    const FlankPoint at = descend(f, p, at_angle(i).x(), at_angle(i).y(), 2.0 * M_PI / count);
    if (at.squared < best.squared) best = at;
  }
  return best;
}

FlankPoint closest_elliptic(const LocalFrustum& f, const Vec3& p) {
  const double t = std::clamp(p.z() / f.height, 0.0, 1.0);
  const Vec2 start = start_angle(f, p, t);
  const FlankPoint best = descend(f, p, start.x(), start.y(), 0.5);
  const double level = f.level_squared(t, p.x(), p.y());
  // Beside the flank the foot must face the point.
  const double facing = (p - flank_position(f, best)).dot(flank_normal(f, best)) * (level > 1.0 ? 1.0 : -1.0);
  const bool sees = facing >= 0.0 || p.z() < 0.0 || p.z() > f.height;
  return level > 0.5 && sees && f.tame() ? best : search_angles(f, p, best);
}

// The nearer of the flank and the walls, in the local frame. The ends' rims belong to the flank.
SurfacePoint local_distance(const LocalFrustum& f, const Vec3& p, Ends ends) {
  const bool simple = f.circular() && (f.upright() || f.tame());
  const FlankPoint flank = simple ? closest_circular(f, p) : closest_elliptic(f, p);
  const double t = p.z() / f.height;
  const bool inside = t >= 0.0 && t <= 1.0 && f.level_squared(t, p.x(), p.y()) <= 1.0;
  const double sign = inside ? -1.0 : 1.0;
  SurfacePoint out{std::sqrt(flank.squared), Vec3::UnitZ()};
  if (out.distance > kOnSurface) {
    out.normal = sign * (p - flank_position(f, flank)) / out.distance;
  } else {
    out.normal = flank_normal(f, flank);
  }
  const auto meet_wall = [&](End end, double t_end, double away, const Vec3& outward) {
    if (end == End::kJoined || !(std::abs(away) < out.distance) || f.level_squared(t_end, p.x(), p.y()) > 1.0) return;
    out.distance = std::abs(away);
    if (inside && end == End::kBuried) return;
    out.normal = !inside && away > 0.0 ? Vec3(-outward) : outward;  // beyond an open end: seen from within
  };
  meet_wall(ends.bottom, 0.0, p.z(), -Vec3::UnitZ());
  meet_wall(ends.top, 1.0, f.height - p.z(), Vec3::UnitZ());
  out.distance *= sign;
  return out;
}

}  // namespace

LocalFrustum local_frustum(const Frustum& f) {
  const Vec3 span = f.top - f.bottom;
  const double a0 = clamped_size(f.bottom_radii.x()), b0 = clamped_size(f.bottom_radii.y());
  return {span.dot(f.u),
          span.dot(f.v),
          clamped_size(span.dot(f.axis)),
          a0,
          b0,
          clamped_size(f.top_radii.x()) - a0,
          clamped_size(f.top_radii.y()) - b0};
}

SurfacePoint distance_between(const Frustum& frustum, Ends ends, const Vec3& point) {
  if (!is_somewhere(point)) return nowhere();
  const Vec3 from = point - frustum.bottom;
  const Vec3 local(from.dot(frustum.u), from.dot(frustum.v), from.dot(frustum.axis));
  SurfacePoint out = local_distance(local_frustum(frustum), local, ends);
  const Vec3 n = out.normal;
  out.normal = frustum.u * n.x() + frustum.v * n.y() + frustum.axis * n.z();
  return out;
}

SurfacePoint distance(const Frustum& frustum, const Vec3& point) {
  return distance_between(frustum, ends_of(frustum), point);
}

}  // namespace tryon
