// What it is: all forces on the particles from outside cloth and contact: gravity, pressure (a third of each triangle's
// on its corners, along the normal at the step's start) and wind. Wind is linear in the
// velocity about the step's start, force - drag v, so that a solver can take v at the step's end (fast air must not
// throw light cloth); where v has not changed it is the wind's exact force.
// Units: N, N s/m. Shapes: force, drag, normal [particle_count]; normal is work space. How it fails: never; NaN goes
// through to the caller. Thread rules: pure function of its arguments. Cites: Ji 2004 section 1.2.
#pragma once

#include <vector>

#include "server/sim/model.h"

namespace tryon::sim {

struct OuterForces {
  std::vector<RVec3> force;  // [particle_count] N
  std::vector<Real> drag;    // [particle_count] N s/m

  explicit OuterForces(int particle_count);
  void gather(const DrapeModel& model, const Scene& scene, const DrapeState& state);

 private:
  void add_pressure(const DrapeModel& model, double pressure, const DrapeState& state);
  void add_vertex_wind(const DrapeModel& model, const Scene& scene, const DrapeState& state);
  void add_triangle_wind(const DrapeModel& model, const Scene& scene, const DrapeState& state);
  std::vector<RVec3> normal_;  // [particle_count] area-weighted, not unit
};

}  // namespace tryon::sim
