#include "server/sim/constraints/edge_side.h"

#include <cmath>

#include "server/sim/constraints/bend.h"

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

FoldStencil fold_stencil(const EdgeUse& edge, const EdgeSide& left, const EdgeSide& right) {
  const auto l = bend::side_weights(left.end0, left.end1, left.opposite);
  const auto r = bend::side_weights(right.end0, right.end1, right.opposite);
  return {{edge.a, edge.b, left.opposite_particle, right.opposite_particle}, {l[0] + r[0], l[1] + r[1], l[2], r[2]}};
}

double bend_across(const SpringFabric& fabric, const EdgeSide& side) {
  const Vec2 d = side.along().normalized();
  return fabric.bend_weft * d.y() * d.y() + fabric.bend_warp * d.x() * d.x();
}

Vec3 shape_stiffness(const SpringFabric& fabric) {
  const double twist = fabric.bend_twist > 0 ? fabric.bend_twist : 0.5 * std::sqrt(fabric.bend_warp * fabric.bend_weft);
  return {fabric.bend_weft, fabric.bend_warp, 4 * twist};
}

}  // namespace tryon::sim
