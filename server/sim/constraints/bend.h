// What it is: quadratic isometric bending of one hinge: E = 1/2 k |K x|^2, K from the rest cotangents (Bergou 2006).
// |K x| is edge length times dihedral angle, so k = B_e / (A0 + A1) stores 1/2 B kappa^2 an area on equilateral meshes
// (the constant of validation 1.2; Bergou's 3 counts otherwise). It has the hinge model's hidden Poisson ratio of -1/3.
// Units: N/m, m. Shapes: x of four particles: edge ends, opposite vertices. The Hessian is k w w^T, constant.
// How it fails: never. Thread rules: pure functions.
#pragma once

#include <array>

#include "server/mesh/triangle_mesh.h"
#include "server/sim/real.h"

namespace tryon::sim::bend {

using Weights = std::array<Real, 4>;

inline RVec3 vector(const Weights& w, const RVec3& x0, const RVec3& x1, const RVec3& x2, const RVec3& x3) {
  // The weights sum to zero: differences keep the digits.
  return w[1] * (x1 - x0) + w[2] * (x2 - x0) + w[3] * (x3 - x0);
}
inline Real value(Real k, const RVec3& e) { return Real(0.5) * k * e.squaredNorm(); }
inline RVec3 gradient(Real k, const RVec3& e) { return k * e; }
inline Eigen::Matrix<Real, 4, 4> hessian(Real k, const Weights& w) {
  const Eigen::Map<const Eigen::Matrix<Real, 4, 1>> v(w.data());
  return k * v * v.transpose();
}

// Weights of one side's triangle on (edge end 0, edge end 1, its opposite vertex), from its rest shape.
std::array<double, 3> side_weights(const Vec2& end0, const Vec2& end1, const Vec2& opposite);

}  // namespace tryon::sim::bend
