// What it is: whether what carries a cloth is in balance with its weight. Units and frame: metres, N, +Y up.
// Shapes: all [vertex_count]. How it fails: it does not; without weight or height the share is 0.
// Thread rules: pure function.
#pragma once

#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

// The moment of all reactions about the centroid of the weights, over the weight times the height of the cloth:
// weights have none there, so at rest it is 0.
double unbalanced_moment(const std::vector<Vec3>& positions, const std::vector<double>& weight,
                         const std::vector<Vec3>& reaction);

}  // namespace tryon
