// What it is: one patch over one hole: triangulated, refined to the density of the rim, not yet faired.
// Units and frame: the mesh's. Shapes: the loop in the order in which the patch walks it.
// How it fails: fill() returns false and changes nothing where every triangulation would repeat an edge of the mesh.
// Thread rules: one patch at a time. Cites: Barequet and Sharir 1995; Liepa 2003, sections 3 and 4.
#pragma once

#include <cstdint>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

class PatchMaker {
 public:
  explicit PatchMaker(const TriangleMesh& mesh);
  bool fill(const std::vector<int>& loop, TriangleMesh* mesh);

 private:
  bool joined(int a, int b) const;  // by an edge of the mesh
  std::vector<uint64_t> edges_;     // of the mesh as it came, sorted
};

}  // namespace tryon
