// What it is: an indexed triangle mesh and the few facts that everything asks of it.
// Units and frame: whatever its owner says (SI, +Y up after import). Shapes: positions [vertex_count],
// triangles [triangle_count] of vertex indices, counter-clockwise seen from outside.
// How it fails: validate() names the first offending element. Thread rules: plain value.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "absl/status/status.h"

namespace tryon {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Triangle = Eigen::Vector3i;
using Box3 = Eigen::AlignedBox3d;

struct TriangleMesh {
  std::vector<Vec3> positions;      // [vertex_count]
  std::vector<Triangle> triangles;  // [triangle_count]

  int vertex_count() const { return static_cast<int>(positions.size()); }
  int triangle_count() const { return static_cast<int>(triangles.size()); }
};

// Finite positions and in-range, distinct indices; the field of the error is "<name>.vertex[7]" or the like.
absl::Status validate(const TriangleMesh& mesh, std::string_view name);

Box3 bounds(const TriangleMesh& mesh);
double surface_area(const TriangleMesh& mesh);
double signed_volume(const TriangleMesh& mesh);                // positive for a closed mesh with outward triangles
Vec3 triangle_normal(const TriangleMesh& mesh, int triangle);  // not normalised: length is twice the area

// Area-weighted unit normals [vertex_count]; a vertex without triangles gets +Y.
std::vector<Vec3> vertex_normals(const TriangleMesh& mesh);

struct EdgeUse {
  int a, b;         // vertices, a < b
  int left, right;  // triangles, right = -1 on a boundary; a non-manifold edge appears once a pair
};
std::vector<EdgeUse> mesh_edges(const TriangleMesh& mesh);  // sorted by (a, b)

// Component index of each triangle [triangle_count] (connected by shared vertices), and the component count.
std::pair<std::vector<int>, int> connected_components(const TriangleMesh& mesh);

}  // namespace tryon
