// What it is: ways to apply (about) A^-1 for the constant matrix A = M/h^2 + L plus a diagonal of contact stiffness,
// for three right-hand sides at once: by the prefactored Cholesky, by sweeps of coloured Gauss-Seidel, or by conjugate
// gradients with a smoothed-aggregation multigrid cycle (Galerkin coarse matrices). Yong 2021, section 4.
// Units: N/m. Shapes: vectors [particle_count] of 3; pinned rows of A are the identity. How it fails: set_diagonal()
// returns INTERNAL where a pivot is not positive, or what the context's check() says. Thread rules: one object, one
// thread; colours run on the executor. Cites: Fratarcangeli 2016 (coloured sweeps); Vanek, Mandel, Brezina 1996
// (smoothed aggregation).
#pragma once

#include <memory>
#include <vector>

#include "Eigen/Sparse"
#include "absl/status/status.h"
#include "server/base/run_context.h"
#include "server/sim/real.h"

namespace tryon::sim {

class GlobalStep {
 public:
  virtual ~GlobalStep() = default;
  // What contact adds to A's diagonal from now on. Cheap where nothing changed.
  virtual absl::Status set_diagonal(const RunContext& run, const std::vector<double>& added) = 0;
  absl::Status set_diagonal(const std::vector<double>& added) { return set_diagonal({}, added); }
  // d = about A^-1 r; nothing of use where the context says stop.
  virtual void solve(const RunContext& run, const std::vector<RVec3>& r, std::vector<RVec3>* d) = 0;
};

std::unique_ptr<GlobalStep> make_direct_step(const Eigen::SparseMatrix<double>& matrix);
// `sweeps` forward sweeps from d = 0, over-relaxed.
std::unique_ptr<GlobalStep> make_gauss_seidel_step(const Eigen::SparseMatrix<double>& matrix, int sweeps,
                                                   double relaxation);
// Until the residual has fallen by `reduction`.
std::unique_ptr<GlobalStep> make_multigrid_step(const Eigen::SparseMatrix<double>& matrix, double reduction);

}  // namespace tryon::sim
