// What it is: the Hessian of a fold's angle by differentiating its gradient by machine: the slow twin of local_step's
// fold_blocks. Units: 1/m^2. Shapes: x, y, z of the four corners. How it fails: a triangle without area gives what is
// no number. Thread rules: pure function.
#pragma once

#include <array>

#include "server/sim/constraints/folds.h"
#include "unsupported/Eigen/AutoDiff"

namespace tryon::sim::testing {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

inline Matrix12 fold_angle_hessian(const fold::Corners& corners) {
  using Scalar = Eigen::AutoDiffScalar<Vector12>;
  using Vector = Eigen::Matrix<Scalar, 3, 1>;
  std::array<Vector, 4> x;
  for (int i = 0; i < 12; ++i) x[i / 3][i % 3] = Scalar(static_cast<double>(corners[i / 3][i % 3]), 12, i);
  const Vector e = x[1] - x[0], a = x[2] - x[0], b = x[3] - x[0];
  const Vector n1 = e.cross(a), n2 = b.cross(e);
  const Scalar edge2 = e.dot(e), edge = sqrt(edge2);
  const Vector g2 = n1 * Scalar(edge / n1.dot(n1)), g3 = n2 * Scalar(edge / n2.dot(n2));
  const Vector g1 = -(g2 * Scalar(e.dot(a) / edge2) + g3 * Scalar(e.dot(b) / edge2));
  const std::array<Vector, 4> gradient{Vector(-(g1 + g2 + g3)), g1, g2, g3};
  Matrix12 hessian;
  for (int i = 0; i < 12; ++i) hessian.row(i) = gradient[i / 3][i % 3].derivatives().transpose();
  return hessian;
}

}  // namespace tryon::sim::testing
