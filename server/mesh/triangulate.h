// What it is: quality triangulation of one planar polygon whose boundary points are given and kept exactly.
// Never puts a point on the boundary, so seam partners keep equal vertex counts. Units: the polygon's own (metres).
// Shapes: boundary [n] one simple loop in either direction; result positions begin with the boundary in its order.
// How it fails: a loop that crosses itself or has no area is refused with the two offending indices. Pure function.
// Cites: Shewchuk 1996/2002 (constrained Delaunay, Ruppert/Chew refinement).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct PlanarMesh {
  std::vector<Vec2> positions;      // boundary first, then interior
  std::vector<Triangle> triangles;  // in the direction of the given loop
};

absl::StatusOr<PlanarMesh> triangulate(const std::vector<Vec2>& boundary, double edge_length);

}  // namespace tryon
