// What it is: an interior edge as one of its two triangles sees it in its own rest shape, which is what bending laws
// and edge springs are made from (a seam may join different rest lengths). Units: m, N m. Shapes: one edge, one
// triangle a call. How it fails: never; the edge must be one of the triangle's. Thread rules: pure functions.
#pragma once

#include <array>

#include "server/sim/model.h"

namespace tryon::sim {

struct EdgeSide {
  Vec2 end0, end1, opposite;
  int opposite_particle = 0;
  double area = 0;
  Vec2 along() const { return end1 - end0; }
  double length() const { return along().norm(); }
  double height() const { return 2 * area / length(); }
};
EdgeSide edge_side(const ClothInput& cloth, const EdgeUse& edge, int triangle);

// The edge's ends and the corners across, and their weights in |e| theta n (bend.h).
struct FoldStencil {
  std::array<int, 4> particle;
  std::array<double, 4> weight;
};
FoldStencil fold_stencil(const EdgeUse& edge, const EdgeSide& left, const EdgeSide& right);

double signed_rest_area(const std::array<Vec2, 3>& corners);

// Bending stiffness across the edge: curvature runs along the edge's normal n, mixed by n_x^2 and n_y^2.
double bend_across(const SpringFabric& fabric, const EdgeSide& side);
// The shape operator's: k in 1/2 k S^2 an area, of S_11, S_22 and S_12 (N m).
Vec3 shape_stiffness(const SpringFabric& fabric);

}  // namespace tryon::sim
