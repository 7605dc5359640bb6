#include "server/sim/solvers/mass_spring.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/constraints/elements.h"
#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/step_clock.h"

namespace tryon::sim {

namespace {

constexpr int kMaxSubsteps = 20000;
constexpr double kSafety = 0.8;      // of the linear stability limit
constexpr int kCheckEvery = 16;      // substeps between looks at the cancel flag
constexpr Real kNear = Real(1e-12);  // m

// Tension over length change, raised beyond the threshold.
Real tension(Real stiffness, Real change, Real allowed, Real gain) {
  const Real beyond = std::abs(change) - allowed;
  const Real raised = allowed > 0 && beyond > 0 ? (gain - 1) * std::copysign(beyond, change) : Real(0);
  return stiffness * (change + raised);
}

class MassSpring : public Solver {
 public:
  MassSpring(const DrapeModel& model, const SolverSettings& settings)
      : model_(model),
        settings_(settings),
        frame_(model, settings),
        elements_(make_elements(model, settings.tie_stiffness)),
        substeps_(static_cast<int>(std::ceil(settings.time_step / (kSafety * stable_substep(model, settings))))) {
    for (auto* v : {&x_, &v_, &force_}) v->assign(model.particle_count, RVec3::Zero());
  }

  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) override {
    if (substeps_ > kMaxSubsteps)
      return invalid_input("STEP_TOO_STIFF", "solver",
                           cat("mass_spring would need ", substeps_, " substeps in each step of ", settings_.time_step,
                               " s for this fabric and mesh"),
                           "choose an implicit solver, a coarser resolution or a softer fabric");
    const double start = now_s();
    StepReport report;
    RETURN_IF_ERROR(frame_.begin(run, scene, *state, &report));
    x_ = state->x;
    v_ = state->v;
    const Real dt = static_cast<Real>(settings_.time_step / substeps_);
    for (int s = 0; s < substeps_; ++s) {
      if (s % kCheckEvery == 0) RETURN_IF_ERROR(run.check());
      advance(run, scene, dt, &report);
    }
    report.iterations = substeps_;
    for (const RVec3& x : x_)
      if (!x.allFinite()) return frame_.not_finite("substeps", x_);
    finish(run, scene, state, &report);
    report.total_s = now_s() - start;
    return report;
  }

 private:
  void add_springs() {
    const Real gain = static_cast<Real>(settings_.correction_gain),
               ratio = static_cast<Real>(settings_.strain_threshold);
    for (int i = 0; i < elements_.count(); ++i) {
      const RVec3 e = elements_.vector(i, x_.data());
      const Real rest = elements_.seam[i] ? elements_.rest[i] * frame_.tie_rest_ratio() : elements_.rest[i];
      RVec3 pull = elements_.stiffness[i] * e;
      if (rest > 0) {
        const Real length = e.norm();
        if (length <= kNear || (elements_.tether[i] && length <= rest)) continue;
        pull = (tension(elements_.stiffness[i], length - rest, ratio * rest, gain) / length) * e;
      }
      for (int k = 0; k < 4; ++k)
        if (elements_.weight[i][k] != 0) force_[elements_.particle[i][k]] -= elements_.weight[i][k] * pull;
    }
  }

  void advance(const RunContext& run, const Scene& scene, Real dt, StepReport* report) {
    force_ = frame_.outer().force;
    add_springs();
    const Real keep = static_cast<Real>(std::pow(settings_.velocity_keep, 1.0 / substeps_));
    for (int i = 0; i < model_.particle_count; ++i) {
      if (frame_.pinned(i)) continue;
      const Real w = model_.inverse_mass[i], drag = dt * w * frame_.outer().drag[i];
      v_[i] = keep * (v_[i] + dt * w * force_[i]) / (1 + drag);
      x_[i] += dt * v_[i];
    }
    collide(run, scene, dt, report);
  }

  // The inward velocity stops; friction takes of the tangential one what mu times that stop allows (Ji 2004, 1.2).
  void collide(const RunContext& run, const Scene& scene, Real dt, StepReport* report) {
    const double start = now_s();
    frame_.refresh_contacts(run, scene, x_);
    const ContactSet& contact = frame_.contact();
    for (int i = 0; i < model_.particle_count; ++i) {
      const Real depth = frame_.pinned(i) ? Real(0) : contact.depth(i, x_[i]);
      if (depth <= 0) continue;
      const RVec3& n = contact.normal(i);
      const Real inward = std::max(Real(0), -v_[i].dot(n)) + depth / dt;
      x_[i] += depth * n;
      v_[i] -= std::min(Real(0), v_[i].dot(n)) * n;
      const RVec3 along = v_[i] - n * n.dot(v_[i]);
      const Real speed = along.norm();
      const bool sticks = speed <= contact.static_friction(i) * inward;
      const Real taken = sticks ? speed : contact.kinetic_friction(i) * inward;
      if (speed > 0) v_[i] -= std::min(Real(1), taken / speed) * along;
    }
    report->collision_s += now_s() - start;
  }

  // The frame's own finish takes velocities from positions; here they are known.
  void finish(const RunContext& run, const Scene& scene, DrapeState* state, StepReport* report) {
    frame_.finish(run, scene, x_, state, report);
    for (int i = 0; i < model_.particle_count; ++i)
      if (!frame_.pinned(i)) state->v[i] = v_[i];
  }

  const DrapeModel& model_;
  const SolverSettings settings_;
  IncrementalPotential frame_;  // forces, contacts and residual; its minimum is not sought
  Elements elements_;
  const int substeps_;
  std::vector<RVec3> x_, v_, force_;
};

}  // namespace

double stable_substep(const DrapeModel& model, const SolverSettings& settings) {
  const Elements elements = make_elements(model, settings.tie_stiffness);
  std::vector<double> row(model.particle_count, 0.0);
  const double gain = settings.strain_threshold > 0 ? settings.correction_gain : 1.0;
  for (int i = 0; i < elements.count(); ++i) {
    double sum = 0;
    for (Real c : elements.weight[i]) sum += std::abs(static_cast<double>(c));
    const double k = static_cast<double>(elements.stiffness[i]) * (elements.rest[i] > 0 ? gain : 1.0);
    for (int j = 0; j < 4; ++j)
      row[elements.particle[i][j]] += k * std::abs(static_cast<double>(elements.weight[i][j])) * sum;
  }
  double highest = 0;
  for (int i = 0; i < model.particle_count; ++i)
    highest = std::max(highest, row[i] * static_cast<double>(model.inverse_mass[i]));
  return highest > 0 ? 2 / std::sqrt(highest) : settings.time_step;
}

std::unique_ptr<Solver> make_mass_spring(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<MassSpring>(model, settings);
}

}  // namespace tryon::sim
