// What it is: steps by the whole Hessian's directions alone, from where the cloth lies: for parts that come to rest by
// themselves (local_rest.h). Units: as descent.h. Shapes: [particle_count]. How it fails: as DescentSolver; without a
// factor the step ends. Thread rules: as DescentSolver.
#pragma once

#include <vector>

#include "server/sim/solvers/descent.h"
#include "server/sim/solvers/lbfgs.h"
#include "server/sim/solvers/newton_directions.h"

namespace tryon::sim {

class NewtonDescent : public DescentSolver {
 public:
  // `known`: as NewtonDirections.
  NewtonDescent(const DrapeModel& model, const SolverSettings& settings, const KnownOrder& known = {})
      : DescentSolver(model, settings),
        lbfgs_(settings.history, model.particle_count, Lbfgs::Kept::kRough),
        newton_(potential_, settings, &lbfgs_, known) {}

  IncrementalPotential& potential() { return potential_; }
  KnownOrder order() { return newton_.order(); }

 private:
  absl::Status prepare(StepReport*) override {
    newton_.forget();
    return absl::OkStatus();
  }
  void choose_start(const RunContext&, const DrapeState&) override {}  // where it lies
  absl::Status find_direction(int iteration) override {
    return newton_.find(*run_, iteration, x_, gradient_, &direction_);
  }
  void accepted() override { lbfgs_.push(*run_, x_, gradient_, trial_, trial_gradient_); }
  int most_halvings() const override { return NewtonDirections::kMostHalvings; }
  bool far_off() const override { return true; }
  bool try_otherwise(int) override { return !newton_.gone() && newton_.try_otherwise(); }

  Lbfgs lbfgs_;
  NewtonDirections newton_;
};

}  // namespace tryon::sim
