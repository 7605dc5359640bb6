#include "server/body/proxy_section.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/base/units.h"

namespace tryon {
namespace {

const std::array<Vec2, kSectionSides>& unit_circle() {
  static const std::array<Vec2, kSectionSides> points = [] {
    std::array<Vec2, kSectionSides> out;
    for (int i = 0; i < kSectionSides; ++i) {
      out[i] = Vec2(std::cos(2.0 * kPi * i / kSectionSides), std::sin(2.0 * kPi * i / kSectionSides));
    }
    return out;
  }();
  return points;
}

void append_crossing(const SectionPlane& plane, const Vec3& a, const Vec3& b, std::vector<Vec2>* out) {
  const double ha = plane.height(a), hb = plane.height(b);
  if ((ha < 0.0) == (hb < 0.0)) return;
  out->push_back(plane.flat(a + (b - a) * (ha / (ha - hb))));
}

// The generators and both rims.
void append_frustum(const SectionPlane& plane, const Frustum& f, std::vector<Vec2>* out) {
  std::array<Vec3, kSectionSides> low, high;
  for (int i = 0; i < kSectionSides; ++i) {
    const Vec2& q = unit_circle()[i];
    low[i] = f.bottom + f.u * (f.bottom_radii.x() * q.x()) + f.v * (f.bottom_radii.y() * q.y());
    high[i] = f.top + f.u * (f.top_radii.x() * q.x()) + f.v * (f.top_radii.y() * q.y());
  }
  for (int i = 0; i < kSectionSides; ++i) {
    const int next = (i + 1) % kSectionSides;
    append_crossing(plane, low[i], high[i], out);
    append_crossing(plane, low[i], low[next], out);
    append_crossing(plane, high[i], high[next], out);
  }
}

void append_sphere(const SectionPlane& plane, const Sphere& sphere, std::vector<Vec2>* out) {
  const double h = plane.height(sphere.center), squared = sphere.radius * sphere.radius - h * h;
  if (squared <= 0.0) return;
  for (const Vec2& q : unit_circle()) out->push_back(plane.flat(sphere.center) + std::sqrt(squared) * q);
}

}  // namespace

void append_section(const SectionPlane& plane, const Solid& solid, std::vector<Vec2>* out) {
  if (const auto* frustum = std::get_if<Frustum>(&solid)) {
    append_frustum(plane, *frustum, out);
  } else {
    append_sphere(plane, *std::get_if<Sphere>(&solid), out);
  }
}

std::vector<std::vector<Vec2>> section_triangles(const TriangleMesh& mesh, const std::vector<int>& triangles,
                                                 const SectionPlane& plane, double first, double step, int count) {
  std::vector<std::vector<Vec2>> out(std::max(count, 0));
  for (const int t : triangles) {
    std::array<Vec3, 3> p;
    std::array<double, 3> h;
    for (int k = 0; k < 3; ++k) p[k] = mesh.positions[mesh.triangles[t][k]], h[k] = plane.height(p[k]);
    const auto [low, high] = std::minmax({h[0], h[1], h[2]});
    const int begin = std::max(0, static_cast<int>(std::ceil((low - first) / step)));
    const int end = std::min(count - 1, static_cast<int>(std::floor((high - first) / step)));
    for (int i = begin; i <= end; ++i) {
      const double at = first + step * i;
      for (int k = 0; k < 3; ++k) {
        const double a = h[k] - at, b = h[(k + 1) % 3] - at;
        if ((a < 0.0) != (b < 0.0)) out[i].push_back(plane.flat(p[k] + (p[(k + 1) % 3] - p[k]) * (a / (a - b))));
      }
    }
  }
  return out;
}

}  // namespace tryon
