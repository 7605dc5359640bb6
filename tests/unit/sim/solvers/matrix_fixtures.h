// What it is: matrices of cloths and right-hand sides for the tests of factors. Units: as the matrices. Shapes: a row a
// particle, or three. How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <cmath>
#include <vector>

#include "Eigen/Sparse"
#include "server/sim/solvers/incremental_potential.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim::testing {

inline Eigen::SparseMatrix<double> cloth_matrix(int cells, SpringLayout layout = SpringLayout::kThreads) {
  SheetOptions o;
  o.columns = o.rows = cells;
  o.jitter = 0.3;
  ClothInput cloth = make_sheet(o);
  cloth.layout = layout;
  cloth.pinned = {0, cells};
  return IncrementalPotential(build_model(cloth).value(), {}).constant_matrix();
}

inline std::vector<RVec3> some_right_side(int n) {
  std::vector<RVec3> right;
  for (int i = 0; i < n; ++i) right.push_back(Vec3(std::sin(i), std::cos(3.0 * i), 1).cast<Real>());
  return right;
}

// Three copies of a cloth's matrix, mixed inside every block: the lower triangle.
inline Eigen::SparseMatrix<double> block_matrix(int cells) {
  const Eigen::SparseMatrix<double> small = cloth_matrix(cells);
  const int n = static_cast<int>(small.rows());
  std::vector<Eigen::Triplet<double>> lower;
  Eigen::Matrix3d mix;
  mix << 2, 0.3, 0.1, 0.3, 1, 0.2, 0.1, 0.2, 3;
  for (int j = 0; j < n; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(small, j); it; ++it)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          if (3 * it.row() + a >= 3 * j + b) lower.emplace_back(3 * it.row() + a, 3 * j + b, it.value() * mix(a, b));
  Eigen::SparseMatrix<double> matrix(3 * n, 3 * n);
  matrix.setFromTriplets(lower.begin(), lower.end());
  return matrix;
}

}  // namespace tryon::sim::testing
