#include "server/sim/collision/contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "server/sim/collision/friction.h"

namespace tryon::sim {

namespace {
constexpr Real kReach = Real(0.05);         // m, how far the collider is asked
constexpr Real kBand = Real(1e-3);          // m beyond the offset within which a plane must be fresh
constexpr Real kTouch = Real(1e-4);         // m, a gap that counts as contact in a balance of forces
constexpr Real kDepthAllowed = Real(1e-3);  // m below the offset at the end of a step
// A particle that starts deep inside must not be shot out again: a multiplier opens a gap of at most this.
constexpr Real kMultiplierReach = Real(2e-3);  // m
constexpr int kGrain = 256;
constexpr size_t kAtOnce = 64;  // questions in one batch
}  // namespace

RVec3 outside_cone(const RVec3& force, const RVec3& normal, Real mu) {
  const Real pressing = -force.dot(normal);
  const RVec3 along = force + pressing * normal;
  const Real slide = along.norm();
  if (slide <= mu * pressing) return RVec3::Zero();
  if (pressing + mu * slide <= 0) return force;  // pulls away: no reaction helps
  // The closest reaction lies on the cone's edge.
  const Real reaction = (pressing + mu * slide) / (1 + mu * mu);
  return (reaction - pressing) * normal + (1 - mu * reaction / slide) * along;
}

ContactSet::ContactSet(const DrapeModel& model, std::vector<Real> stiffness)
    : static_(static_cast<Real>(std::max(model.fabric.friction_static, model.fabric.friction_kinetic))),
      kinetic_(static_cast<Real>(model.fabric.friction_kinetic)),
      stiffness_(std::move(stiffness)) {
  const int n = model.particle_count;
  distance_.assign(n, 0);
  multiplier_.assign(n, 0);
  normal_force_.assign(n, 0);
  asked_.assign(n, RVec3::Zero());
  normal_.assign(n, RVec3::UnitY());
  anchor_.assign(n, RVec3::Zero());
  for (auto* flags : {&known_, &anchored_, &sliding_, &changed_}) flags->assign(n, 0);
}

bool ContactSet::must_ask(int i) const {
  if (!known_[i]) return true;
  const Real moved = (x_[i] - asked_[i]).norm();
  return moved > moved_ && distance_[i] - moved <= offset_ + kBand;
}

void ContactSet::ask(int begin, int end) {
  std::array<Eigen::Vector3d, kAtOnce> points;
  std::array<Contact, kAtOnce> contacts;
  std::array<int, kAtOnce> particle;
  for (int next = begin; next < end;) {
    size_t count = 0;
    for (; next < end && count < kAtOnce; ++next) {
      changed_[next] = must_ask(next);
      if (changed_[next]) points[count] = x_[next].cast<double>(), particle[count++] = next;
    }
    collider_->query(std::span<const Eigen::Vector3d>(points).first(count), static_cast<double>(kReach),
                     std::span(contacts).first(count));
    for (size_t k = 0; k < count; ++k) {
      const int i = particle[k];
      distance_[i] = static_cast<Real>(contacts[k].distance);
      normal_[i] = contacts[k].normal.cast<Real>();
      asked_[i] = x_[i];
      known_[i] = 1;
    }
  }
}

bool ContactSet::refresh(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x, Real moved) {
  if (!reachable_) return false;
  collider_ = scene.collider;
  x_ = x.data();
  moved_ = moved;
  run.parallel_for(static_cast<int64_t>(x.size()), kGrain, [this, &run](int64_t begin, int64_t end) {
    if (!run.cancel.cancelled()) ask(static_cast<int>(begin), static_cast<int>(end));  // the caller looks right after
  });
  return std::find(changed_.begin(), changed_.end(), 1) != changed_.end();
}

void ContactSet::begin_step(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x) {
  offset_ = static_cast<Real>(scene.contact_offset);
  reachable_ = scene.collider != nullptr;
  if (!reachable_ || scene.collider != collider_) {
    for (auto* flags : {&known_, &anchored_, &sliding_}) std::fill(flags->begin(), flags->end(), 0);
    std::fill(multiplier_.begin(), multiplier_.end(), Real(0));
    std::fill(normal_force_.begin(), normal_force_.end(), Real(0));
  }
  refresh(run, scene, x, Real(1e-4));
  for (size_t i = 0; i < x.size(); ++i)
    if (!anchored_[i]) anchor_[i] = x[i];
}

bool ContactSet::lag_normal_forces(const std::vector<RVec3>& x) {
  if (!reachable_) return false;
  bool changed = false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (anchored_[i]) continue;
    const Real now = pressure(static_cast<int>(i), x[i]);
    changed = changed || now != normal_force_[i];
    normal_force_[i] = now;
  }
  return changed;
}

double ContactSet::add(int i, const RVec3& x, RVec3* gradient) const {
  if (!reachable_) return 0;
  const Real p = pressure(i, x), m = multiplier_[i];
  double energy = 0;
  if (p > 0 || m > 0) {
    energy = 0.5 * static_cast<double>(p * p - m * m) / static_cast<double>(stiffness_[i]);
    *gradient -= p * normal_[i];
  }
  const Real limit = friction_limit(i);
  if (limit > 0) {
    const RVec3 u = slip(i, x);
    energy += friction::value(stiffness_[i], limit, u);
    *gradient += friction::gradient(stiffness_[i], limit, u);
  }
  return energy;
}

Eigen::Matrix<Real, 3, 3> ContactSet::hessian(int i, const RVec3& x) const {
  Eigen::Matrix<Real, 3, 3> sum = Eigen::Matrix<Real, 3, 3>::Zero();
  if (!reachable_) return sum;
  const RVec3& n = normal_[i];
  if (pressure(i, x) > 0) sum += stiffness_[i] * n * n.transpose();
  const Real limit = friction_limit(i);
  if (limit > 0) {
    const Eigen::Matrix<Real, 3, 3> along = Eigen::Matrix<Real, 3, 3>::Identity() - n * n.transpose();
    sum += along * friction::hessian(stiffness_[i], limit, slip(i, x)) * along;
  }
  return sum;
}

void ContactSet::keep_free_part(int i, const RVec3& x, RVec3* vector) const {
  if (!reachable_ || pressure(i, x) <= 0) return;
  if (stiffness_[i] * slip(i, x).norm() < friction_limit(i)) {
    vector->setZero();
  } else {
    *vector -= normal_[i] * normal_[i].dot(*vector);
  }
}

void ContactSet::project(const RunContext& run, const Scene& scene, std::vector<RVec3>* x, std::vector<RVec3>* v) {
  if (!reachable_) return;
  // Twice: where two surfaces meet, the first push may end inside the other.
  for (int pass = 0; pass < 2; ++pass) {
    refresh(run, scene, *x, Real(2e-4));
    bool moved = false;
    for (size_t i = 0; i < x->size(); ++i) {
      const Real deep = -gap(static_cast<int>(i), (*x)[i]) - kDepthAllowed;
      if (deep <= 0) continue;
      (*x)[i] += deep * normal_[i];
      const Real inward = std::min(Real(0), (*v)[i].dot(normal_[i]));
      (*v)[i] -= inward * normal_[i];
      moved = true;
    }
    if (!moved) return;
  }
}

void ContactSet::end_step(const std::vector<RVec3>& x) {
  if (!reachable_) return;
  for (size_t k = 0; k < x.size(); ++k) {
    const int i = static_cast<int>(k);
    const Real limit = friction_limit(i);
    multiplier_[i] = std::min(pressure(i, x[i]), multiplier_[i] + stiffness_[i] * kMultiplierReach);
    if (multiplier_[i] <= 0) {
      anchored_[i] = sliding_[i] = 0;
      normal_force_[i] = 0;
      continue;
    }
    const RVec3 u = slip(i, x[i]);
    sliding_[i] = stiffness_[i] * u.norm() > limit;
    anchor_[i] = x[i] - friction::kept_offset(stiffness_[i], limit, u);
    anchored_[i] = 1;
    normal_force_[i] = multiplier_[i];
  }
}

RVec3 ContactSet::unbalanced(int i, const RVec3& x, const RVec3& force) const {
  if (!reachable_ || gap(i, x) > kTouch) return force;
  return outside_cone(force, normal_[i], static_);
}

}  // namespace tryon::sim
