// What it is: the forces in a cloth at rest as things to measure: what presses against each particle, and the line
// tension in each triangle. The body's reaction is what all other forces leave for it to carry, taken to the friction
// cone of the touching surface, so it is the same for every solver and is no function of a strain at the place; other
// garments press as their contact does, and rub to carry what is left. Units and frame: N and N/m, world. Shapes:
// [particle_count], [triangle_count]. How it fails: it does not; without a collider nothing presses. Cloth that moves
// (wind) is asked as if it stood still. Thread rules: pure functions; the context's executor inside, the same bytes for
// any number of threads.
#pragma once

#include <vector>

#include "server/base/run_context.h"
#include "server/sim/model.h"
#include "server/sim/residual_layers.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim {

struct ClothForces {
  std::vector<double> press;             // [particle_count] N, away from the body: the normal part of its reaction,
                                         // and what garments beneath press; never negative
  std::vector<Vec3> reaction;            // [particle_count] N, of the body and of other garments, friction included
  std::vector<Eigen::Matrix3d> tension;  // [triangle_count] N/m as it lies: force across a line of unit length with
                                         // in-plane normal m is tension * m
};

// What both the measures and the certificate of rest begin from, N [particle_count].
struct NetForces {
  std::vector<Vec3> force;    // all forces but the collider's and friction between layers
  LayerForces layers;         // the part of them that layers press (empty where the scene has no contact between
                              // them), and the most that their friction may carry
  std::vector<double> reach;  // m, contact_reach()
};
NetForces net_forces(const DrapeModel& model, const Scene& scene, const DrapeState& state, double tie_stiffness = 0.0,
                     const RunContext& run = {});

// What a surface gives back to a force: the reaction in its friction cone about `normal` that is nearest to -force.
Vec3 reaction_to(const Vec3& force, const Vec3& normal, double friction);

ClothForces cloth_forces(const DrapeModel& model, const Scene& scene, const DrapeState& state, const NetForces& net,
                         const RunContext& run = {});
Residual equilibrium_residual(const DrapeModel& model, const Scene& scene, const DrapeState& state,
                              const NetForces& net, const RunContext& run = {});

// How far off the body a particle may be and still be held by it, m [particle_count]: the offset, or kMostLift more
// where the middle of a triangle beside it, or a sharp point beneath one, has come to Scene::middle_room.
std::vector<double> contact_reach(const DrapeModel& model, const Scene& scene, const DrapeState& state,
                                  const RunContext& run = {});

}  // namespace tryon::sim
