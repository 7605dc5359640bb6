// What it is: makes a surface edge-manifold where sheets merely touch: each edge joins two triangles, vertices are
// split accordingly, nothing moves. Units: any. Shapes: as TriangleMesh; triangles keep their order.
// How it fails: gives false where edges have no partner in the opposite sense (open or badly turned); the mesh is then
// as it was. Thread rules: pure function.
#pragma once

#include "server/mesh/triangle_mesh.h"

namespace tryon {
bool separate_sheets(TriangleMesh* mesh);
}  // namespace tryon
