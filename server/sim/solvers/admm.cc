#include "server/sim/solvers/admm.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/sim/constraints/elements.h"
#include "server/sim/solvers/global_step.h"
#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/step_clock.h"

namespace tryon::sim {

namespace {

class Admm : public Solver {
 public:
  Admm(const DrapeModel& model, const SolverSettings& settings)
      : model_(model),
        settings_(settings),
        potential_(model, settings),
        elements_(make_elements(model, settings.tie_stiffness)),
        global_(make_direct_step(potential_.constant_matrix())) {
    for (auto* v : {&x_, &gradient_, &move_}) v->assign(model.particle_count, RVec3::Zero());
    for (auto* v : {&copy_, &scaled_}) v->assign(elements_.count(), RVec3::Zero());
    added_.assign(model.particle_count, 0.0);
  }

  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) override {
    const double start = now_s();
    StepReport report;
    RETURN_IF_ERROR(potential_.begin(run, scene, *state, &report));
    for (int i = 0; i < model_.particle_count; ++i) x_[i] = potential_.flight(i);
    RETURN_IF_ERROR(note_contacts(run));
    std::fill(scaled_.begin(), scaled_.end(), RVec3::Zero());
    for (; report.iterations < settings_.iterations; ++report.iterations) {
      RETURN_IF_ERROR(run.check());
      potential_.refresh_contacts(run, scene, x_);
      if (2 * report.iterations == settings_.iterations) potential_.contact().lag_normal_forces(x_);
      report.potential = potential_.evaluate(run, x_, &gradient_);
      if (!std::isfinite(report.potential)) return potential_.not_finite("forces", gradient_);
      if (small()) break;
      local_step();
      global_step(run);
      RETURN_IF_ERROR(run.check());
    }
    report.potential = potential_.evaluate(run, x_, &gradient_);
    if (!std::isfinite(report.potential)) return potential_.not_finite("solve", x_);
    potential_.finish(run, scene, x_, state, &report);
    report.total_s = now_s() - start;
    return report;
  }

 private:
  bool small() const {
    const double limit = settings_.tolerance * static_cast<double>(model_.mean_weight);
    double largest = 0;
    for (const RVec3& g : gradient_) largest = std::max(largest, static_cast<double>(g.squaredNorm()));
    return largest <= limit * limit;
  }

  absl::Status note_contacts(const RunContext& run) {
    const ContactSet& contact = potential_.contact();
    for (int i = 0; i < model_.particle_count; ++i)
      added_[i] = !potential_.pinned(i) && contact.near(i, x_[i]) ? static_cast<double>(contact.stiffness(i)) : 0.0;
    return global_->set_diagonal(run, added_);
  }

  Real rest(int i) const {
    return elements_.seam[i] ? elements_.rest[i] * potential_.tie_rest_ratio() : elements_.rest[i];
  }
  bool split(int i) const { return elements_.rest[i] > 0; }

  // z = argmin 1/2 k (|z| - r)^2 + 1/2 k |z - p|^2 with p = e + u: half-way between p and its rest length.
  void local_step() {
    for (int i = 0; i < elements_.count(); ++i) {
      if (!split(i)) continue;
      const RVec3 p = elements_.vector(i, x_.data()) + scaled_[i];
      const Real length = p.norm();
      const bool slack = elements_.tether[i] && length <= rest(i);
      copy_[i] = length > Real(1e-12) && !slack ? RVec3(p * ((length + rest(i)) / (2 * length))) : p;
      scaled_[i] = p - copy_[i];
    }
  }

  // x - A^-1 (grad of everything but the springs + sum k c (e - z + u)): the minimum over x of the augmented
  // Lagrangian.
  void global_step(const RunContext& run) {
    for (int i = 0; i < elements_.count(); ++i) {
      if (!split(i)) continue;
      const RVec3 e = elements_.vector(i, x_.data());
      const Real length = e.norm();
      const RVec3 own = length > Real(1e-12) ? RVec3(e * ((length - rest(i)) / length)) : RVec3(RVec3::Zero());
      const RVec3 change = elements_.stiffness[i] * (e - copy_[i] + scaled_[i] - own);
      for (int k = 0; k < 4; ++k)
        if (elements_.weight[i][k] != 0) gradient_[elements_.particle[i][k]] += elements_.weight[i][k] * change;
    }
    for (int i = 0; i < model_.particle_count; ++i)
      if (potential_.pinned(i)) gradient_[i].setZero();
    global_->solve(run, gradient_, &move_);
    for (size_t i = 0; i < x_.size(); ++i) x_[i] -= move_[i];
  }

  const DrapeModel& model_;
  const SolverSettings settings_;
  IncrementalPotential potential_;
  Elements elements_;
  std::unique_ptr<GlobalStep> global_;
  std::vector<RVec3> x_, gradient_, move_;  // [particle_count]
  std::vector<RVec3> copy_, scaled_;        // [element_count] z, and u: the multiplier over the weight
  std::vector<double> added_;               // [particle_count] contact stiffness on the diagonal
};

}  // namespace

std::unique_ptr<Solver> make_admm(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<Admm>(model, settings);
}

}  // namespace tryon::sim
