// What it is: seam springs, which pull the two sides of a seam together: springs of kind kSeam whose rest length is
// their start length times a ratio that the caller lowers from 1 to 0, so a wide gap closes in a controlled way.
// Units: m. Shapes: one tie a call. At ratio 0 the local step's d is zero and the energy is the quadratic 1/2 k |e|^2.
// How it fails: never. Thread rules: pure functions.
#pragma once

#include "server/sim/model.h"

namespace tryon::sim::tie {

inline Real rest(const Springs& springs, int i, Real rest_ratio) {
  return springs.kind[i] == SpringKind::kSeam ? springs.rest[i] * rest_ratio : springs.rest[i];
}
inline Real stiffness(const Springs& springs, int i, Real tie_stiffness) {
  return springs.kind[i] == SpringKind::kSeam ? tie_stiffness : springs.stiffness[i];
}

}  // namespace tryon::sim::tie
