// What it is: quality triangulation of one planar polygon whose boundary points are given and kept exactly, with lines
// and points inside it that become edges and vertices. Never puts a point on the boundary, so seam partners keep equal
// vertex counts; lines inside may get points. Units: the polygon's own (metres).
// Shapes: boundary [n] one simple loop in either direction; result positions begin with the boundary in its order.
// How it fails: a loop or line that crosses or leaves is refused with the offending indices. Pure function.
// Cites: Ruppert 1995, Chew 1993, Shewchuk 1996/2002 (constrained Delaunay refinement).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct PlanarDomain {
  std::vector<Vec2> outline;             // one simple loop, either direction
  std::vector<std::vector<Vec2>> lines;  // open polylines inside; an end on the outline must be one of its points
  std::vector<Vec2> points;              // notches and drill holes: vertices, inside or on points of the outline
};

struct PlanarMesh {
  std::vector<Vec2> positions;          // outline first, then all others, neighbours near in memory
  std::vector<Triangle> triangles;      // in the direction of the given loop
  std::vector<std::vector<int>> lines;  // vertices along each line, both ends included
  std::vector<int> points;              // vertex of each point
  // Sides of the outline (i: from point i to the next) that must be halved for triangles of 25 degrees and more.
  std::vector<int> cramping_sides;
};

absl::StatusOr<PlanarMesh> triangulate(const PlanarDomain& domain, double edge_length);
absl::StatusOr<PlanarMesh> triangulate(const std::vector<Vec2>& boundary, double edge_length);

// Sides that should be halved before the polygon is triangulated (Ruppert's rule, see refine.h); ascending.
absl::StatusOr<std::vector<int>> long_sides(const PlanarDomain& domain, double edge_length);

}  // namespace tryon
