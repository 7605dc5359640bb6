#include "server/sim/solvers/newton.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/sim/solvers/descent.h"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/step_clock.h"

namespace tryon::sim {

namespace {

class Newton : public DescentSolver {
 public:
  Newton(const DrapeModel& model, const SolverSettings& settings)
      : DescentSolver(model, settings), hessian_(potential_, settings) {}

 private:
  absl::Status prepare(StepReport* report) override {
    report->refactored = true;
    return absl::OkStatus();
  }

  // The lower of free flight and staying.
  void choose_start(const RunContext& run, const DrapeState& state) override {
    for (int i = 0; i < model_.particle_count; ++i) x_[i] = potential_.flight(i);
    const double fresh = potential_.evaluate(run, x_, &trial_gradient_);
    const double stay = potential_.evaluate(run, state.x, &trial_gradient_);
    if (stay < fresh) std::copy(state.x.begin(), state.x.end(), x_.begin());
  }

  // The true Hessian gives quadratic convergence near the answer; far from it it is often not positive definite.
  absl::Status find_direction(int) override {
    hessian_.assemble(x_, false);
    if (!hessian_.factor()) {
      hessian_.assemble(x_, true);
      if (!hessian_.factor())
        return internal_fault("newton, phase factor: the convex Hessian is not positive definite");
    }
    hessian_.solve(gradient_, &direction_);
    for (RVec3& d : direction_) d = -d;
    return absl::OkStatus();
  }

  bool try_otherwise(int) override { return false; }

  PotentialHessian hessian_;
};

class BaraffWitkin : public Solver {
 public:
  BaraffWitkin(const DrapeModel& model, const SolverSettings& settings)
      : potential_(model, settings), hessian_(potential_, settings) {
    for (auto* v : {&x_, &gradient_, &move_}) v->assign(model.particle_count, RVec3::Zero());
  }

  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) override {
    const double start = now_s();
    StepReport report;
    RETURN_IF_ERROR(potential_.begin(run, scene, *state, &report));
    std::copy(state->x.begin(), state->x.end(), x_.begin());
    potential_.contact().lag_normal_forces(x_);
    report.potential = potential_.evaluate(run, x_, &gradient_);
    hessian_.assemble(x_, true);
    if (!hessian_.factor()) return potential_.not_finite("factor", gradient_);
    hessian_.solve(gradient_, &move_);
    for (size_t i = 0; i < x_.size(); ++i) x_[i] -= move_[i];
    report.iterations = 1;
    report.refactored = true;
    report.potential = potential_.evaluate(run, x_, &gradient_);
    potential_.finish(run, scene, x_, state, &report);
    for (const RVec3& x : state->x)
      if (!x.allFinite()) return potential_.not_finite("solve", state->x);
    report.total_s = now_s() - start;
    return report;
  }

 private:
  IncrementalPotential potential_;
  PotentialHessian hessian_;
  std::vector<RVec3> x_, gradient_, move_;
};

}  // namespace

std::unique_ptr<Solver> make_newton(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<Newton>(model, settings);
}

std::unique_ptr<Solver> make_baraff_witkin(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<BaraffWitkin>(model, settings);
}

}  // namespace tryon::sim
