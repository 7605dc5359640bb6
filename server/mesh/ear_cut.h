// What it is: a first triangulation of a simple polygon, by cutting off one strictly convex corner after another.
// Units: any. Shapes: loop [n] counter-clockwise; triangles of its indices, counter-clockwise, none of them flat.
// How it fails: false where no ear is left (the loop is not simple, or runs clockwise). Pure function.
// Cites: Meisters 1975 (two ears).
#pragma once

#include <array>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

bool cut_ears(const std::vector<Vec2>& counter_clockwise_loop, std::vector<std::array<int, 3>>* triangles);

}  // namespace tryon
