// What it is: random solids, tame and wild, points about them, and the slow obvious distance that judges all others.
// Units: metres. How it fails: never. Thread rules: pure functions of the generator that is passed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "server/shape/solids.h"

namespace tryon::testing {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;

inline double uniform(std::mt19937& random, double low, double high) {
  return low + (high - low) * (random() / 4294967296.0);
}

inline Vec3 random_direction(std::mt19937& random) {
  const double z = uniform(random, -1, 1), angle = uniform(random, 0, 2 * M_PI), r = std::sqrt(1 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

inline Vec3 random_point(std::mt19937& random, double reach) {
  return {uniform(random, -reach, reach), uniform(random, -reach, reach), uniform(random, -reach, reach)};
}

enum class Section { kCircle, kEllipse };

inline Frustum random_frustum(std::mt19937& random, Section section, double lean = 1.0) {
  Frustum f;
  f.axis = random_direction(random);
  f.u = f.axis.unitOrthogonal();
  f.v = f.axis.cross(f.u);
  f.bottom = random_point(random, 1);
  f.top = f.bottom + f.axis * uniform(random, 0.01, 0.3) + lean * f.u * uniform(random, -0.1, 0.1) +
          lean * f.v * uniform(random, -0.1, 0.1);
  f.bottom_radii = Vec2(uniform(random, 0.03, 0.2), uniform(random, 0.03, 0.2));
  f.top_radii = Vec2(uniform(random, 0.03, 0.2), uniform(random, 0.03, 0.2));
  if (section == Section::kCircle) f.bottom_radii.y() = f.bottom_radii.x(), f.top_radii.y() = f.top_radii.x();
  return f;
}

// Solids that no body has, one kind after the other.
constexpr int kWildKinds = 9;
inline Frustum wild_frustum(std::mt19937& random, int kind) {
  Frustum f = random_frustum(random, kind % 2 ? Section::kCircle : Section::kEllipse);
  const Vec3 along = f.axis * (f.top - f.bottom).dot(f.axis);
  switch (kind % kWildKinds) {
    case 0:
      f.top_radii = f.bottom_radii = Vec2::Zero();
      break;  // a line
    case 1:
      f.top_radii = f.bottom_radii = Vec2(0.15, 0.003);
      break;  // a blade, 1:50
    case 2:
      f.top_radii = Vec2::Zero();
      break;  // an elliptic cone
    case 3:
      f.top_radii = Vec2::Zero(), f.top = f.bottom + along;
      break;  // a right cone
    case 4:
      f.top = f.bottom + along + 5.0 * along.norm() * f.u;
      break;  // leans far over
    case 5:
      f.top_radii = f.bottom_radii = Vec2(2e-3, 2e-3), f.top = f.bottom + along;
      break;  // a needle
    case 6:
      f.top = f.bottom + 1e-4 * f.axis + 0.01 * f.v;
      break;  // a plate
    case 7:
      f.bottom_radii = Vec2(0.15, 0.003), f.top_radii = Vec2(0.003, 0.15);
      break;  // twisted like a reed
    default:
      f.top_radii = f.bottom_radii = Vec2(0.2, 0.2 / uniform(random, 1, 50));
      break;  // flat cylinders
  }
  return f;
}

inline std::vector<Solid> random_solids(std::mt19937& random, int count) {
  std::vector<Solid> solids;
  for (int i = 0; i < count; ++i) {
    if (i % 4 == 0) {
      solids.push_back(Sphere{Vec3(uniform(random, -1, 1), uniform(random, -1, 1), 0), uniform(random, 0.05, 0.2)});
    } else {
      solids.push_back(random_frustum(random, i % 2 ? Section::kCircle : Section::kEllipse));
    }
  }
  return solids;
}

// A chain of open frusta with shared end ellipses, as the proxy fit makes them, from the origin upwards.
inline std::vector<Solid> random_chain(std::mt19937& random, int count) {
  std::vector<Solid> chain;
  Frustum f;
  f.bottom_radii = Vec2(0.15, 0.1);
  for (int i = 0; i < count; ++i) {
    f.top =
        f.bottom + Vec3(uniform(random, -0.004, 0.004), uniform(random, 0.015, 0.04), uniform(random, -0.004, 0.004));
    f.top_radii = f.bottom_radii + Vec2(uniform(random, -0.006, 0.006), uniform(random, -0.006, 0.006));
    f.open_bottom = i > 0, f.open_top = i + 1 < count;
    chain.push_back(f);
    f.bottom = f.top, f.bottom_radii = f.top_radii;
  }
  return chain;
}

// A trunk of twelve with two arms that start inside it, and shoulders: chains, buried ends and spheres together.
inline std::vector<Solid> random_figure(std::mt19937& random) {
  std::vector<Solid> out = random_chain(random, 12);
  const Vec3 root = std::get<Frustum>(out[9]).bottom;
  for (const double side : {-1.0, 1.0}) {
    Frustum f;
    f.axis = Vec3(side * 0.8, -0.6, 0), f.u = Vec3(side * 0.6, 0.8, 0), f.v = Vec3::UnitZ();
    f.bottom = root + Vec3(side * 0.09, 0, 0), f.bottom_radii = Vec2(0.055, 0.045);
    for (int i = 0; i < 8; ++i) {
      f.top = f.bottom + f.axis * uniform(random, 0.03, 0.06) + f.v * uniform(random, -0.003, 0.003);
      f.top_radii = f.bottom_radii - Vec2(uniform(random, 0, 0.004), uniform(random, -0.001, 0.003));
      f.open_bottom = true, f.open_top = i < 7;
      out.push_back(f);
      f.bottom = f.top, f.bottom_radii = f.top_radii;
    }
    out.push_back(Sphere{root + Vec3(side * 0.1, 0, 0), 0.06});
  }
  return out;
}

// The flank: a straight generator for each turn in [0, 1].
inline Vec3 flank_point(const Frustum& f, double t, double turn) {
  const Vec2 radii = (1 - t) * f.bottom_radii + t * f.top_radii;
  return (1 - t) * f.bottom + t * f.top + radii.x() * std::cos(2 * M_PI * turn) * f.u +
         radii.y() * std::sin(2 * M_PI * turn) * f.v;
}

inline double distance_to_generator(const Frustum& f, const Vec3& p, double turn) {
  const Vec3 a = flank_point(f, 0, turn), b = flank_point(f, 1, turn);
  const double s = (p - a).dot(b - a) / std::max((b - a).squaredNorm(), 1e-300);
  return (p - a - std::clamp(s, 0.0, 1.0) * (b - a)).norm();
}

// Beside the disc of an end infinite, else the distance to its plane.
inline double distance_to_end(const Frustum& f, const Vec3& p, bool top) {
  const Vec3 q = p - (top ? f.top : f.bottom);
  const Vec2 radii = (top ? f.top_radii : f.bottom_radii).cwiseMax(1e-9);
  const bool over = std::pow(q.dot(f.u) / radii.x(), 2) + std::pow(q.dot(f.v) / radii.y(), 2) <= 1;
  return over ? std::abs(q.dot(f.axis)) : std::numeric_limits<double>::infinity();
}

// The slow, obvious distance: every generator of `count` sampled, and golden-section search about each local minimum.
inline double brute_distance(const Frustum& f, const Vec3& p, int count = 360) {
  double best = std::numeric_limits<double>::infinity();
  if (!f.open_bottom) best = std::min(best, distance_to_end(f, p, false));
  if (!f.open_top) best = std::min(best, distance_to_end(f, p, true));
  const auto at = [&](double turn) { return distance_to_generator(f, p, turn / count); };
  std::vector<double> sampled(count);
  for (int i = 0; i < count; ++i) sampled[i] = at(i);
  for (int i = 0; i < count; ++i) {
    if (sampled[(i + count - 1) % count] < sampled[i] || sampled[(i + 1) % count] < sampled[i]) continue;
    double low = i - 1, high = i + 1;
    while (high - low > 1e-7) {
      const double a = low + 0.382 * (high - low), b = low + 0.618 * (high - low);
      const bool left = at(a) < at(b);
      (left ? high : low) = left ? b : a;
    }
    best = std::min(best, at(0.5 * (low + high)));
  }
  return best;
}

inline bool holds(const Frustum& f, const Vec3& p) {
  const double t = (p - f.bottom).dot(f.axis) / (f.top - f.bottom).dot(f.axis);
  if (t < 0 || t > 1) return false;
  const Vec3 q = p - ((1 - t) * f.bottom + t * f.top);
  const Vec2 radii = (1 - t) * f.bottom_radii + t * f.top_radii;
  return std::pow(q.dot(f.u) / radii.x(), 2) + std::pow(q.dot(f.v) / radii.y(), 2) <= 1;
}

inline Vec3 random_point_near(std::mt19937& random, const Frustum& f, double reach) {
  const Vec3 on = flank_point(f, uniform(random, -0.1, 1.1), uniform(random, 0, 1));
  return on + random_direction(random) * uniform(random, 0, reach);
}

// A point about any of the solids.
inline Vec3 random_point_near(std::mt19937& random, const std::vector<Solid>& solids, double reach) {
  const Solid& solid = solids[random() % solids.size()];
  if (const auto* f = std::get_if<Frustum>(&solid)) return random_point_near(random, *f, reach);
  const auto* s = std::get_if<Sphere>(&solid);
  return s->center + random_direction(random) * (s->radius + uniform(random, -reach, reach));
}

}  // namespace tryon::testing
