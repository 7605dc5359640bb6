// What it is: where a surface turns away from its tangent plane so fast that it comes through a flat triangle whose
// corners lie on it: nipples, knuckles, an ear's rim, collarbones. A vertex is sharp where the surface has fallen, 10
// mm from it, by 2 mm in the direction in which it falls most and by half a millimetre in the mean of all. Of a fine
// mesh one vertex in 3 mm is looked at. Units and frame: metres, the mesh's. Shapes: in the order of the mesh's
// vertices. How it fails: it does not; a mesh without triangles has none. Thread rules: a pure function. Cites: Euler's
// theorem of curvatures (the fall is c + a cos 2t + b sin 2t round a vertex), do Carmo 1976, 3.2.
#pragma once

#include <vector>

#include "server/base/run_context.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct SharpPoint {
  Vec3 at = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  // outward, unit
};

std::vector<SharpPoint> sharp_points(const RunContext& run, const TriangleMesh& mesh);

}  // namespace tryon
