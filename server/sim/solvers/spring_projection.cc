#include "server/sim/solvers/spring_projection.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/collision/contact.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/forces/gravity.h"
#include "server/sim/forces/wind.h"
#include "server/sim/solvers/cholesky.h"
#include "server/sim/solvers/lbfgs.h"

namespace tryon::sim {

namespace {

constexpr int kGrain = 512;
constexpr int kMaxHalvings = 12;
constexpr int kSurfaceTurn = 16;                 // iterations from one move along the surface to the next
constexpr double kSufficientDecrease = 1e-4;     // Armijo
constexpr Real kRequeryDistance = Real(1.5e-3);  // m; the tangent plane of a 5 cm limb is then 0.02 mm wrong
constexpr double kRefactorShare = 0.002;         // of the particles
constexpr double kContactShare = 0.1;            // contact stiffness over the elastic diagonal

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

class SpringProjection : public Solver {
 public:
  SpringProjection(const DrapeModel& model, const SolverSettings& settings);
  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) override;

 private:
  absl::Status check_state(const DrapeState& state) const;
  absl::Status not_finite(std::string_view phase, const std::vector<RVec3>& values) const;
  void predict(const Scene& scene, const DrapeState& state);
  void add_wind(const Scene& scene, const DrapeState& state);
  absl::Status update_matrix();
  void choose_start(const RunContext& run, const DrapeState& state);
  absl::StatusOr<int> minimise(const RunContext& run, const Scene& scene);
  void find_direction(bool along_surface);
  bool search_line(const RunContext& run);
  double evaluate(const RunContext& run, const std::vector<RVec3>& x, std::vector<RVec3>* gradient);
  void evaluate_particles(int begin, int end, double* energy);
  bool converged() const;
  void finish(const RunContext& run, const Scene& scene, DrapeState* state, StepReport* report);
  void report_residual(const RunContext& run, const DrapeState& state, StepReport* report);

  const DrapeModel& model_;
  const SolverSettings settings_;
  const Real inverse_h2_;
  ElasticEnergy elastic_;
  Eigen::SparseMatrix<double> matrix_;     // M/h^2 + L, pinned rows and columns cleared
  std::vector<double> values_, diagonal_;  // with contact; the diagonal without
  std::vector<int> diagonal_place_;        // [particle_count] in values_
  Cholesky cholesky_, free_cholesky_;      // with contact on the diagonal, and without
  ContactSet contact_;
  Lbfgs lbfgs_;
  std::vector<uint8_t> in_matrix_, wanted_;  // [particle_count] contact stiffness is, should be, in the factor
  bool factored_ = false, refactored_ = false, touching_ = false, any_pinned_ = false;

  std::vector<RVec3> x_, y_, old_, trial_, force_;  // [particle_count]
  std::vector<RVec3> gradient_, trial_gradient_, direction_, internal_, scratch_s_, scratch_y_;
  std::vector<Real> drag_;     // [particle_count] N s/m
  std::vector<RVec3> normal_;  // [particle_count] for wind
  std::vector<double> partials_;
  RVec3 gravity_ = RVec3::Zero(), air_ = RVec3::Zero();
  Real tie_ratio_ = 1;
  double phi_ = 0, phi_scale_ = 0;
  const std::vector<RVec3>* eval_x_ = nullptr;
  std::vector<RVec3>* eval_gradient_ = nullptr;
};

std::vector<Real> contact_stiffness(const ElasticEnergy& elastic) {
  const Eigen::SparseMatrix<double> matrix = elastic.matrix();
  const Eigen::VectorXd diagonal = matrix.diagonal();
  std::vector<Real> out;
  for (int i = 0; i < diagonal.size(); ++i)
    out.push_back(static_cast<Real>(std::max(1.0, kContactShare * diagonal[i])));
  return out;
}

SpringProjection::SpringProjection(const DrapeModel& model, const SolverSettings& settings)
    : model_(model),
      settings_(settings),
      inverse_h2_(static_cast<Real>(1 / (settings.time_step * settings.time_step))),
      elastic_(model, settings.tie_stiffness),
      contact_(model, contact_stiffness(ElasticEnergy(model, 0.0))),
      lbfgs_(settings.history, model.particle_count) {
  const int n = model.particle_count;
  matrix_ = elastic_.matrix();
  for (int j = 0; j < n; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix_, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      const bool pinned = model.inverse_mass[i] == 0 || model.inverse_mass[j] == 0;
      if (i == j) {
        it.valueRef() = pinned ? 1.0 : it.value() + static_cast<double>(model.mass[i] * inverse_h2_);
        diagonal_place_.push_back(static_cast<int>(&it.valueRef() - matrix_.valuePtr()));
        diagonal_.push_back(it.value());
      } else if (pinned) {
        it.valueRef() = 0;
      }
    }
  values_.assign(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros());
  for (int i = 0; i < n; ++i) any_pinned_ = any_pinned_ || model.inverse_mass[i] == 0;
  cholesky_.analyse(matrix_);
  free_cholesky_ = cholesky_;
  in_matrix_.assign(n, 0);
  wanted_.assign(n, 0);
  drag_.assign(n, 0);
  for (auto* v : {&x_, &y_, &old_, &trial_, &force_, &gradient_, &trial_gradient_, &direction_, &internal_, &scratch_s_,
                  &scratch_y_, &normal_})
    v->assign(n, RVec3::Zero());
  partials_.assign((n + kGrain - 1) / kGrain, 0.0);
}

absl::Status SpringProjection::not_finite(std::string_view phase, const std::vector<RVec3>& values) const {
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].allFinite())
      return make_error(absl::StatusCode::kInternal, "NOT_FINITE", cat("particle[", i, "]"),
                        cat("spring projection, phase ", phase, ": particle ", i, " is not a finite number"),
                        "report this with the replay bundle");
  return make_error(absl::StatusCode::kInternal, "NOT_FINITE", "energy",
                    cat("spring projection, phase ", phase, ": the energy is not a finite number"),
                    "report this with the replay bundle");
}

absl::Status SpringProjection::check_state(const DrapeState& state) const {
  const size_t n = static_cast<size_t>(model_.particle_count);
  if (state.x.size() != n || state.v.size() != n)
    return internal_fault(cat("the state has ", state.x.size(), " particles, the model ", n));
  for (const auto* values : {&state.x, &state.v})
    for (const RVec3& value : *values)
      if (!value.allFinite()) return not_finite("start", *values);
  return absl::OkStatus();
}

void SpringProjection::predict(const Scene& scene, const DrapeState& state) {
  const Real h = static_cast<Real>(settings_.time_step);
  gravity_ = scene.gravity.cast<Real>();
  air_ = scene.wind.velocity.cast<Real>();
  tie_ratio_ = state.tie_rest_ratio;
  for (int i = 0; i < model_.particle_count; ++i) {
    old_[i] = state.x[i];
    const bool pinned = model_.inverse_mass[i] == 0;
    y_[i] = pinned ? state.x[i] : RVec3(state.x[i] + h * state.v[i]);
    force_[i] = gravity::force(model_.mass[i], gravity_);
    drag_[i] = 0;
  }
  add_wind(scene, state);
}

// Lift is taken at the step's start; drag's rate too, but its velocity at the end (fast air must not throw light
// cloth).
void SpringProjection::add_wind(const Scene& scene, const DrapeState& state) {
  if (scene.wind.drag == 0 && scene.wind.lift == 0) return;
  std::fill(normal_.begin(), normal_.end(), RVec3::Zero());
  for (size_t t = 0; t < model_.triangles.size(); ++t) {
    const Triangle& c = model_.triangles[t];
    const RVec3 n = (state.x[c[1]] - state.x[c[0]]).cross(state.x[c[2]] - state.x[c[0]]);
    for (int k = 0; k < 3; ++k) normal_[c[k]] += n;
  }
  for (int i = 0; i < model_.particle_count; ++i) {
    const double length = static_cast<double>(normal_[i].norm());
    if (length == 0) continue;
    const Eigen::Vector3d normal = normal_[i].cast<double>() / length;
    const double area = static_cast<double>(model_.mass[i]) / model_.fabric.areal_density;
    const WindParts parts = wind_parts(scene.wind, state.v[i].cast<double>() - scene.wind.velocity, normal, area);
    force_[i] += parts.lift.cast<Real>();
    drag_[i] = static_cast<Real>(parts.drag_rate);
  }
}

// Particles at the body get their contact stiffness on the diagonal: without it A takes a resting cloth for a free one,
// and the line search cuts every step to a thirtieth (measured on a cloth over a sphere). The pattern never changes, so
// only the numbers are factorised anew, at most once a step and only when enough particles changed side: it costs about
// as much as ten iterations. The quasi-Newton pairs stay, since the energy's own curvature has not changed.
absl::Status SpringProjection::update_matrix() {
  refactored_ = false;
  int changes = 0;
  touching_ = false;
  for (int i = 0; i < model_.particle_count; ++i) {
    wanted_[i] = model_.inverse_mass[i] != 0 && contact_.near(i, x_[i]);
    changes += wanted_[i] != in_matrix_[i];
    touching_ = touching_ || wanted_[i];
  }
  if (factored_ && changes <= kRefactorShare * model_.particle_count) return absl::OkStatus();
  in_matrix_.swap(wanted_);
  for (int i = 0; i < model_.particle_count; ++i)
    values_[diagonal_place_[i]] = diagonal_[i] + (in_matrix_[i] ? static_cast<double>(contact_.stiffness(i)) : 0.0);
  const bool first = !factored_;
  factored_ = refactored_ = true;
  int failed = cholesky_.factor(values_.data());
  if (first && failed < 0) failed = free_cholesky_.factor(matrix_.valuePtr());
  if (failed >= 0) return internal_fault(cat("spring projection, phase factor: pivot ", failed, " is not positive"));
  return absl::OkStatus();
}

void SpringProjection::evaluate_particles(int begin, int end, double* energy) {
  const Real h = static_cast<Real>(settings_.time_step);
  double sum = 0;
  for (int i = begin; i < end; ++i) {
    RVec3& gradient = (*eval_gradient_)[i];
    if (model_.inverse_mass[i] == 0) {
      gradient.setZero();
      continue;
    }
    const RVec3& x = (*eval_x_)[i];
    const RVec3 inertia = x - y_[i], moved = x - old_[i];
    const Real stiffness = model_.mass[i] * inverse_h2_, drag = drag_[i] / h;
    const RVec3 drift = moved - h * air_;
    gradient = internal_[i] + stiffness * inertia + drag * drift - force_[i];
    sum += static_cast<double>(Real(0.5) * (stiffness * inertia.squaredNorm() + drag * drift.squaredNorm()) -
                               force_[i].dot(moved));
    sum += contact_.add(i, x, &gradient);
  }
  *energy = sum;
}

double SpringProjection::evaluate(const RunContext& run, const std::vector<RVec3>& x, std::vector<RVec3>* gradient) {
  double energy = elastic_.evaluate(run, x.data(), tie_ratio_, internal_.data());
  eval_x_ = &x;
  eval_gradient_ = gradient;
  run.parallel_for(model_.particle_count, kGrain, [this](int64_t begin, int64_t end) {
    evaluate_particles(static_cast<int>(begin), static_cast<int>(end), partials_.data() + begin / kGrain);
  });
  phi_scale_ = std::abs(energy);
  for (double part : partials_) {
    energy += part;
    phi_scale_ += std::abs(part);
  }
  return energy;
}

// Wan 2020 starts at y. Free flight is exact from y + h^2 f/m; at a body that point is pushed out along the normals, or
// else the last position is kept, whichever is lower: sliding cloth starts from the first, resting cloth from the
// second.
void SpringProjection::choose_start(const RunContext& run, const DrapeState& state) {
  for (int i = 0; i < model_.particle_count; ++i) x_[i] = y_[i];
  if (settings_.history == 0) return;
  for (int i = 0; i < model_.particle_count; ++i)
    if (model_.inverse_mass[i] != 0)
      x_[i] = contact_.outside(i, x_[i] + force_[i] * (model_.inverse_mass[i] / inverse_h2_));
  if (!touching_ && !any_pinned_) return;  // in free flight the first also keeps the momentum
  const double fresh = evaluate(run, x_, &trial_gradient_);
  const double stay = evaluate(run, state.x, &trial_gradient_);
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
    for (int i = 0; i < model_.particle_count; ++i) contact_.keep_free_part(i, x_[i], &(*r)[i]);
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
    const double trial = evaluate(run, trial_, &trial_gradient_);
    const double noise = 64 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * phi_scale_;
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
  phi_ = evaluate(run, x_, &gradient_);
  bool lagged = false;
  for (int iteration = 0; iteration < settings_.iterations; ++iteration) {
    RETURN_IF_ERROR(run.check());
    if (!std::isfinite(phi_)) return not_finite("forces", gradient_);
    bool changed = contact_.refresh(run, scene, x_, kRequeryDistance);
    const bool done = converged();
    if (!lagged && (done || 2 * iteration >= settings_.iterations)) {
      changed = contact_.lag_normal_forces(x_) || changed;
      lagged = true;
    }
    if (changed) phi_ = evaluate(run, x_, &gradient_);
    if (done && (!changed || converged())) return iteration;
    const bool along_surface = touching_ && iteration % kSurfaceTurn == 1;
    find_direction(along_surface);
    if (search_line(run) || along_surface) continue;
    if (lbfgs_.pairs() == 0) return iteration + 1;  // no lower point in sight: as good as the number type allows
    lbfgs_.clear();
  }
  return settings_.iterations;
}

void SpringProjection::finish(const RunContext& run, const Scene& scene, DrapeState* state, StepReport* report) {
  const Real inverse_h = static_cast<Real>(1 / settings_.time_step), keep = static_cast<Real>(settings_.velocity_keep);
  for (int i = 0; i < model_.particle_count; ++i) {
    state->v[i] = keep * inverse_h * (x_[i] - old_[i]);
    state->x[i] = x_[i];
  }
  const double start = now_s();
  contact_.project(run, scene, &state->x, &state->v);
  for (int i = 0; i < model_.particle_count; ++i)
    if (model_.inverse_mass[i] == 0) {
      state->x[i] = old_[i];
      state->v[i].setZero();
    }
  contact_.end_step(state->x);
  report->collision_s += now_s() - start;
  state->time += settings_.time_step;
  ++state->step;
  report_residual(run, *state, report);
}

// Net force at the end of the step: elastic, gravity, wind on the cloth as it moves now; no inertia.
void SpringProjection::report_residual(const RunContext& run, const DrapeState& state, StepReport* report) {
  elastic_.evaluate(run, state.x.data(), tie_ratio_, internal_.data());
  const double unit = static_cast<double>(model_.mean_weight);
  double largest = 0, sum = 0, fastest = 0;
  int free_count = 0;
  for (int i = 0; i < model_.particle_count; ++i) {
    if (model_.inverse_mass[i] == 0) continue;
    const RVec3 net = force_[i] - drag_[i] * (state.v[i] - air_) - internal_[i];
    const double size = static_cast<double>(contact_.unbalanced(i, state.x[i], net).norm()) / unit;
    largest = std::max(largest, size);
    sum += size * size;
    fastest = std::max(fastest, static_cast<double>(state.v[i].norm()));
    ++free_count;
  }
  report->residual_max = largest;
  report->residual_rms = free_count ? std::sqrt(sum / free_count) : 0.0;
  report->max_speed = fastest;
}

absl::StatusOr<StepReport> SpringProjection::step(const RunContext& run, const Scene& scene, DrapeState* state) {
  const double start = now_s();
  StepReport report;
  RETURN_IF_ERROR(run.check());
  RETURN_IF_ERROR(check_state(*state));
  predict(scene, *state);
  const double before_contact = now_s();
  contact_.begin_step(run, scene, state->x);
  report.collision_s = now_s() - before_contact;
  std::copy(state->x.begin(), state->x.end(), x_.begin());
  RETURN_IF_ERROR(update_matrix());
  choose_start(run, *state);
  ASSIGN_OR_RETURN(report.iterations, minimise(run, scene));
  if (!std::isfinite(phi_)) return not_finite("solve", x_);
  report.potential = phi_;
  report.refactored = refactored_;
  finish(run, scene, state, &report);
  for (const RVec3& x : state->x)
    if (!x.allFinite()) return not_finite("contact", state->x);
  report.total_s = now_s() - start;
  return report;
}

}  // namespace

std::unique_ptr<Solver> make_spring_projection(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<SpringProjection>(model, settings);
}

}  // namespace tryon::sim
