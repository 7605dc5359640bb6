// What it is: friction between layers of cloth: Coulomb, smoothed, with the limits and normals of a step's start; a
// pair begins a step with the friction that it ended the last one with, so that what holds does not creep. Units: m, N,
// J. Shapes: x, forces [particle_count]. How it fails: never. Thread rules: one object, one thread. Cites: Li 2020
// (incremental potential contact: smoothed lagged friction).
#pragma once

#include <array>
#include <tuple>
#include <vector>

#include "server/sim/model.h"

namespace tryon::sim {

class LayerFriction {
 public:
  // A pair of elements whose vector from the second to the first is sum w x: its weights and normal of the step's
  // start.
  struct Grip {
    std::array<int, 4> v;
    bool edges;
    std::array<Real, 4> w;
    RVec3 normal;
    Real limit;                         // N: coefficient times normal force
    RVec3 slip;                         // m: as the step began: what gives the friction of the step before
    Real firmness(Real slipped) const;  // N/m
  };

  // A new step from x: what pairs held until there is remembered.
  void begin_step(const std::vector<RVec3>& x);
  void let_go() { grips_.clear(); }
  // One more pair, with the friction that it held.
  void grip(const std::array<int, 4>& v, bool edges, const std::array<Real, 4>& w, const RVec3& normal, Real limit);
  void add(const std::vector<RVec3>& x, double* energy, std::vector<RVec3>* gradient) const;
  void add_forces(const std::vector<RVec3>& x, std::vector<RVec3>* forces) const;  // of the gradient, alone
  const std::vector<Grip>& grips() const { return grips_; }
  Eigen::Matrix3d curvature(const Grip& grip, const std::vector<RVec3>& x) const;  // N/m
  const std::vector<RVec3>& start() const { return start_; }                       // of the step

  // A part of a cloth goes on from what the whole's pairs held at its x, and the whole's next step from the part's at
  // its own: `at` [particle_count of the part] are the whole's particles.
  void take_from(const LayerFriction& whole, const std::vector<RVec3>& whole_x, const std::vector<int>& at);
  void give_to(LayerFriction* whole, const std::vector<RVec3>& x, const std::vector<RVec3>& whole_x,
               const std::vector<int>& at) const;

 private:
  struct Held {  // the friction of a pair at the end of the step before
    std::array<int, 4> v;
    bool edges;
    RVec3 force;  // N
    auto pair() const { return std::tie(v, edges); }
    bool operator<(const Held& other) const { return pair() < other.pair(); }
  };
  void hold(const std::vector<RVec3>& x);
  RVec3 held_by(const std::array<int, 4>& v, bool edges) const;
  RVec3 slip_of(const Grip& grip, const std::vector<RVec3>& x) const;
  RVec3 force_of(const Grip& grip, const std::vector<RVec3>& x) const;

  std::vector<Grip> grips_;
  std::vector<Held> held_;  // ascending
  bool told_ = false;       // held_ is known already as the next step begins
  std::vector<RVec3> start_;
};

}  // namespace tryon::sim
