#include "server/sim/constraints/edge_side.h"

#include <cmath>

namespace tryon::sim {

double signed_rest_area(const std::array<Vec2, 3>& c) {
  const Vec2 u = c[1] - c[0], v = c[2] - c[0];
  return 0.5 * (u.x() * v.y() - u.y() * v.x());
}

EdgeSide edge_side(const ClothInput& cloth, const EdgeUse& edge, int triangle) {
  EdgeSide side;
  for (int k = 0; k < 3; ++k) {
    const int particle = cloth.triangles[triangle][k];
    const Vec2& flat = cloth.corner_flat[triangle][k];
    if (particle == edge.a) {
      side.end0 = flat;
    } else if (particle == edge.b) {
      side.end1 = flat;
    } else {
      side.opposite = flat;
      side.opposite_particle = particle;
    }
  }
  side.area = std::abs(signed_rest_area(cloth.corner_flat[triangle]));
  return side;
}

double bend_across(const SpringFabric& fabric, const EdgeSide& side) {
  const Vec2 d = side.along().normalized();
  return fabric.bend_weft * d.y() * d.y() + fabric.bend_warp * d.x() * d.x();
}

}  // namespace tryon::sim
