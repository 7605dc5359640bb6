// What it is: the isometric law's bending triangle by triangle: the energy of bend_matrix.h, and friction between the
// threads of a cloth that was flat and has been bent one way: beside B kappa a moment of at most M = 2HB / 2 a width
// (KES), which holds it up. As if it stored M kappa an area:
//   E = sum over triangles M A (sqrt(|S|^2 + slack^2) - slack),  |S|^2 = S_11^2 + S_22^2 + 2 S_12^2,
// with S the shape operator's curvature in the vectors of bend_matrix.h, so that neither the mesh nor the direction of
// a bend matters; the moment is full from some curvatures of `slack` on. It is convex, and for rest alone: what unbends
// gets back what friction would keep (in motion bend_damping.h loses that). Units: N, m. Shapes: one element a
// triangle that has a neighbour. How it fails: never. Thread rules: pure functions. Cites: Kawabata 1980 (2HB); Niwa
// and Seto 1986 (drape by B and 2HB); Grinspun 2006 (shape operator).
#pragma once

#include <vector>

#include "server/sim/model.h"

namespace tryon::sim::bend_elements {

inline constexpr Real kSlack = Real(10);  // 1/m

// Fills model->bend_elements; moments are 0 for a fabric without friction.
void build(const ClothInput& cloth, const std::vector<EdgeUse>& edges, DrapeModel* model);

// An element's curvature at x.
struct Bent {
  Vec3 s[3];                                                    // S_11, S_22, sqrt(2) S_12, 1/m
  double root = 0;                                              // sqrt(|S|^2 + slack^2)
  Vec3 slope(const BendElements& f, int i, int corner) const {  // of |S|^2 / 2 by a particle
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 3; ++k) sum += static_cast<double>(f.weight[i][k][corner]) * s[k];
    return sum;
  }
};
Bent bent(const BendElements& f, int i, const RVec3* x);

}  // namespace tryon::sim::bend_elements
