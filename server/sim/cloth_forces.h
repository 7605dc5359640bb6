// What it is: the forces in a cloth at rest as things to measure: what the body presses against each particle, and the
// line tension in each triangle. The contact force is what all other forces leave for the body to carry, taken to the
// friction cone of the touching surface, so it is the same for every solver and is no function of a strain at the
// place. Units and frame: N and N/m, world. Shapes: [particle_count], [triangle_count]. How it fails: it does not;
// without a collider nothing presses. Cloth that moves (wind) is asked as if it stood still. Thread rules: pure
// function.
#pragma once

#include <vector>

#include "server/sim/model.h"

namespace tryon::sim {

struct ClothForces {
  std::vector<double> press;             // [particle_count] N, normal part of the reaction, never negative
  std::vector<Vec3> reaction;            // [particle_count] N, of the body on the cloth, friction included
  std::vector<Eigen::Matrix3d> tension;  // [triangle_count] N/m as it lies: force across a line of unit length with
                                         // in-plane normal m is tension * m
};
ClothForces cloth_forces(const DrapeModel& model, const Scene& scene, const DrapeState& state);

// All forces on each particle but for the collider's, N [particle_count]; layer_friction: the most that friction
// between layers may carry there. The certificate of rest begins from the same ones.
std::vector<Vec3> net_forces(const DrapeModel& model, const Scene& scene, const DrapeState& state, double tie_stiffness,
                             std::vector<double>* layer_friction);

// How far off the body a particle may be and still be held by it, m [particle_count]: the offset, or kMostLift more
// where the middle of a triangle beside it has come to Scene::middle_room.
std::vector<double> contact_reach(const DrapeModel& model, const Scene& scene, const DrapeState& state);

}  // namespace tryon::sim
