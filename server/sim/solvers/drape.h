// What it is: the production solver. It is lbfgs until cloth is near enough to rest for the directions of the whole
// Hessian (newton_directions.h; which of both, means_of_descent.h says), between whose steps places that alone are not
// at rest are brought there by themselves (local_rest.h). Units: SI.
// Shapes: [particle_count]. How it fails: see solver.h. Thread rules: see solver.h; the same bytes for any number of
// threads. Cites: Liu 2017; Nocedal and Wright 2006, 7.2.
#pragma once

#include "server/sim/solvers/solver.h"

namespace tryon::sim {

std::unique_ptr<Solver> make_drape(const DrapeModel& model, const SolverSettings& settings);

}  // namespace tryon::sim
