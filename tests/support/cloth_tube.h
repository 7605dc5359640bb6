// What it is: a tube of cloth round the y axis for tests of fit: welded, with its rest shape per corner, outward.
// Units and frame: metres. Shapes: (rings + 1) x sides vertices, ring by ring from the bottom. How it fails: it does
// not. Thread rules: pure function.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon::testing {

struct ClothTube {
  TriangleMesh mesh;
  std::vector<std::array<Vec2, 3>> corner_flat;  // weft round the tube, warp upwards
};

// radius(share of the height, angle); the rest shape is a rectangle of rest_girth x rest_height.
inline ClothTube make_tube(int sides, int rings, double bottom, double height, double rest_girth, double rest_height,
                           const std::function<double(double, double)>& radius) {
  ClothTube out;
  for (int r = 0; r <= rings; ++r) {
    for (int s = 0; s < sides; ++s) {
      const double up = static_cast<double>(r) / rings, angle = 2 * std::numbers::pi * s / sides;
      const double at = radius(up, angle);
      out.mesh.positions.emplace_back(at * std::sin(angle), bottom + up * height, at * std::cos(angle));
    }
  }
  const auto flat = [&](int s, int r) { return Vec2(rest_girth * s / sides, rest_height * r / rings); };
  for (int r = 0; r < rings; ++r) {
    for (int s = 0; s < sides; ++s) {
      const int a = r * sides + s, b = r * sides + (s + 1) % sides, c = a + sides, d = b + sides;
      out.mesh.triangles.emplace_back(a, b, d);
      out.corner_flat.push_back({flat(s, r), flat(s + 1, r), flat(s + 1, r + 1)});
      out.mesh.triangles.emplace_back(a, d, c);
      out.corner_flat.push_back({flat(s, r), flat(s + 1, r + 1), flat(s, r + 1)});
    }
  }
  return out;
}

// Length of a regular polygon with its corners on a circle.
inline double polygon_girth(double radius, int sides) {
  return 2 * radius * sides * std::sin(std::numbers::pi / sides);
}

}  // namespace tryon::testing
