// What it is: the loop that all energy-descending solvers share: begin the step, go down a direction that the solver
// chooses, follow the contacts, stop when the gradient is small, finish the step. A solver fills in the direction.
// Units: J, N, m. Shapes: arrays [particle_count]. How it fails: NOT_FINITE with phase and particle; what the solver's
// own prepare() says. Thread rules: one object, one thread; loops run on the context's executor. No allocation in a
// step of its own.
#pragma once

#include <limits>
#include <vector>

#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim {

// How much of a way that was too long is worth going: to the least of a polynomial of second and fourth order, for what
// turns is stretched by the square of its way. Slopes are over the whole way, `rise` is the energy's. A quarter to
// seven tenths; half where no such polynomial fits.
double share_of_way(double slope, double rise, double slope_there);

class DescentSolver : public Solver {
 public:
  DescentSolver(const DrapeModel& model, const SolverSettings& settings);
  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) final;

 protected:
  // Before the step begins: what may be done to the state first, its iterations told.
  virtual absl::Status rest_first(const Scene&, DrapeState*, StepReport*) { return absl::OkStatus(); }
  // Whether the step that has begun ends before the next iteration, of those that it may have.
  virtual bool ends_before(int) const { return false; }
  // Once a step, with x_ at the state's positions: matrices, for example. Sets report->refactored where it factorised.
  virtual absl::Status prepare(StepReport* report) = 0;
  // Sets x_ to where the step's iterations start.
  virtual void choose_start(const RunContext& run, const DrapeState& state) = 0;
  // From gradient_ at x_ to direction_; must be one of descent.
  virtual absl::Status find_direction(int iteration) = 0;
  // The line search took trial_ (with trial_gradient_) in place of x_ (with gradient_); called before they are swapped.
  virtual void accepted() {}
  // Of a step along direction_: contact is far stiffer than most directions know.
  virtual int most_halvings() const { return 40; }
  // Whether directions are seldom short enough: then what a trial tells of its way is worth more than halving it.
  virtual bool far_off() const { return false; }
  // No point along the direction was lower. False ends the step: as good as the number type allows.
  virtual bool try_otherwise(int iteration) = 0;

  // x_ moves to the first point along direction_ that lowers phi enough; false when none does.
  bool search_line(const RunContext& run);
  bool converged() const;  // by the largest gradient, in units of the mean weight

  const DrapeModel& model_;
  const SolverSettings settings_;
  IncrementalPotential potential_;
  std::vector<RVec3> x_, trial_, gradient_, trial_gradient_, direction_;  // [particle_count]
  double phi_ = 0;
  const RunContext* run_ = nullptr;  // of the step in progress
  int halvings_ = 0;                 // of the last one, or tries beyond the first
  double target_;                    // largest gradient / mean weight at which a step ends: the tolerance, or more
  double last_residual_ = std::numeric_limits<double>::infinity();  // of the step before: largest, and
  double last_rms_ = std::numeric_limits<double>::infinity();       // root of the mean square

 private:
  double slope_to_trial(const std::vector<RVec3>& gradient) const;
  absl::StatusOr<int> minimise(const RunContext& run, const Scene& scene);
};

}  // namespace tryon::sim
