// What it is: all forces on the particles from outside cloth and contact: gravity, the wind's lift, and the rate of its
// drag, which a solver may take at the step's end (fast air must not throw light cloth).
// Units: N, N s/m. Shapes: force, drag, normal [particle_count]; normal is work space. How it fails: never; NaN goes
// through to the caller. Thread rules: pure function of its arguments. Cites: Ji 2004 section 1.2.
#pragma once

#include <vector>

#include "server/sim/model.h"

namespace tryon::sim {

struct OuterForces {
  std::vector<RVec3> force;   // [particle_count] N: gravity and lift
  std::vector<Real> drag;     // [particle_count] N s/m: drag is -drag (v - air)
  std::vector<RVec3> normal;  // [particle_count] area-weighted, not unit; left empty of meaning in still air
  RVec3 air = RVec3::Zero();  // m/s

  explicit OuterForces(int particle_count);
  void gather(const DrapeModel& model, const Scene& scene, const DrapeState& state);
};

}  // namespace tryon::sim
