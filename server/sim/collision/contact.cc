#include "server/sim/collision/contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "server/sim/collision/friction.h"
#include "server/sim/collision/pinch.h"

namespace tryon::sim {

namespace {
constexpr Real kReach = Real(0.05);          // m, how far the collider is asked
constexpr Real kBand = Real(1e-3);           // m beyond the offset within which a plane must be fresh
constexpr Real kFreshDistance = Real(1e-5);  // m a particle may have moved since its plane was asked, as a step begins
constexpr Real kTouch = Real(1e-4);          // m, a gap that counts as contact in a balance of forces
// Of the room, at the end of a step: nearer than that contact gets harder; deeper than that a particle is moved out.
constexpr Real kNearShare = Real(0.9), kDeepShare = Real(0.05), kHarden = 2;
constexpr Real kHardest = Real(1e3);  // over the stiffness at the start
constexpr Real kLower = Real(0.5);    // of what a lift is too much, from step to step
constexpr Real kLiftLimit = static_cast<Real>(kMostLift), kDeepest = static_cast<Real>(kMostBulge);
constexpr int kConeSweeps = 400;
constexpr Real kConeShare = Real(1e-6);  // of the force: less than that a sweep no longer changes
constexpr int kGrain = 256;
constexpr size_t kAtOnce = 64;  // questions in one batch

// Of the items begin .. end, those whose wanted(item, &point) holds are asked; take(item, point, contact) has the
// answer.
template <typename Wanted, typename Take>
void ask_in_batches(const Collider& collider, Real reach, int begin, int end, const Wanted& wanted, const Take& take) {
  std::array<Eigen::Vector3d, kAtOnce> points;
  std::array<Contact, kAtOnce> contacts;
  std::array<int, kAtOnce> item;
  for (int next = begin; next < end;) {
    size_t count = 0;
    for (; next < end && count < kAtOnce; ++next) {
      if (wanted(next, &points[count])) item[count++] = next;
    }
    collider.query(std::span<const Eigen::Vector3d>(points).first(count), static_cast<double>(reach),
                   std::span(contacts).first(count));
    for (size_t k = 0; k < count; ++k) take(item[k], points[k], contacts[k]);
  }
}
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

// Projections in turn (Boyle and Dykstra 1986) would give the very nearest; for "is there a balance" plain ones do.
RVec3 outside_cones(const RVec3& force, const RVec3& first, const RVec3& second, Real mu) {
  RVec3 held_first = RVec3::Zero(), held_second = RVec3::Zero(), left = force;
  RVec3 before = RVec3::Zero();
  for (int sweep = 0; sweep < kConeSweeps && (left - before).norm() > kConeShare * force.norm(); ++sweep) {
    before = left;
    left = outside_cone(force - held_second, first, mu);
    held_first = force - held_second - left;
    left = outside_cone(force - held_first, second, mu);
    held_second = force - held_first - left;
  }
  return left;
}

ContactSet::ContactSet(const DrapeModel& model, std::vector<Real> stiffness)
    : stiffness_(std::move(stiffness)),
      first_stiffness_(stiffness_),
      triangles_(model.triangles),
      sunk_(model.triangles.size(), -1),
      middle_(model.triangles.size()),
      sharp_reach_(PointsUnder::reach_of(model)) {
  const int n = model.particle_count;
  for (int i = 0; i < n; ++i) {
    const SpringFabric& fabric = model.fabric_of(i);
    static_.push_back(static_cast<Real>(fabric.sticking_friction()));
    kinetic_.push_back(static_cast<Real>(fabric.friction_kinetic));
  }
  for (auto* values : {&normal_force_, &room_, &lift_}) values->assign(n, 0);
  for (auto* planes : {&plane_, &opposite_}) planes->assign(n, Plane{});
  for (auto* points : {&asked_, &anchor_}) points->assign(n, RVec3::Zero());
  for (auto* flags : {&known_, &anchored_, &sliding_, &changed_, &pinched_}) flags->assign(n, 0);
}

bool ContactSet::must_ask(int i) const {
  if (!known_[i]) return true;
  const Real moved = (x_[i] - asked_[i]).norm();
  return moved > moved_ && plane_[i].distance - moved <= wanted_offset_ + kBand;
}

void ContactSet::take_plane(int i, const Contact& contact) {
  plane_[i].normal = contact.normal.cast<Real>();
  plane_[i].distance = static_cast<Real>(contact.distance) - lift_[i];
  asked_[i] = x_[i];
  known_[i] = 1;
  room_[i] = wanted_offset_;
}

void ContactSet::ask(int begin, int end) {
  const auto wanted = [this](int i, Eigen::Vector3d* point) {
    changed_[i] = must_ask(i);
    if (changed_[i]) *point = x_[i].cast<double>();
    return changed_[i] != 0;
  };
  ask_in_batches(*collider_, kReach, begin, end, wanted,
                 [this](int i, const Eigen::Vector3d&, const Contact& contact) { take_plane(i, contact); });
  ask_opposite(begin, end);
}

void ContactSet::ask_opposite(int begin, int end) {
  const auto wanted = [this](int i, Eigen::Vector3d* point) {
    if (!changed_[i]) return false;
    const Contact nearest = nearest_of(i);
    if (plane_[i].distance > wanted_offset_ + kBand || nearest.distance < -kPinchReach) {
      release(i);
      return false;
    }
    *point = past_pinch(x_[i].cast<double>(), nearest);
    return true;
  };
  ask_in_batches(*collider_, kPinchReach, begin, end, wanted,
                 [this](int i, const Eigen::Vector3d&, const Contact& past) { take_opposite(i, past); });
}

void ContactSet::release(int i) { pinched_[i] = 0; }

Contact ContactSet::nearest_of(int i) const {
  return {static_cast<double>(plane_[i].distance + lift_[i]), plane_[i].normal.cast<double>()};
}

void ContactSet::take_opposite(int i, const Contact& past) {
  const Contact nearest = nearest_of(i);
  if (!stands_opposite(nearest, past)) return release(i);
  const Contact across = surface_across(*collider_, x_[i].cast<double>(), nearest);
  if (across.distance >= kNoneAcross) return release(i);
  set_lift(i, 0);
  opposite_[i] = {across.normal.cast<Real>(), static_cast<Real>(across.distance)};
  pinched_[i] = 1;
  room_[i] = std::min(wanted_offset_, (plane_[i].distance + opposite_[i].distance) / 2);
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
  wanted_offset_ = static_cast<Real>(scene.contact_offset);
  reachable_ = scene.collider != nullptr;
  if (!reachable_ || scene.collider != collider_) {
    for (auto* flags : {&known_, &anchored_, &sliding_, &pinched_}) std::fill(flags->begin(), flags->end(), 0);
    for (auto* values : {&normal_force_, &lift_}) std::fill(values->begin(), values->end(), Real(0));
    std::fill(middle_.begin(), middle_.end(), Place{});
    sharp_ = reachable_ ? std::make_shared<const PointsUnder>(scene.collider->sharp_points(), sharp_reach_) : nullptr;
  }
  refresh(run, scene, x, kFreshDistance);
  if (reachable_ && scene.middle_room > 0) lift_corners(run, scene);
  for (size_t i = 0; i < x.size(); ++i)
    if (!anchored_[i]) anchor_[i] = x[i];
}

void ContactSet::set_lift(int i, Real lift) {
  plane_[i].distance += lift_[i] - lift;
  lift_[i] = lift;
}

// No surface is nearer to the middle than a corner's distance less the way to it, or than it was when last asked less
// the way since. That it has its room is all that corners without a lift need to know.
bool ContactSet::middle_may_touch(int k, const RVec3& middle) const {
  bool lifted = false;
  for (const int i : triangles_[k]) {
    if (plane_[i].distance + lift_[i] - (middle - asked_[i]).norm() > middle_room_) return false;
    lifted = lifted || lift_[i] > 0;
  }
  return lifted || middle_[k].distance - (middle - middle_[k].at).norm() <= middle_room_;
}

void ContactSet::ask_middles(int begin, int end) {
  const auto wanted = [this](int k, Eigen::Vector3d* point) {
    const Triangle& t = triangles_[k];
    const RVec3 middle = (x_[t[0]] + x_[t[1]] + x_[t[2]]) / 3;
    sunk_[k] = -kLiftLimit;
    *point = middle.cast<double>();
    return middle_may_touch(k, middle);
  };
  const auto take = [this](int k, const Eigen::Vector3d& point, const Contact& contact) {
    const Real distance = static_cast<Real>(contact.distance), sunk = middle_room_ - distance;
    middle_[k] = distance < kReach ? Place{point.cast<Real>(), distance} : Place{};  // as far may be as deep
    sunk_[k] = sunk > kDeepest ? -kLiftLimit : sunk;
  };
  ask_in_batches(*collider_, kReach, begin, end, wanted, take);
}

// A sharp point that a triangle lies over wants the same room as its middle.
void ContactSet::ask_sharp(int begin, int end) {
  for (int k = begin; k < end; ++k) {
    const Triangle& t = triangles_[k];
    const Real height = sharp_->least_height(x_[t[0]], x_[t[1]], x_[t[2]], middle_room_ - kDeepest);
    if (height < PointsUnder::kNone) sunk_[k] = std::max(sunk_[k], middle_room_ - height);
  }
}

// A lift is right when the deepest of the middles beside it has just its room. What three corners rise by, their middle
// does; but each corner may rise for another triangle's sake, and fall as one, so that full corrections both ways can
// go up and down for ever.
void ContactSet::lift_corners(const RunContext& run, const Scene& scene) {
  middle_room_ = static_cast<Real>(scene.middle_room);
  run.parallel_for(static_cast<int64_t>(triangles_.size()), kGrain, [this, &run](int64_t begin, int64_t end) {
    if (run.cancel.cancelled()) return;
    ask_middles(static_cast<int>(begin), static_cast<int>(end));
    if (sharp_ && !sharp_->empty()) ask_sharp(static_cast<int>(begin), static_cast<int>(end));
  });
  lacking_.assign(lift_.size(), -kLiftLimit);
  for (size_t k = 0; k < triangles_.size(); ++k) {
    for (const int i : triangles_[k]) lacking_[i] = std::max(lacking_[i], sunk_[k]);
  }
  for (size_t i = 0; i < lift_.size(); ++i) {
    const Real change = lacking_[i] < 0 ? kLower * lacking_[i] : lacking_[i];
    if (!pinched_[i]) set_lift(static_cast<int>(i), std::clamp(lift_[i] + change, Real(0), kLiftLimit));
  }
}

bool ContactSet::lag_normal_forces(const std::vector<RVec3>& x) {
  if (!reachable_) return false;
  bool changed = false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (anchored_[i]) continue;
    const int k = static_cast<int>(i);
    const Real now = pressure(k, x[i]) + opposite_pressure(k, x[i]);
    changed = changed || now != normal_force_[i];
    normal_force_[i] = now;
  }
  return changed;
}

inline double ContactSet::push(const Plane& plane, int i, const RVec3& x, RVec3* gradient) const {
  const Push push = push_from(plane, i, x);
  if (push.force == 0) return 0;
  *gradient -= stiffness_[i] * push.force * plane.normal;
  return static_cast<double>(stiffness_[i] * push.energy);
}

double ContactSet::add(int i, const RVec3& x, RVec3* gradient) const {
  if (!reachable_) return 0;
  double energy = push(plane_[i], i, x, gradient);
  if (pinched_[i]) energy += push(opposite_[i], i, x, gradient);
  if (normal_force_[i] == 0) return energy;  // most of the cloth: what else friction asks for is not read
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
  const RVec3 &n = plane_[i].normal, &m = opposite_[i].normal;
  sum += stiffness_[i] * push_from(plane_[i], i, x).curvature * n * n.transpose();
  if (pinched_[i]) sum += stiffness_[i] * push_from(opposite_[i], i, x).curvature * m * m.transpose();
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
    *vector -= plane_[i].normal * plane_[i].normal.dot(*vector);
  }
}

void ContactSet::project(const RunContext& run, const Scene& scene, std::vector<RVec3>* x, std::vector<RVec3>* v) {
  if (!reachable_) return;
  // Twice: where two surfaces meet, the first push may end inside the other.
  for (int pass = 0; pass < 2; ++pass) {
    refresh(run, scene, *x, Real(2e-4));
    bool moved = false;
    for (size_t i = 0; i < x->size(); ++i) {
      const Real deep = -gap(static_cast<int>(i), (*x)[i]) - (1 - kDeepShare) * std::max(Real(0), room_[i]);
      if (deep <= 0) continue;
      const RVec3& normal = plane_[i].normal;
      (*x)[i] += deep * normal;
      const Real inward = std::min(Real(0), (*v)[i].dot(normal));
      (*v)[i] -= inward * normal;
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
    const Real both = pressure(i, x[i]) + opposite_pressure(i, x[i]);
    if (both <= 0) {
      anchored_[i] = sliding_[i] = 0;
      normal_force_[i] = 0;
      continue;
    }
    const RVec3 u = slip(i, x[i]);
    sliding_[i] = stiffness_[i] * u.norm() > limit;
    RVec3 kept = friction::kept_offset(stiffness_[i], limit, u);
    if (distance_to(plane_[i], i, x[i]) < kNearShare * room_[i]) {
      const Real before = stiffness_[i];
      stiffness_[i] = std::min(kHarden * before, kHardest * first_stiffness_[i]);
      kept *= before / stiffness_[i];  // friction pulls as it did
    }
    anchor_[i] = x[i] - kept;
    anchored_[i] = 1;
    normal_force_[i] = both;
  }
}

// From particle i here to particle j there.
void ContactSet::copy_particle(int i, int j, ContactSet* to) const {
  for (auto values : {&ContactSet::stiffness_, &ContactSet::first_stiffness_, &ContactSet::normal_force_,
                      &ContactSet::room_, &ContactSet::lift_})
    (to->*values)[j] = (this->*values)[i];
  for (auto planes : {&ContactSet::plane_, &ContactSet::opposite_}) (to->*planes)[j] = (this->*planes)[i];
  for (auto points : {&ContactSet::asked_, &ContactSet::anchor_}) (to->*points)[j] = (this->*points)[i];
  for (auto flags : {&ContactSet::known_, &ContactSet::anchored_, &ContactSet::sliding_, &ContactSet::pinched_})
    (to->*flags)[j] = (this->*flags)[i];
}

void ContactSet::take_from(const ContactSet& whole, const std::vector<int>& at) {
  collider_ = whole.collider_;  // whose contacts they are
  sharp_ = whole.sharp_;
  for (size_t i = 0; i < at.size(); ++i) whole.copy_particle(at[i], static_cast<int>(i), this);
}

void ContactSet::give_to(ContactSet* whole, const std::vector<int>& at, const std::vector<uint8_t>& moved) const {
  for (size_t i = 0; i < at.size(); ++i)
    if (moved[i]) copy_particle(static_cast<int>(i), at[i], whole);
}

RVec3 ContactSet::unbalanced(int i, const RVec3& x, const RVec3& force) const {
  if (!reachable_ || distance_to(plane_[i], i, x) > wanted_offset_ + kTouch) return force;
  if (pinched_[i] && distance_to(opposite_[i], i, x) <= wanted_offset_ + kTouch)
    return outside_cones(force, plane_[i].normal, opposite_[i].normal, static_[i]);
  return outside_cone(force, plane_[i].normal, static_[i]);
}

}  // namespace tryon::sim
