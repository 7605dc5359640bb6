// What it is: closes the holes of a surface: each boundary loop is spanned by the triangulation of least bending and
// area, refined to the density about it, and faired so that it goes on smoothly from the skin around.
// Units and frame: any. Shapes: old vertices and triangles keep their indices but for what `make_manifold` drops; new
// ones follow. How it fails: loops that no patch fits are left and counted in `open`.
// Thread rules: pure functions; equal input gives equal bytes.
// Cites: Barequet and Sharir 1995 (least-area triangulation), Liepa 2003 (weights, refinement, fairing).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct ManifoldReport {
  int dropped = 0;  // triangles beyond two at an edge, and spikes that hang on one edge
  int split = 0;    // vertices at which separate fans met
};
// Every edge has at most two triangles and every vertex one fan.
ManifoldReport make_manifold(TriangleMesh* mesh);

// Boundary loops of a manifold mesh in the order in which a patch walks them, the longest last.
std::vector<std::vector<int>> boundary_loops(const TriangleMesh& mesh);

struct HoleReport {
  int filled = 0, open = 0;
  double area = 0.0;            // of the patches
  double largest_area = 0.0;    // of one
  Vec3 largest = Vec3::Zero();  // the middle of that one
  int first_made = 0;           // vertices from here on were made
  std::vector<int> made_triangles;
};
absl::StatusOr<HoleReport> fill_holes(const RunContext& run, TriangleMesh* mesh);

// Moves the given vertices to where the surface bends least, its ends tangent to the rest.
bool fair_vertices(const std::vector<int>& free, TriangleMesh* mesh);

}  // namespace tryon
