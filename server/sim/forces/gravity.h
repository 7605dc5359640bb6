// What it is: gravity on lumped masses: force m g, energy -m g . x. Units: kg, m/s^2, N, J. Shapes: one particle a
// call. How it fails: never. Thread rules: pure functions.
#pragma once

#include "server/sim/real.h"

namespace tryon::sim::gravity {

inline RVec3 force(Real mass, const RVec3& g) { return mass * g; }
inline Real value(Real mass, const RVec3& g, const RVec3& x) { return -mass * g.dot(x); }
inline RVec3 gradient(Real mass, const RVec3& g) { return -mass * g; }

}  // namespace tryon::sim::gravity
