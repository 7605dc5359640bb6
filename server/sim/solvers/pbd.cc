#include "server/sim/solvers/pbd.h"

#include "server/base/status.h"
#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/step_clock.h"
#include "server/sim/solvers/sweep.h"

namespace tryon::sim {

namespace {

class PositionBased : public Solver {
 public:
  PositionBased(const DrapeModel& model, const SolverSettings& settings, SweepKind kind)
      : model_(model),
        settings_(settings),
        frame_(model, settings),
        sweep_(model, make_elements(model, settings.tie_stiffness), kind, settings.time_step),
        x_(model.particle_count, RVec3::Zero()),
        gradient_(model.particle_count, RVec3::Zero()) {}

  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) override {
    const double start = now_s();
    StepReport report;
    RETURN_IF_ERROR(frame_.begin(run, scene, *state, &report));
    for (int i = 0; i < model_.particle_count; ++i) x_[i] = frame_.ballistic(i);
    sweep_.begin_step();
    const Real relaxation = static_cast<Real>(settings_.relaxation);
    for (int iteration = 0; iteration < settings_.iterations; ++iteration) {
      RETURN_IF_ERROR(run.check());
      sweep_.run(run, frame_.tie_rest_ratio(), relaxation, &x_);
      collide(run, scene, &report);
    }
    report.iterations = settings_.iterations;
    report.potential = frame_.evaluate(run, x_, &gradient_);
    for (const RVec3& x : x_)
      if (!x.allFinite()) return frame_.not_finite("sweeps", x_);
    frame_.finish(run, scene, x_, state, &report);
    report.total_s = now_s() - start;
    return report;
  }

 private:
  void collide(const RunContext& run, const Scene& scene, StepReport* report) {
    const double start = now_s();
    frame_.refresh_contacts(run, scene, x_);
    for (int i = 0; i < model_.particle_count; ++i)
      if (!frame_.pinned(i)) push_out(frame_.contact(), i, frame_.old()[i], &x_[i]);
    report->collision_s += now_s() - start;
  }

  const DrapeModel& model_;
  const SolverSettings settings_;
  IncrementalPotential frame_;  // prediction, contacts, velocities and residual; its minimum is not sought
  Sweep sweep_;
  std::vector<RVec3> x_, gradient_;
};

}  // namespace

std::unique_ptr<Solver> make_pbd(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<PositionBased>(model, settings, SweepKind::kPbd);
}

std::unique_ptr<Solver> make_xpbd(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<PositionBased>(model, settings, SweepKind::kXpbd);
}

}  // namespace tryon::sim
