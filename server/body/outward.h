// What it is: makes the triangles of a scan face outward: neighbours agree, and the whole encloses a positive volume.
// Units and frame: any. How it fails: it does not; edges with more than two triangles separate patches, and a surface
// with one side only keeps what its first triangle says. Thread rules: pure function.
#pragma once

#include <string>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

// Says in `healed` what was turned.
void make_outward(TriangleMesh* mesh, std::vector<std::string>* healed);

}  // namespace tryon
