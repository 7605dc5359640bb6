#include "server/sim/solvers/descent.h"

#include <algorithm>
#include <cmath>

#include "server/base/chunks.h"
#include "server/base/status.h"
#include "server/sim/solvers/lbfgs.h"
#include "server/sim/solvers/step_clock.h"

namespace tryon::sim {

namespace {
constexpr double kSufficientDecrease = 1e-4;  // Armijo
constexpr int kGrain = 1024;
constexpr double kShortestShare = 0.25, kLongestShare = 0.7;  // of a trial that was too long
}  // namespace

double share_of_way(double slope, double rise, double slope_there) {
  const double beyond = rise - slope, fourth = 0.5 * (slope_there - slope) - beyond, second = beyond - fourth;
  if (!(second >= 0 && fourth >= 0)) return 0.5;
  double low = kShortestShare, high = kLongestShare;
  while (high - low > 0.01) {
    const double share = 0.5 * (low + high);
    const bool rising = slope + 2 * second * share + 4 * fourth * share * share * share > 0;
    (rising ? high : low) = share;
  }
  return low;
}

DescentSolver::DescentSolver(const DrapeModel& model, const SolverSettings& settings)
    : model_(model), settings_(settings), potential_(model, settings), target_(settings.tolerance) {
  for (auto* v : {&x_, &trial_, &gradient_, &trial_gradient_, &direction_})
    v->assign(model.particle_count, RVec3::Zero());
}

bool DescentSolver::converged() const {
  return largest_norm(*run_, gradient_) <= target_ * static_cast<double>(model_.mean_weight);
}

double DescentSolver::slope_to_trial(const std::vector<RVec3>& gradient) const {
  return sum_of(*run_, x_.size(), [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += static_cast<double>(gradient[i].dot(trial_[i] - x_[i]));
    return sum;
  });
}

bool DescentSolver::search_line(const RunContext& run) {
  const double slope = dot(run, gradient_, direction_);
  const int most = halvings_ = most_halvings();
  if (!(slope < 0)) return false;
  const double shortest = std::ldexp(1.0, -most);
  double length = 1;
  for (int tries = 0; length >= shortest; ++tries) {
    if (tries % 4 == 3 && !run.check().ok()) return false;
    run.parallel_for(model_.particle_count, kGrain,
                     [this, step = static_cast<Real>(length)](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) trial_[i] = x_[i] + step * direction_[i];
                     });
    double expected = length * slope;
    if (potential_.limit(run, &trial_)) expected = slope_to_trial(gradient_);
    const double trial = potential_.evaluate(run, trial_, &trial_gradient_);
    const double noise = 64 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * potential_.scale();
    if (trial <= phi_ + kSufficientDecrease * std::min(expected, 0.0) + noise) {
      halvings_ = tries;
      accepted();
      x_.swap(trial_);
      gradient_.swap(trial_gradient_);
      phi_ = trial;
      return true;
    }
    length *= far_off() ? share_of_way(expected, trial - phi_, slope_to_trial(trial_gradient_)) : 0.5;
  }
  return false;
}

absl::StatusOr<int> DescentSolver::minimise(const RunContext& run, const Scene& scene) {
  phi_ = potential_.evaluate(run, x_, &gradient_);
  bool lagged = false, freed = false;  // freed: since x_ last moved
  for (int iteration = 0; iteration < settings_.iterations; ++iteration) {
    RETURN_IF_ERROR(run.check());
    if (run.winding_up() || ends_before(iteration)) return iteration;
    if (!std::isfinite(phi_)) return potential_.not_finite("forces", gradient_);
    bool changed = potential_.refresh_contacts(run, scene, x_);
    const bool done = converged();
    if (!lagged && (done || 2 * iteration >= settings_.iterations)) {
      changed = potential_.contact().lag_normal_forces(x_) || changed;
      lagged = true;
    }
    if (changed) phi_ = potential_.evaluate(run, x_, &gradient_);
    if (done && (!changed || converged())) return iteration;
    RETURN_IF_ERROR(find_direction(iteration));
    if (search_line(run)) {
      freed = false;
      continue;
    }
    RETURN_IF_ERROR(run.check());
    if (!freed && potential_.free_limited(run, x_)) {  // layers stood in the way: they are looked at anew from here
      freed = true;
      phi_ = potential_.evaluate(run, x_, &gradient_);
    } else if (!try_otherwise(iteration)) {
      return iteration + 1;
    }
  }
  return settings_.iterations;
}

absl::StatusOr<StepReport> DescentSolver::step(const RunContext& run, const Scene& scene, DrapeState* state) {
  const double start = now_s();
  StepReport report;
  run_ = &run;
  RETURN_IF_ERROR(rest_first(scene, state, &report));
  RETURN_IF_ERROR(potential_.begin(run, scene, *state, &report));
  std::copy(state->x.begin(), state->x.end(), x_.begin());
  RETURN_IF_ERROR(prepare(&report));
  choose_start(run, *state);
  potential_.limit(run, &x_);
  ASSIGN_OR_RETURN(const int iterations, minimise(run, scene));
  report.iterations += iterations;
  if (!std::isfinite(phi_)) return potential_.not_finite("solve", x_);
  report.potential = phi_;
  potential_.finish(run, scene, x_, state, &report);
  last_residual_ = report.residual_max;
  last_rms_ = report.residual_rms;
  for (const RVec3& x : state->x)
    if (!x.allFinite()) return potential_.not_finite("contact", state->x);
  report.total_s = now_s() - start;
  return report;
}

}  // namespace tryon::sim
