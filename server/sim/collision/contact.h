// What it is: body contact of all particles as an energy of the depth below the offset (push.h): quadratic to half of
// the offset, a logarithm below, so that what presses hard comes nearer but not in, and one energy holds from step to
// step; friction (friction.h) hangs on the same contacts. Ji 2004's test in brief: a particle within the offset is in
// contact. Distances are asked lazily: a particle is asked again only when it may have come within reach and has moved
// since; between questions the surface is its tangent plane there. Where another surface stands opposite (thighs that
// touch), a particle has two planes, both push, and positions are moved no farther off one than the middle. Where the
// body bulges into a triangle's middle, or a sharp point of the body stands in a triangle, its corners are lifted until
// that has Scene::middle_room (from step to step: within one the lift holds).
// Units: m, N, N/m, J. Shapes: all arrays [particle_count]. How it fails: never. Thread rules: one object, one calling
// thread; questions run on the executor. No allocation but for a new collider's sharp points.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "server/base/run_context.h"
#include "server/sim/collision/points_under.h"
#include "server/sim/collision/push.h"
#include "server/sim/model.h"

namespace tryon::sim {

class ContactSet {
 public:
  ContactSet(const DrapeModel& model, std::vector<Real> stiffness);  // stiffness [particle_count], N/m

  void begin_step(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x);
  // Asks again where particles moved more than `moved` metres; true if any plane changed.
  bool refresh(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x, Real moved);
  // Normal forces of contacts that began in this step, taken from the present x for their friction; true if any
  // changed. Older contacts keep the converged force of the step before: a half-way one would be noise, and noise makes
  // slip.
  bool lag_normal_forces(const std::vector<RVec3>& x);

  // Energy of particle i at x; adds its gradient.
  double add(int i, const RVec3& x, RVec3* gradient) const;
  // Its Hessian there (friction with its normal force and anchor held still): positive semidefinite.
  Eigen::Matrix<Real, 3, 3> hessian(int i, const RVec3& x) const;
  // In contact or about to be: within a millimetre.
  bool near(int i, const RVec3& x) const { return reachable_ && gap(i, x) < Real(1e-3); }
  // Takes from a force or a motion of particle i what its contact holds: the normal part, or all where friction sticks.
  void keep_free_part(int i, const RVec3& x, RVec3* vector) const;
  // The nearest place to x outside the offset by the present tangent plane.
  RVec3 outside(int i, const RVec3& x) const {
    return reachable_ ? RVec3(x + std::max(Real(0), -gap(i, x)) * plane_[i].normal) : x;
  }
  // What the nearest surface pushes particle i with, were it at x and then `out` metres farther off: J, N, N/m.
  Push pressing(int i, const RVec3& x, Real out) const {
    if (!reachable_) return {0, 0, 0};
    const Push push = push_below(wanted_offset_ - distance_to(plane_[i], i, x) - out, wanted_offset_);
    return {stiffness_[i] * push.energy, stiffness_[i] * push.force, stiffness_[i] * push.curvature};
  }
  Real stiffness(int i) const { return stiffness_[i]; }
  Real first_stiffness(int i) const { return first_stiffness_[i]; }  // before anything pressed
  // For methods that move positions: how far x lies below the offset (0 outside), where out is, the two coefficients.
  Real depth(int i, const RVec3& x) const { return reachable_ ? std::max(Real(0), -gap(i, x)) : Real(0); }
  const RVec3& normal(int i) const { return plane_[i].normal; }
  Real static_friction(int i) const { return static_[i]; }
  Real kinetic_friction(int i) const { return kinetic_[i]; }

  // After the minimisation: particles deeper than any force holds them go out along the normal (x and v); then anchors.
  void project(const RunContext& run, const Scene& scene, std::vector<RVec3>* x, std::vector<RVec3>* v);
  void end_step(const std::vector<RVec3>& x);

  // A part of a cloth (model_part.h) goes on from the whole's contacts, and the whole from those of what moved in it:
  // `at` [particle_count of the part] are the whole's particles.
  void take_from(const ContactSet& whole, const std::vector<int>& at);
  void give_to(ContactSet* whole, const std::vector<int>& at, const std::vector<uint8_t>& moved) const;

  // Part of `force` (net, without contact) that no reaction inside the static friction cone can balance.
  RVec3 unbalanced(int i, const RVec3& x, const RVec3& force) const;

 private:
  struct Plane {  // of the surface: as it was found at asked_
    RVec3 normal = RVec3::UnitY();
    Real distance = 0;  // m
  };
  Real distance_to(const Plane& plane, int i, const RVec3& x) const {
    return plane.distance + plane.normal.dot(x - asked_[i]);
  }
  Real gap(int i, const RVec3& x) const { return distance_to(plane_[i], i, x) - room_[i]; }
  Push push_from(const Plane& plane, int i, const RVec3& x) const {
    return push_below(wanted_offset_ - distance_to(plane, i, x), wanted_offset_);
  }
  Real pressure_of(const Plane& plane, int i, const RVec3& x) const {
    return stiffness_[i] * push_from(plane, i, x).force;
  }
  Real pressure(int i, const RVec3& x) const { return reachable_ ? pressure_of(plane_[i], i, x) : Real(0); }
  Real opposite_pressure(int i, const RVec3& x) const {
    return reachable_ && pinched_[i] ? pressure_of(opposite_[i], i, x) : Real(0);
  }
  double push(const Plane& plane, int i, const RVec3& x, RVec3* gradient) const;
  RVec3 slip(int i, const RVec3& x) const {
    const RVec3 u = x - anchor_[i];
    return u - plane_[i].normal * plane_[i].normal.dot(u);
  }
  Real friction_limit(int i) const { return (sliding_[i] ? kinetic_[i] : static_[i]) * normal_force_[i]; }
  bool must_ask(int i) const;
  void lift_corners(const RunContext& run, const Scene& scene);
  void ask_middles(int begin, int end);
  void ask_sharp(int begin, int end);
  bool middle_may_touch(int k, const RVec3& middle) const;
  void set_lift(int i, Real lift);
  void ask(int begin, int end);
  void ask_opposite(int begin, int end);
  void copy_particle(int i, int j, ContactSet* to) const;
  void take_plane(int i, const Contact& contact);
  Contact nearest_of(int i) const;  // of the surface itself, without the lift
  void take_opposite(int i, const Contact& past);
  void release(int i);

  std::vector<Real> static_, kinetic_;  // coefficients of friction
  Real wanted_offset_ = 0;
  bool reachable_ = false;  // the scene has a collider
  std::vector<Real> stiffness_, first_stiffness_, normal_force_;
  std::vector<Real> room_;               // m off the nearest surface: the offset, or less in a pinch
  std::vector<Plane> plane_, opposite_;  // the nearest surface; the one across, where pinched_
  std::vector<RVec3> asked_, anchor_;
  std::vector<Real> lift_;            // m, taken off the distance of plane_
  std::vector<Triangle> triangles_;   // those whose middles keep off
  std::vector<Real> sunk_, lacking_;  // m that a middle [triangles_] lacks of its room, and the most beside a particle
  struct Place {
    RVec3 at = RVec3::Zero();
    Real distance = std::numeric_limits<Real>::lowest();  // m off the surface
  };
  std::vector<Place> middle_;  // [triangles_] where it was last asked
  std::vector<uint8_t> known_, anchored_, sliding_, changed_, pinched_;
  Real sharp_reach_ = 0;
  std::shared_ptr<const PointsUnder> sharp_;  // of collider_; a part of a cloth asks its whole's
  // Arguments of the question in progress.
  const Collider* collider_ = nullptr;
  const RVec3* x_ = nullptr;
  Real moved_ = 0, middle_room_ = 0;
};

// The part of a force that Coulomb's cone of outward normal n and coefficient mu cannot balance (validation 6.1).
RVec3 outside_cone(const RVec3& force, const RVec3& normal, Real mu);
// The same for two contacts at once (a pinch): what both cones together leave over.
RVec3 outside_cones(const RVec3& force, const RVec3& first, const RVec3& second, Real mu);

}  // namespace tryon::sim
