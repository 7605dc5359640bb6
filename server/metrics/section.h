// What it is: plane cuts of cloth, each with its length as the cloth lies and as it is at rest: what a tape would read
// along the cloth, and what the pattern gave. Units and frame: metres, the mesh's. Shapes: a loop's points in walking
// order, a closed one does not repeat its first; a cut through a free edge gives an open one.
// How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <array>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct ClothLoop {
  std::vector<Vec3> points;
  double length = 0.0, rest_length = 0.0;
  double area = 0.0;  // that it encloses in its plane
  bool closed = false;
};

// Loops of the plane through `origin` with `normal`, in the order of their first triangle.
std::vector<ClothLoop> cut_cloth(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat,
                                 const Vec3& origin, const Vec3& normal);

// Whether a closed polygon near a plane goes round a point, both seen along `normal`.
bool goes_round(const std::vector<Vec3>& polygon, const Vec3& normal, const Vec3& point);

// Area of a polygon seen along `normal`, never negative.
double area_along(const std::vector<Vec3>& polygon, const Vec3& normal);

}  // namespace tryon
