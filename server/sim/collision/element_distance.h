// What it is: the nearest points of a point and a triangle, and of two segments, as weights of their corners.
// Units: m. Shapes: weights sum to 1 (triangle) or lie in [0, 1] (segments). How it fails: degenerate triangles and
// segments of no length give the nearest of their corners. Thread rules: pure functions.
// Cites: Ericson, Real-Time Collision Detection, 5.1.5 and 5.1.9 (regions of a triangle, clamped segments).
#pragma once

#include <array>

#include "server/sim/real.h"

namespace tryon::sim {

// Weights of a, b, c at the triangle's point nearest to p.
std::array<Real, 3> nearest_on_triangle(const RVec3& p, const RVec3& a, const RVec3& b, const RVec3& c);
// Parameters on a-b and on c-d of their nearest points.
std::array<Real, 2> nearest_on_segments(const RVec3& a, const RVec3& b, const RVec3& c, const RVec3& d);

}  // namespace tryon::sim
