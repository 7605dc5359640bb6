#include "server/sim/solvers/incremental_potential.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/solvers/step_clock.h"

namespace tryon::sim {

namespace {

constexpr int kGrain = 512;
constexpr Real kRequeryDistance = Real(1.5e-3);  // m; the tangent plane of a 5 cm limb is then 0.02 mm wrong

}  // namespace

IncrementalPotential::IncrementalPotential(const DrapeModel& model, const SolverSettings& settings)
    : model_(model),
      settings_(settings),
      inverse_h2_(static_cast<Real>(1 / (settings.time_step * settings.time_step))),
      elastic_(model, settings.tie_stiffness),
      bend_damping_(model, settings.time_step),
      shear_damping_(model, settings.time_step),
      contact_(model, contact_stiffness(model)),
      outer_(model.particle_count) {
  for (Real w : model.inverse_mass) any_pinned_ = any_pinned_ || w == 0;
  for (auto* v : {&y_, &old_, &internal_}) v->assign(model.particle_count, RVec3::Zero());
  partials_.assign((model.particle_count + kGrain - 1) / kGrain, 0.0);
}

Eigen::SparseMatrix<double> IncrementalPotential::constant_matrix(BendInMatrix bend) const {
  Eigen::SparseMatrix<double> matrix = elastic_.matrix(bend);
  if (model_.viscous.count() > 0) matrix += bend_damping_.matrix();
  if (shear_damping_.any()) matrix += shear_damping_.matrix();
  for (int j = 0; j < model_.particle_count; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      const bool fixed = pinned(i) || pinned(j);
      if (i == j) {
        it.valueRef() = fixed ? 1.0 : it.value() + static_cast<double>(inertia(i));
      } else if (fixed) {
        it.valueRef() = 0;
      }
    }
  return matrix;
}

absl::Status IncrementalPotential::not_finite(std::string_view phase, const std::vector<RVec3>& values) const {
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].allFinite())
      return make_error(absl::StatusCode::kInternal, "NOT_FINITE", cat("particle[", i, "]"),
                        cat("phase ", phase, ": particle ", i, " is not a finite number"),
                        "report this with the replay bundle");
  return make_error(absl::StatusCode::kInternal, "NOT_FINITE", "energy",
                    cat("phase ", phase, ": the energy is not a finite number"), "report this with the replay bundle");
}

absl::Status IncrementalPotential::check_state(const DrapeState& state) const {
  const size_t n = static_cast<size_t>(model_.particle_count);
  if (state.x.size() != n || state.v.size() != n)
    return internal_fault(cat("the state has ", state.x.size(), " particles, the model ", n));
  for (const auto* values : {&state.x, &state.v})
    for (const RVec3& value : *values)
      if (!value.allFinite()) return not_finite("start", *values);
  return absl::OkStatus();
}

absl::Status IncrementalPotential::begin(const RunContext& run, const Scene& scene, const DrapeState& state,
                                         StepReport* report) {
  RETURN_IF_ERROR(run.check());
  RETURN_IF_ERROR(check_state(state));
  predict(scene, state);
  bend_damping_.begin_step(state.x);
  shear_damping_.begin_step(state.x);
  const double start = now_s();
  contact_.begin_step(run, scene, state.x);
  begin_self_contact(run, scene, state.x);
  begin_bones(scene, state.x);
  report->collision_s += now_s() - start;
  return run.check();
}

std::vector<Real> IncrementalPotential::first_stiffness() const {
  std::vector<Real> out;
  for (int i = 0; i < model_.particle_count; ++i) out.push_back(contact_.first_stiffness(i));
  return out;
}

void IncrementalPotential::make_self_contact(const Scene& scene) {
  const Real radius = static_cast<Real>(scene.self_contact), steep = static_cast<Real>(scene.steep_share);
  if (self_contact_ && self_contact_->radius() == radius && self_contact_->steep_share() == steep &&
      self_contact_->of() == scene.kept_apart)
    return;
  std::vector<Real> friction;
  for (int i = 0; i < model_.particle_count; ++i) friction.push_back(contact_.kinetic_friction(i));
  auto made =
      std::make_unique<SelfContact>(model_, radius, std::move(friction), first_stiffness(), steep, scene.kept_apart);
  if (self_contact_) made->go_on_from(*self_contact_);
  self_contact_ = std::move(made);
}

void IncrementalPotential::begin_self_contact(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x) {
  if (scene.self_contact <= 0) {
    self_contact_.reset();
    return;
  }
  make_self_contact(scene);
  self_contact_->begin_step(run, x);
}

void IncrementalPotential::begin_bones(const Scene& scene, const std::vector<RVec3>& x) {
  if (scene.bones.empty()) {
    bones_.reset();
    return;
  }
  if (!bones_) bones_ = std::make_unique<BoneContact>(model_, first_stiffness());
  bones_->begin_step(scene, x);
}

bool IncrementalPotential::limit(const RunContext& run, std::vector<RVec3>* x) {
  const bool layers = self_contact_ && self_contact_->limit(run, x);
  return (bones_ && bones_->limit(x)) || layers;
}

bool IncrementalPotential::free_limited(const RunContext& run, const std::vector<RVec3>& x) {
  const bool layers = self_contact_ && self_contact_->renew(run, x);
  return (bones_ && bones_->renew(x)) || layers;
}

std::vector<uint8_t> IncrementalPotential::moving() const {
  std::vector<uint8_t> out;
  for (int i = 0; i < model_.particle_count; ++i) out.push_back(!pinned(i));
  return out;
}

void IncrementalPotential::take_contacts(const IncrementalPotential& whole, const Scene& scene,
                                         const std::vector<RVec3>& whole_x, const std::vector<int>& at) {
  contact_.take_from(whole.contact_, at);
  if (!whole.self_contact_ || scene.self_contact <= 0) return;
  make_self_contact(scene);
  self_contact_->take_held(*whole.self_contact_, whole_x, at, moving());
}

void IncrementalPotential::give_contacts(const std::vector<RVec3>& x, const std::vector<RVec3>& whole_x,
                                         const std::vector<int>& at, IncrementalPotential* whole) const {
  contact_.give_to(&whole->contact_, at, moving());
  if (self_contact_ && whole->self_contact_) self_contact_->give_held(x, at, whole_x, whole->self_contact_.get());
}

void IncrementalPotential::predict(const Scene& scene, const DrapeState& state) {
  const Real h = static_cast<Real>(settings_.time_step);
  tie_ratio_ = state.tie_rest_ratio;
  for (int i = 0; i < model_.particle_count; ++i) {
    old_[i] = state.x[i];
    y_[i] = pinned(i) ? state.x[i] : RVec3(state.x[i] + h * state.v[i]);
  }
  outer_.gather(model_, scene, state);
}

RVec3 IncrementalPotential::flight(int i) const {
  if (pinned(i)) return old_[i];
  return contact_.outside(i, y_[i] + outer_.force[i] * (model_.inverse_mass[i] / inverse_h2_));
}

RVec3 IncrementalPotential::ballistic(int i) const {
  if (pinned(i)) return old_[i];
  const Real h = static_cast<Real>(settings_.time_step), w = model_.inverse_mass[i];
  const Real damping = h * outer_.drag[i] * w;
  return old_[i] + (y_[i] - old_[i] + h * h * w * outer_.force[i]) / (1 + damping);
}

bool IncrementalPotential::refresh_contacts(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x) {
  const bool layers = self_contact_ && self_contact_->refresh(run, x), bones = bones_ && bones_->refresh(x);
  return contact_.refresh(run, scene, x, kRequeryDistance) || layers || bones;
}

void IncrementalPotential::evaluate_particles(int begin, int end, double* energy) {
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
    const Real stiffness = model_.mass[i] * inverse_h2_, drag = outer_.drag[i] / h;
    gradient = internal_[i] + stiffness * inertia + drag * moved - outer_.force[i];
    sum += static_cast<double>(Real(0.5) * (stiffness * inertia.squaredNorm() + drag * moved.squaredNorm()) -
                               outer_.force[i].dot(moved));
    sum += contact_.add(i, x, &gradient);
  }
  *energy = sum;
}

double IncrementalPotential::evaluate(const RunContext& run, const std::vector<RVec3>& x,
                                      std::vector<RVec3>* gradient) {
  double energy = elastic_.evaluate(run, x.data(), tie_ratio_, internal_.data());
  eval_x_ = &x;
  eval_gradient_ = gradient;
  run.parallel_for(model_.particle_count, kGrain, [this](int64_t begin, int64_t end) {
    evaluate_particles(static_cast<int>(begin), static_cast<int>(end), partials_.data() + begin / kGrain);
  });
  energy += bend_damping_.add(x, gradient);
  energy += shear_damping_.add(x, gradient);
  if (self_contact_) energy += self_contact_->add(run, x, gradient);
  if (bones_) energy += bones_->add(x, gradient);
  if (self_contact_ || bones_ || model_.viscous.count() > 0 || shear_damping_.any()) {
    for (int i = 0; any_pinned_ && i < model_.particle_count; ++i)
      if (pinned(i)) (*gradient)[i].setZero();
  }
  scale_ = std::abs(energy);
  for (double part : partials_) {
    energy += part;
    scale_ += std::abs(part);
  }
  return energy;
}

void IncrementalPotential::finish(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x,
                                  DrapeState* state, StepReport* report) {
  const Real inverse_h = static_cast<Real>(1 / settings_.time_step), keep = static_cast<Real>(settings_.velocity_keep);
  for (int i = 0; i < model_.particle_count; ++i) {
    state->v[i] = keep * inverse_h * (x[i] - old_[i]);
    state->x[i] = x[i];
  }
  const double start = now_s();
  contact_.project(run, scene, &state->x, &state->v);
  limit(run, &state->x);
  for (int i = 0; i < model_.particle_count; ++i)
    if (model_.inverse_mass[i] == 0) {
      state->x[i] = old_[i];
      state->v[i].setZero();
    }
  contact_.end_step(state->x);
  if (self_contact_) report->crossings = self_contact_->crossings();
  report->collision_s += now_s() - start;
  state->time += settings_.time_step;
  ++state->step;
  report_residual(run, *state, report);
}

// Net force at the end of the step: elastic, gravity, wind on the cloth as it moves now; no inertia.
void IncrementalPotential::report_residual(const RunContext& run, const DrapeState& state, StepReport* report) {
  elastic_.evaluate(run, state.x.data(), tie_ratio_, internal_.data());
  const double unit = static_cast<double>(model_.mean_weight);
  if (self_contact_) {
    self_contact_->add(run, state.x, &internal_);
    report->overheld_max = static_cast<double>(self_contact_->overheld(state.x)) / unit;
  }
  if (bones_) bones_->add(state.x, &internal_);
  double largest = 0, sum = 0, fastest = 0;
  int free_count = 0;
  for (int i = 0; i < model_.particle_count; ++i) {
    if (model_.inverse_mass[i] == 0) continue;
    const RVec3 net = outer_.force[i] - outer_.drag[i] * state.v[i] - internal_[i];
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

}  // namespace tryon::sim
