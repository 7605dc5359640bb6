// What it is: a smoothed-aggregation multigrid cycle for a symmetric positive definite matrix, and conjugate gradients
// with it as preconditioner. Aggregates are a vertex with its strong neighbours; the prolongation is the piecewise
// constant one, smoothed by a damped Jacobi step; coarse matrices are Galerkin products P^T A P; one symmetric
// Gauss-Seidel sweep before and after; the coarsest level is solved directly.
// Units: the matrix's. Shapes: [n x 3] columns x, y, z. How it fails: it does not; a zero right side gives zero.
// Thread rules: one object, one thread; every sum in index order. Cites: Vanek, Mandel, Brezina 1996; Yong 2021, 4.3.
#pragma once

#include <vector>

#include "Eigen/Core"
#include "Eigen/Sparse"
#include "server/base/run_context.h"

namespace tryon::sim {

using Columns3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

class MultigridCycle {
 public:
  explicit MultigridCycle(const Eigen::SparseMatrix<double>& matrix);
  // x = about A^-1 r by one symmetric V-cycle from zero.
  void apply(const Columns3& r, Columns3* x) const;
  int level_count() const { return static_cast<int>(levels_.size()) + 1; }
  double operator_complexity() const;  // nonzeros of all levels over those of the finest

 private:
  struct Level {
    RowMatrix matrix, prolongation;
    Eigen::VectorXd inverse_diagonal;
  };
  void smooth_down(const Level& level, const Columns3& r, Columns3* x) const;
  void smooth_up(const Level& level, const Columns3& r, Columns3* x) const;
  void cycle(size_t depth, const Columns3& r, Columns3* x) const;

  std::vector<Level> levels_;
  Eigen::MatrixXd coarse_inverse_;
  int64_t coarse_nonzeros_ = 0;
};

struct MultigridReport {
  int iterations = 0;
  double reduction = 0;  // of the residual's norm
};
// Where the context says stop, between two iterations, x is what it is.
Columns3 multigrid_solve(const Eigen::SparseMatrix<double>& matrix, const MultigridCycle& cycle, const Columns3& right,
                         double reduction, MultigridReport* report = nullptr, const RunContext& run = {});

}  // namespace tryon::sim
