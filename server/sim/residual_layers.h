// What it is: forces between layers of the cloth for the certificate of rest, by plain means: every vertex against
// every triangle and every edge against every edge whose boxes come near, in double, by the definition of the energy
// (a barrier below the contact radius, push.h) and not by the solver's code. Units: m, N. Shapes: all [particle_count].
// How it fails: it does not. Thread rules: pure function.
#pragma once

#include <vector>

#include "server/sim/model.h"

namespace tryon::sim {

struct LayerForces {
  std::vector<Vec3> normal;              // N, what the layers press
  std::vector<Vec3> between;             // N, the part of it that other garments press
  std::vector<double> friction;          // N, the most that friction between them may carry at a vertex
  std::vector<double> friction_between;  // N, the part of it with other garments
};

// stiffness [particle_count] N/m as the contacts have it; radius m; even_share of it: nearer than that the push grows
// no more; kept_apart as Scene's.
LayerForces layer_forces(const DrapeModel& model, const std::vector<Vec3>& x, double radius,
                         const std::vector<double>& stiffness, double even_share,
                         const std::vector<uint8_t>& kept_apart = {});

}  // namespace tryon::sim
