// What it is: exact signs for points in the plane, and the outline test built on them.
// Units: any; the sign is that of the exact real value for the given doubles, rounding never decides.
// How it fails: coordinates must be finite (validate first). Thread rules: pure functions.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

int orientation(const Vec2& a, const Vec2& b, const Vec2& c);  // +1 left turn, 0 on one line, -1 right turn
// +1 where d lies inside the circle through a, b, c (counter-clockwise), 0 on it, -1 outside.
int in_circle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d);

double signed_area(const std::vector<Vec2>& loop);  // positive for a counter-clockwise loop

// The first two sides (i: from point i to the next) of a closed loop that cross, touch or fold onto each other,
// i < j; nothing for a simple loop. A repeated point counts as touching. O(n log n) for outlines of cloth.
std::optional<std::pair<int, int>> find_crossing(const std::vector<Vec2>& loop);

}  // namespace tryon
