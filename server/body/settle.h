// What it is: how a rigid figure comes to rest on a floor: tipped over its lowest points until it stands on three of
// them with its middle above. Units and frame: any; `up` unit. Shapes: points [point_count].
// How it fails: it does not; a figure that does not come to rest within thirty tips keeps the last direction.
// Thread rules: pure function.
#pragma once

#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

// The direction that is up once the figure, let go with `up` upwards, has come to rest.
Vec3 settle(const std::vector<Vec3>& points, const Vec3& up);

}  // namespace tryon
