// What it is: the other side of a pinch. Between thighs that touch, or a heel and the floor, a point has a nearest
// surface and one that stands opposite: surface_across() says where the second one is. Units: m; `distance` is what its
// tangent plane, taken where it becomes the nearer one, says of `point`: right to hundredths of a millimetre for
// pinches of a millimetre, never less than the nearest. How it fails: nothing opposite within kPinchReach is a distance
// of kNoneAcross. Thread rules: pure, any thread. Contact and certificate ask alike: it is a question to the body, not
// a force.
#pragma once

#include "server/sim/collision/collider.h"

namespace tryon::sim {

constexpr double kPinchReach = 7e-3;  // m off the nearest surface: as far as a second one is looked for
constexpr double kPinchCosine = 0.3;  // of the normals: below it two surfaces stand opposite
constexpr double kNoneAcross = 1e30;

// From a point straight off the nearest surface, at kPinchReach, another one is nearer only if it stands opposite.
inline Eigen::Vector3d past_pinch(const Eigen::Vector3d& point, const Contact& nearest) {
  return point + (kPinchReach - nearest.distance) * nearest.normal;
}
inline bool stands_opposite(const Contact& nearest, const Contact& there) {
  return there.distance < 0.9 * kPinchReach && there.normal.dot(nearest.normal) <= kPinchCosine;
}

Contact surface_across(const Collider& collider, const Eigen::Vector3d& point, const Contact& nearest);

}  // namespace tryon::sim
