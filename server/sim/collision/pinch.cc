#include "server/sim/collision/pinch.h"

#include <algorithm>

namespace tryon::sim {

namespace {
constexpr int kHalvings = 7;  // of the way to past_pinch(): to a twentieth of a millimetre
}

// A tangent plane that reaches back over millimetres of a heel is wrong by tenths of one: it is taken as near to the
// point as the other surface is the nearer one.
Contact surface_across(const Collider& collider, const Eigen::Vector3d& point, const Contact& nearest) {
  Contact across{kNoneAcross, nearest.normal};
  double same = 0.0, opposite = kPinchReach - nearest.distance, way = opposite;
  for (int halving = 0; halving <= kHalvings; ++halving) {
    const Eigen::Vector3d there = point + way * nearest.normal;
    const Contact contact = collider.query(there, kPinchReach);  // it may lie nearly as deep in what is across
    const bool turned = stands_opposite(nearest, contact);
    if (halving == 0 && !turned) break;
    if (turned) {
      across = contact;
      across.distance = std::max(nearest.distance, contact.distance + contact.normal.dot(point - there));
    }
    (turned ? opposite : same) = way;
    way = 0.5 * (same + opposite);
  }
  return across;
}

}  // namespace tryon::sim
