// What it is: ways to spoil a clean mesh as scanners do: noise, holes, points without triangles.
// Units and frame: the mesh's. How it fails: it does not. Thread rules: pure functions; equal input, equal bytes.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "server/body/scan_points.h"
#include "server/mesh/point_cloud.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon::testing {

// Without the triangles whose middle lies within `radius` of `at`.
inline TriangleMesh with_hole(const TriangleMesh& mesh, const Vec3& at, double radius) {
  TriangleMesh out{mesh.positions, {}};
  for (const Triangle& t : mesh.triangles) {
    const Vec3 middle = (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) / 3.0;
    if ((middle - at).norm() > radius) out.triangles.push_back(t);
  }
  return out;
}

inline double normal_deviate(std::mt19937* random) {  // the library's own distributions differ between compilers
  const double u = ((*random)() + 1.0) / 4294967297.0, v = (*random)() / 4294967296.0;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
}

inline TriangleMesh with_noise(const TriangleMesh& mesh, double deviation) {
  TriangleMesh out = mesh;
  std::mt19937 random(7);
  for (Vec3& p : out.positions) {
    for (int k = 0; k < 3; ++k) p[k] += deviation * normal_deviate(&random);
  }
  return out;
}

inline PointCloud as_points(const TriangleMesh& mesh, double spacing) {
  PointCloud cloud;
  cloud.positions = sample_surface(mesh, spacing);
  return cloud;
}

}  // namespace tryon::testing
