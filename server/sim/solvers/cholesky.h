// What it is: sparse L D L^T of a symmetric positive definite n x n matrix, solved for three right-hand sides at once
// (the global step: the same scalar factor serves x, y and z). Multifrontal: panel after panel, each in a dense front
// that takes up its children's updates. Factorised in double; kept and solved in Real.
// Units: the matrix's. Shapes: values as in the matrix given to analyse(); vectors [n] of 3. No allocation after
// analyse. How it fails: factor() returns the first row whose pivot is not positive, kStopped where the context says
// so (asked every kWorkBetweenChecks multiplications), -1 when all is well. Thread rules: one object, one thread.
// Cites: Duff, Reid 1983 (multifrontal); Davis 2006 (elimination tree).
#pragma once

#include <memory>
#include <vector>

#include "Eigen/Sparse"
#include "server/base/run_context.h"
#include "server/sim/real.h"
#include "server/sim/solvers/cholesky_pattern.h"
#include "server/sim/solvers/panels.h"

namespace tryon::sim {

class Cholesky {
 public:
  static constexpr int kStopped = -2;
  static constexpr int64_t kWorkBetweenChecks = 5'000'000;  // about 2 ms

  // Symmetric, compressed, whole or the lower triangle; rows in blocks that are ordered as one.
  void analyse(const Eigen::SparseMatrix<double>& matrix, int block = 1);   // by a pattern kept for its structure
  void analyse_once(const Eigen::SparseMatrix<double>& matrix, int block);  // of a structure that will not come again
  // Values in the order of the analysed matrix's valuePtr().
  int factor(const double* values, const RunContext& run = {});
  void solve(const RVec3* right_side, RVec3* solution);    // may be the same array
  void solve(const double* right_side, double* solution);  // one right-hand side
  // The halves of that, on vectors [n] in the order of elimination (place()): x = L^-1 x; x = L^-T D^-1 x.
  void forward(Real* x);
  void backward(Real* x);
  // The first where x is zero but for one row, and is not read but on the panels that L^-1 of it reaches.
  std::vector<int> path_from(int row) const;  // these, ascending
  void forward(const std::vector<int>& path, Real* x);
  int rows() const { return n_; }
  int place(int row) const { return pattern_->place[row]; }
  const panels::Panel& panel(int index) const { return pattern_->panel[index]; }
  Real inverse_pivot(int place) const { return inverse_pivot_[place]; }
  int64_t factor_nonzeros() const { return pattern_->nonzeros; }
  int64_t panel_values() const { return pattern_->values; }  // with the padding
  // Multiplications (about) of a factorisation, and the most of them between two questions to the context.
  int64_t total_work() const;
  int64_t longest_stretch() const;
  int panel_count() const { return static_cast<int>(pattern_->panel.size()); }

 private:
  void take(std::shared_ptr<const CholeskyPattern> pattern, int n);
  int64_t work_of(int panel) const;
  void assemble(int index, const double* values, double* front);
  int eliminate(const panels::Panel& panel, double* front, const RunContext& run);
  void hand_up(int index, const double* front);
  panels::View view();
  int row_at(int place) const;

  int n_ = 0;
  std::shared_ptr<const CholeskyPattern> pattern_ = std::make_shared<CholeskyPattern>();
  struct alignas(32) Aligned {
    Real at[32 / sizeof(Real)];
  };
  std::vector<Aligned> value_, rows_;
  int work_stride_ = 0;
  std::vector<Real> inverse_pivot_;
  std::vector<double> front_, stack_, below_, inverse_;
  int64_t stack_end_ = 0;
  std::vector<int> waiting_;         // panels whose updates lie on the stack
  std::vector<panels::Lane> lanes_;  // [n] permuted
  std::vector<Real> single_;         // [n] the same for one right-hand side
};

}  // namespace tryon::sim
