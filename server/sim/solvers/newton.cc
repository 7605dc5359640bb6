#include "server/sim/solvers/newton.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/solvers/descent.h"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/step_clock.h"

namespace tryon::sim {

namespace {

absl::Status not_definite(const IncrementalPotential& potential, const std::vector<RVec3>& gradient, int row) {
  for (const RVec3& g : gradient)
    if (!g.allFinite()) return potential.not_finite("factor", gradient);
  return internal_fault(cat("phase factor: the convex Hessian of particle ", row / 3, " is not positive definite"));
}

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
    if (!hessian_.assemble(x_, PotentialHessian::kTrueHessian, *run_)) return run_->check();
    int failed = hessian_.factor(*run_);
    if (failed >= 0) {
      if (!hessian_.assemble(x_, PotentialHessian::kConvexHessian, *run_)) return run_->check();
      failed = hessian_.factor(*run_);
    }
    if (failed == Cholesky::kStopped) return run_->check();
    if (failed >= 0) return not_definite(potential_, gradient_, failed);
    hessian_.solve(gradient_, &direction_, *run_);
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
    if (!hessian_.assemble(x_, PotentialHessian::kConvexHessian, run)) return run.check();
    const int failed = hessian_.factor(run);
    if (failed == Cholesky::kStopped) return run.check();
    if (failed >= 0) return not_definite(potential_, gradient_, failed);
    hessian_.solve(gradient_, &move_, run);
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
