// What it is: a mesh of fewer triangles that looks alike, for sending and showing, never for measuring: edge collapses
// by quadric error (meshoptimizer, MIT), corners kept where they are, so that what belongs to a vertex stays with it.
// Units and frame: the mesh's. Vertices at one place are the sides of a seam and move together.
// How it fails: it does not; where fewer triangles would break the surface there stay more. Thread rules: pure
// function.
#pragma once

#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct SimplifiedMesh {
  TriangleMesh mesh;
  std::vector<int> source;  // [vertex_count] the vertex that it was
};

SimplifiedMesh simplify_mesh(const TriangleMesh& mesh, int most_triangles);

}  // namespace tryon
