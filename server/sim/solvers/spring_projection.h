// What it is: spring projection (Wan 2020 after Liu 2013): each step minimises
//   g(x) = 1/2 (x-y)^T M (x-y) + h^2 E(x) - h^2 x^T f_ext,   here divided by h^2: phi = g / h^2, gradient in newtons.
// Local step d_i = r_i e_i/|e_i|, global step (M + h^2 L) x = M y + h^2 J d + h^2 f_ext with a prefactored matrix. One
// such pair is x - A^-1 grad phi with A = M/h^2 + L. L-BFGS (Liu 2017) takes A^-1 as initial inverse Hessian and keeps
// SolverSettings::history pairs, which the real stiffness of fabric needs. An energy-decreasing line
// search guards both. Units: SI. Shapes: [particle_count]. Keeps stiffness and anchors of contacts between steps: a
// replay needs a new solver. How it fails: see solver.h. Thread rules: see solver.h; the same bytes for any number of
// threads.
#pragma once

#include <vector>

#include "server/sim/solvers/cholesky.h"
#include "server/sim/solvers/descent.h"
#include "server/sim/solvers/lbfgs.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim {

class SpringProjection : public DescentSolver {
 public:
  SpringProjection(const DrapeModel& model, const SolverSettings& settings, int history,
                   BendInMatrix bend = BendInMatrix::kWhole, Cholesky::Kept kept = Cholesky::Kept::kWhole);

 protected:
  absl::Status prepare(StepReport* report) override;
  void choose_start(const RunContext& run, const DrapeState& state) override;
  absl::Status find_direction(int iteration) override;
  void accepted() override;
  bool try_otherwise(int iteration) override;
  int most_halvings() const override;

  // Notes which particles touch the body at x_; true if the factor is to be renewed for it.
  bool look_at_contacts();
  absl::Status renew_factor();
  void drop_factor();  // its room is given back until it is renewed
  bool is_held() const { return touching_ || potential_.any_pinned(); }

  Lbfgs lbfgs_;

 private:
  void analyse();
  void take_turns(int iteration);

  const int history_;
  Eigen::SparseMatrix<double> matrix_;     // M/h^2 + L, pinned rows and columns cleared
  std::vector<double> values_, diagonal_;  // with contact; the diagonal without
  std::vector<int> diagonal_place_;        // [particle_count] in values_
  Cholesky cholesky_, free_cholesky_;      // with contact on the diagonal, and without
  std::vector<Real> in_matrix_, wanted_;   // [particle_count] contact stiffness on the diagonal: as factored; now
  bool factored_ = false, touching_ = false;
  bool along_surface_ = false;  // the direction at hand
  int turn_, until_turn_ = 1;   // iterations: from the last such one to the next; until that
};

std::unique_ptr<Solver> make_spring_projection(const DrapeModel& model, const SolverSettings& settings);
std::unique_ptr<Solver> make_lbfgs(const DrapeModel& model, const SolverSettings& settings);

}  // namespace tryon::sim
