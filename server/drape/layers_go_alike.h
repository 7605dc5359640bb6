// What it is: a way for a cloth that leads none of its layers through another. What a coarser level went takes the
// layers of a fold apart or together by more than they are apart; where it would make them cross, who lies near goes
// the mean way of all round about: a map of space that changes slowly takes no layer past another. Elsewhere the way
// stays. Units and frame: m. Shapes: positions, way [vertex_count]; `already` pairs of triangles may cross, as they do
// before. How it fails: nothing where more cross whatever is done. Thread rules: as RunContext.
#pragma once

#include <optional>
#include <vector>

#include "server/base/run_context.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

std::optional<std::vector<Vec3>> layers_go_alike(const RunContext& run, const TriangleMesh& cloth,
                                                 const std::vector<Vec3>& way, int already);

}  // namespace tryon
