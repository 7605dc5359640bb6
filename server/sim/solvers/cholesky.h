// What it is: sparse L D L^T of a symmetric positive definite n x n matrix, solved for three right-hand sides at once
// (the global step: the same scalar factor serves x, y and z). Order by approximate minimum degree, pattern once;
// the factor is kept as dense panels (panels.h).
// Units: the matrix's. Shapes: values as in the matrix given to analyse(); vectors [n] of 3. No allocation after
// analyse. How it fails: factor() returns the first column whose pivot is not positive, -1 when all is well. Thread
// rules: one object, one thread. Cites: Davis 2006, ch. 4 (up-looking factorisation, elimination tree).
#pragma once

#include <vector>

#include "Eigen/Sparse"
#include "server/sim/real.h"
#include "server/sim/solvers/panels.h"

namespace tryon::sim {

class Cholesky {
 public:
  void analyse(const Eigen::SparseMatrix<double>& matrix);  // symmetric, full, compressed
  int factor(const double* values);                         // in the order of the analysed matrix's valuePtr()
  void solve(const RVec3* right_side, RVec3* solution);     // may be the same array
  int64_t factor_nonzeros() const { return static_cast<int64_t>(row_.size()); }
  int64_t panel_values() const { return static_cast<int64_t>(panel_value_.size()); }  // with the padding

 private:
  void order(const Eigen::SparseMatrix<double>& matrix);
  int reach(int column, int* stack);
  void find_pattern();
  void find_panels();

  int n_ = 0;
  std::vector<int> place_;                    // [n] matrix row -> place in the factor
  std::vector<int> upper_begin_, upper_row_;  // permuted upper triangle by columns
  std::vector<int> upper_source_;             // where its values stand in the matrix
  std::vector<int> parent_;                   // elimination tree
  std::vector<int> begin_, row_;              // L below the diagonal, by columns
  std::vector<Real> value_, inverse_pivot_;
  std::vector<int> mark_, stack_, filled_;  // work
  std::vector<double> work_;
  std::vector<panels::Panel> panel_;
  std::vector<int> panel_row_;
  std::vector<int64_t> panel_place_;  // of every value of L
  std::vector<Real> panel_value_;
  std::vector<panels::Lane> lanes_;  // [n] permuted
};

}  // namespace tryon::sim
