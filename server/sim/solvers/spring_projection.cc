#include "server/sim/solvers/spring_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/solvers/cholesky.h"
#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/lbfgs.h"
#include "server/sim/solvers/step_clock.h"

namespace tryon::sim {

namespace {

constexpr int kMaxHalvings = 12;
constexpr int kSurfaceTurn = 16;              // iterations from one move along the surface to the next
constexpr double kSufficientDecrease = 1e-4;  // Armijo
constexpr double kRefactorShare = 0.002;      // of the particles

class SpringProjection : public Solver {
 public:
  SpringProjection(const DrapeModel& model, const SolverSettings& settings);
  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) override;

 private:
  absl::Status update_matrix();
  void choose_start(const RunContext& run, const DrapeState& state);
  absl::StatusOr<int> minimise(const RunContext& run, const Scene& scene);
  void find_direction(bool along_surface);
  bool search_line(const RunContext& run);
  bool converged() const;

  const DrapeModel& model_;
  const SolverSettings settings_;
  IncrementalPotential potential_;
  Eigen::SparseMatrix<double> matrix_;     // M/h^2 + L, pinned rows and columns cleared
  std::vector<double> values_, diagonal_;  // with contact; the diagonal without
  std::vector<int> diagonal_place_;        // [particle_count] in values_
  Cholesky cholesky_, free_cholesky_;      // with contact on the diagonal, and without
  Lbfgs lbfgs_;
  std::vector<uint8_t> in_matrix_, wanted_;  // [particle_count] contact stiffness is, should be, in the factor
  bool factored_ = false, refactored_ = false, touching_ = false;

  std::vector<RVec3> x_, trial_, gradient_, trial_gradient_, direction_, scratch_s_, scratch_y_;  // [particle_count]
  double phi_ = 0;
};

SpringProjection::SpringProjection(const DrapeModel& model, const SolverSettings& settings)
    : model_(model),
      settings_(settings),
      potential_(model, settings),
      matrix_(potential_.constant_matrix()),
      lbfgs_(settings.history, model.particle_count) {
  const int n = model.particle_count;
  for (int j = 0; j < n; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix_, j); it; ++it)
      if (it.row() == j) {
        diagonal_place_.push_back(static_cast<int>(&it.valueRef() - matrix_.valuePtr()));
        diagonal_.push_back(it.value());
      }
  values_.assign(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros());
  cholesky_.analyse(matrix_);
  free_cholesky_ = cholesky_;
  in_matrix_.assign(n, 0);
  wanted_.assign(n, 0);
  for (auto* v : {&x_, &trial_, &gradient_, &trial_gradient_, &direction_, &scratch_s_, &scratch_y_})
    v->assign(n, RVec3::Zero());
}

// Particles at the body get their contact stiffness on the diagonal: without it A takes a resting cloth for a free one,
// and the line search cuts every step to a thirtieth (measured on a cloth over a sphere). The pattern never changes, so
// only the numbers are factorised anew, at most once a step and only when enough particles changed side: it costs about
// as much as ten iterations. The quasi-Newton pairs stay, since the energy's own curvature has not changed.
absl::Status SpringProjection::update_matrix() {
  const ContactSet& contact = potential_.contact();
  refactored_ = false;
  int changes = 0;
  touching_ = false;
  for (int i = 0; i < model_.particle_count; ++i) {
    wanted_[i] = !potential_.pinned(i) && contact.near(i, x_[i]);
    changes += wanted_[i] != in_matrix_[i];
    touching_ = touching_ || wanted_[i];
  }
  if (factored_ && changes <= kRefactorShare * model_.particle_count) return absl::OkStatus();
  in_matrix_.swap(wanted_);
  for (int i = 0; i < model_.particle_count; ++i)
    values_[diagonal_place_[i]] = diagonal_[i] + (in_matrix_[i] ? static_cast<double>(contact.stiffness(i)) : 0.0);
  const bool first = !factored_;
  factored_ = refactored_ = true;
  int failed = cholesky_.factor(values_.data());
  if (first && failed < 0) failed = free_cholesky_.factor(matrix_.valuePtr());
  if (failed >= 0) return internal_fault(cat("phase factor: pivot ", failed, " is not positive"));
  return absl::OkStatus();
}

// Wan 2020 starts at y. Free flight is exact from y + h^2 f/m; at a body that point is pushed out along the normals, or
// else the last position is kept, whichever is lower: sliding cloth starts from the first, resting cloth from the
// second.
void SpringProjection::choose_start(const RunContext& run, const DrapeState& state) {
  for (int i = 0; i < model_.particle_count; ++i)
    x_[i] = settings_.history == 0 ? potential_.inertial()[i] : potential_.flight(i);
  if (settings_.history == 0) return;
  if (!touching_ && !potential_.any_pinned()) return;  // in free flight the first also keeps the momentum
  const double fresh = potential_.evaluate(run, x_, &trial_gradient_);
  const double stay = potential_.evaluate(run, state.x, &trial_gradient_);
  if (stay < fresh) std::copy(state.x.begin(), state.x.end(), x_.begin());
}

bool SpringProjection::converged() const {
  const double limit = settings_.tolerance * static_cast<double>(model_.mean_weight);
  double largest = 0;
  for (const RVec3& g : gradient_) largest = std::max(largest, static_cast<double>(g.squaredNorm()));
  return largest <= limit * limit;
}

// While the body is touched, one iteration in kSurfaceTurn uses a second matrix. The usual one, with contact stiffness
// on its diagonal, moves pressed particles well along the normal, but holds them along the surface too (a scalar entry
// has no direction), where sliding cloth is thousands of times softer; the free matrix then moves the cloth with what
// its contacts hold taken out. Taking turns evenly costs a drape half its convergence, none at all makes sliding
// sticky.
void SpringProjection::find_direction(bool along_surface) {
  std::copy(gradient_.begin(), gradient_.end(), direction_.begin());
  const auto hold = [this](std::vector<RVec3>* r) {
    for (int i = 0; i < model_.particle_count; ++i) potential_.contact().keep_free_part(i, x_[i], &(*r)[i]);
  };
  lbfgs_.apply(&direction_, [&](std::vector<RVec3>* r) {
    if (!along_surface) return cholesky_.solve(r->data(), r->data());
    hold(r);
    free_cholesky_.solve(r->data(), r->data());
    hold(r);
  });
  for (RVec3& d : direction_) d = -d;
}

// x_ moves to the first point along the direction that lowers phi enough; false when none does.
bool SpringProjection::search_line(const RunContext& run) {
  const double slope = dot(gradient_, direction_);
  if (!(slope < 0)) return false;
  Real length = 1;
  for (int halving = 0; halving <= kMaxHalvings; ++halving, length *= Real(0.5)) {
    for (int i = 0; i < model_.particle_count; ++i) trial_[i] = x_[i] + length * direction_[i];
    const double trial = potential_.evaluate(run, trial_, &trial_gradient_);
    const double noise = 64 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * potential_.scale();
    if (trial <= phi_ + kSufficientDecrease * static_cast<double>(length) * slope + noise) {
      for (int i = 0; i < model_.particle_count; ++i) {
        scratch_s_[i] = trial_[i] - x_[i];
        scratch_y_[i] = trial_gradient_[i] - gradient_[i];
      }
      lbfgs_.push(scratch_s_, scratch_y_);
      x_.swap(trial_);
      gradient_.swap(trial_gradient_);
      phi_ = trial;
      return true;
    }
  }
  return false;
}

absl::StatusOr<int> SpringProjection::minimise(const RunContext& run, const Scene& scene) {
  phi_ = potential_.evaluate(run, x_, &gradient_);
  bool lagged = false;
  for (int iteration = 0; iteration < settings_.iterations; ++iteration) {
    RETURN_IF_ERROR(run.check());
    if (!std::isfinite(phi_)) return potential_.not_finite("forces", gradient_);
    bool changed = potential_.refresh_contacts(run, scene, x_);
    const bool done = converged();
    if (!lagged && (done || 2 * iteration >= settings_.iterations)) {
      changed = potential_.contact().lag_normal_forces(x_) || changed;
      lagged = true;
    }
    if (changed) phi_ = potential_.evaluate(run, x_, &gradient_);
    if (done && (!changed || converged())) return iteration;
    const bool along_surface = touching_ && iteration % kSurfaceTurn == 1;
    find_direction(along_surface);
    if (search_line(run) || along_surface) continue;
    if (lbfgs_.pairs() == 0) return iteration + 1;  // no lower point in sight: as good as the number type allows
    lbfgs_.clear();
  }
  return settings_.iterations;
}

absl::StatusOr<StepReport> SpringProjection::step(const RunContext& run, const Scene& scene, DrapeState* state) {
  const double start = now_s();
  StepReport report;
  RETURN_IF_ERROR(potential_.begin(run, scene, *state, &report));
  std::copy(state->x.begin(), state->x.end(), x_.begin());
  RETURN_IF_ERROR(update_matrix());
  choose_start(run, *state);
  ASSIGN_OR_RETURN(report.iterations, minimise(run, scene));
  if (!std::isfinite(phi_)) return potential_.not_finite("solve", x_);
  report.potential = phi_;
  report.refactored = refactored_;
  potential_.finish(run, scene, x_, state, &report);
  for (const RVec3& x : state->x)
    if (!x.allFinite()) return potential_.not_finite("contact", state->x);
  report.total_s = now_s() - start;
  return report;
}

}  // namespace

std::unique_ptr<Solver> make_spring_projection(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<SpringProjection>(model, settings);
}

}  // namespace tryon::sim
